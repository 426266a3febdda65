"""Statuses → finish reasons."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.messages import FinishReason
from streamkit.protocols.gemini_interactions.finish import is_end, read_finish

REASONS: list[tuple[str | None, bool, FinishReason]] = [
    ("completed", False, FinishReason("stop", "completed")),
    ("completed", True, FinishReason("tool_call", "completed")),
    ("requires_action", True, FinishReason("tool_call", "requires_action")),
    ("incomplete", True, FinishReason("length", "incomplete")),
    ("cancelled", False, FinishReason("aborted", "cancelled")),
    ("tomorrow", False, FinishReason("other", "tomorrow")),
    (None, True, FinishReason("tool_call", synthesized=True)),
]


@pytest.mark.parametrize(("status", "calls", "reason"), REASONS)
def test_a_status_is_a_reason(status: Any, calls: bool, reason: FinishReason) -> None:
    assert read_finish(status, calls=calls) == reason


def test_what_was_said_of_it_is_kept() -> None:
    assert read_finish("incomplete", calls=False, reason="too loud").reason == "too loud"


@pytest.mark.parametrize(
    ("status", "ended"),
    [("completed", True), ("tomorrow", True), ("queued", False), ("in_progress", False), (None, False), ("", False)],
)
def test_an_interaction_has_ended_or_goes_on(status: str | None, ended: bool) -> None:
    assert is_end(status) is ended
