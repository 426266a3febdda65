"""Text with thinking in tags, written as blocks."""

from __future__ import annotations

import pytest

from streamkit.accumulator import coalesce
from streamkit.deltas import Delta, TextDelta, TextEnd, TextStart, ThinkingDelta, ThinkingEnd, ThinkingStart
from streamkit.limits import Limits
from streamkit.protocols import Quirks
from streamkit.protocols.tagged import TaggedWriter
from streamkit.testing.outcome import numbered_ids

THOUGHT: list[Delta] = [ThinkingStart(0), ThinkingDelta(0, "Hm"), ThinkingEnd(0)]
SAID: list[Delta] = [TextStart(1), TextDelta(1, "So"), TextEnd(1)]


def new(quirks: Quirks) -> TaggedWriter:
    return TaggedWriter(0, quirks=quirks, mint=numbered_ids(), limits=Limits())


CASES: list[tuple[str, Quirks, str, list[Delta]]] = [
    ("tags", Quirks(think_tags=True), "<think>Hm</think>So", [*THOUGHT, *SAID]),
    ("no opening tag", Quirks(think_tag_open=True), "Hm</think>So", [*THOUGHT, *SAID]),
    ("no quirk", Quirks(), "<think>Hm", [TextStart(0), TextDelta(0, "<think>Hm"), TextEnd(0)]),
    ("half a tag at the end", Quirks(think_tags=True), "a<thi", [TextStart(0), TextDelta(0, "a<thi"), TextEnd(0)]),
]


@pytest.mark.parametrize(("quirks", "text", "deltas"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_text_in_any_cut_is_blocks(quirks: Quirks, text: str, deltas: list[Delta]) -> None:
    for pieces in ([text], list(text)):
        writer, out = new(quirks), list[Delta]()
        assert writer.empty
        for piece in pieces:
            writer.say(out, piece)
        assert not writer.empty
        writer.close(out)
        assert coalesce(out) == coalesce(deltas)


def test_a_caller_may_write_clean_text_itself_only_where_no_tag_can_be_in_it() -> None:
    for quirks, index in ((Quirks(), 0), (Quirks(think_tags=True), -1)):
        writer = new(quirks)
        writer.say([], "a")
        assert writer.ready == index


def test_what_is_held_back_is_given_out_where_a_stream_breaks_off() -> None:
    writer, out = new(Quirks(think_tags=True)), list[Delta]()
    writer.say(out, "<")
    assert (out, writer.empty) == ([], False)
    writer.release(out)
    assert out == [TextStart(0), TextDelta(0, "<")]
