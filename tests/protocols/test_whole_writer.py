"""The writer of a text that is whole in each record."""

from __future__ import annotations

import pytest

from streamkit.accumulator import accumulate
from streamkit.deltas import Delta, MessageStart, Replace
from streamkit.limits import Limits
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.whole_writer import WholeWriter

TAGS, OPEN = Quirks(think_tags=True), Quirks(think_tag_open=True)
CASES: list[tuple[str, Quirks, list[str], str | None, str, bool]] = [
    ("text", Quirks(), ["a", "ab"], None, "ab", False),
    ("text that is no tag", Quirks(), ["<think>a"], None, "<think>a", False),
    ("a revision", Quirks(), ["ab", "ax"], None, "ax", True),
    ("half a character at the end", Quirks(), ["a\ufffd"], None, "a\ufffd", False),
    ("thinking", TAGS, ["<thi", "<think>h", "<think>hm</think>", "<think>hm</think>yes"], "hm", "yes", False),
    ("half a tag at the end", TAGS, ["a<thi"], None, "a<thi", False),
    ("an open tag", OPEN, ["h", "hm</think>", "hm</think>yes"], "hm", "yes", False),
    ("thinking revised", TAGS, ["<think>ab", "<think>ax</think>y"], "ax", "y", True),
    ("half a character of thinking", TAGS, ["<think>\ufffd", "<think>é</think>y"], "é", "y", False),
]


def test_what_is_new_may_come_piece_by_piece_and_the_whole_at_the_end() -> None:
    writer = WholeWriter(0, quirks=TAGS, mint=lambda: "minted", limits=Limits())
    out: list[Delta] = [MessageStart()]
    for piece in ("<th", "ink>h", "\ufffd", "</think>ye", "s\nUser"):
        writer.go_on(out, piece)
    shown = accumulate(out).message
    assert (shown.thinking, shown.text) == ("h\ufffd", "yes\nUser")
    writer.say(out, "<think>hé</think>yes")
    writer.close(out)
    message = accumulate(out).message
    assert (message.thinking, message.text) == ("hé", "yes")


@pytest.mark.parametrize(
    ("quirks", "texts", "thinking", "text", "revised"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_the_last_text_counts(quirks: Quirks, texts: list[str], thinking: str | None, text: str, revised: bool) -> None:
    writer = WholeWriter(0, quirks=quirks, mint=lambda: "minted", limits=Limits())
    out: list[Delta] = [MessageStart()]
    for each in texts:
        writer.say(out, each)
        writer.say(out, each)
    writer.close(out)
    message = accumulate(out).message
    assert (message.thinking, message.text) == (thinking, text)
    assert any(isinstance(delta, Replace) for delta in out) == revised
