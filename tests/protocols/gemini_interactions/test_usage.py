"""Token counts → snapshots, one for each change."""

from __future__ import annotations

from streamkit.deltas import Delta, UsageSnapshot
from streamkit.protocols.gemini_interactions.usage import Snapshots
from streamkit.protocols.gemini_interactions.views import Counts
from streamkit.usage import Usage


def test_input_leaves_out_the_cache_and_output_includes_thoughts() -> None:
    out: list[Delta] = []
    Snapshots().note(
        {
            "total_input_tokens": 53,
            "total_cached_tokens": 3,
            "total_tool_use_tokens": 5,
            "total_output_tokens": 10,
            "total_thought_tokens": 65,
            "total_tokens": 133,
        },
        out,
    )
    assert out == [UsageSnapshot(Usage(55, 75, 3, reasoning_tokens=65))]


def test_what_says_nothing_new_is_no_snapshot() -> None:
    snapshots, out = Snapshots(), list[Delta]()
    for usage in (None, "x", {}, {"total_input_tokens": 0}, {"total_input_tokens": 4}, {"total_input_tokens": 4}):
        snapshots.note(usage, out)
    snapshots.accompany(None, out)
    snapshots.accompany(Counts(4), out)
    assert out == [UsageSnapshot(Usage(4))]
    assert snapshots.last == Counts(4)
