"""Text that comes whole in each record."""

from __future__ import annotations

import pytest

from streamkit.accumulator import accumulate
from streamkit.deltas import Delta, MessageStart, Replace, TextDelta, ThinkingDelta, ToolCallStart
from streamkit.limits import Limits
from streamkit.protocols.cumulative import WholeText
from streamkit.protocols.writer import BlockWriter


def read(wholes: list[str | None]) -> list[Delta]:
    """Read snapshots of a text; None is a call that comes between."""
    out: list[Delta] = [MessageStart()]
    writer = BlockWriter(0, mint=lambda: "minted", limits=Limits(), direct=False)
    text = WholeText(writer, "text")
    for whole in wholes:
        if whole is None:
            writer.open_call(out, None, "f")
        else:
            text.write(out, whole)
    text.settle(out)
    writer.close(out)
    return out


CASES: list[tuple[str, list[str | None], list[Delta]]] = [
    ("growing", ["a", "ab", "abc"], [TextDelta(0, "a"), TextDelta(0, "b"), TextDelta(0, "c")]),
    ("the same again", ["a", "a"], [TextDelta(0, "a")]),
    ("revised", ["cat", "car"], [TextDelta(0, "cat"), Replace(0, "car")]),
    ("shrunk, then grown", ["abc", "a", "ax"], [TextDelta(0, "abc"), Replace(0, "a"), TextDelta(0, "x")]),
    ("shrunk to nothing", ["a", "", "b"], [TextDelta(0, "a"), Replace(0, ""), TextDelta(0, "b")]),
    ("after a call", ["a", None, "ab"], [TextDelta(0, "a"), TextDelta(2, "b")]),
    ("revised after a call", ["a", None, "abc", "abd"], [TextDelta(0, "a"), TextDelta(2, "bc"), Replace(2, "bd")]),
    (
        "revised before a call",
        ["a", None, "ab", "xyz", "xyz!"],
        [TextDelta(0, "a"), TextDelta(2, "b"), Replace(0, "xyz"), Replace(2, ""), TextDelta(2, "!")],
    ),
    ("half a pair", ["\ud83d", "\ud83d\ude00"], [TextDelta(0, "😀")]),
    ("half a character, repaired", ["caf\ufffd", "café"], [TextDelta(0, "caf"), TextDelta(0, "é")]),
    ("an emoji in three records", ["a\ufffd", "a\ufffd\ufffd", "a😀"], [TextDelta(0, "a"), TextDelta(0, "😀")]),
    ("a character that really is unknown", ["a\ufffd", "a\ufffdb"], [TextDelta(0, "a"), TextDelta(0, "\ufffdb")]),
    ("the same at the end", ["a", "a\ufffd"], [TextDelta(0, "a"), TextDelta(0, "\ufffd")]),
    (
        "half a character after a revision",
        ["abc", "ab\ufffd", "abd"],
        [TextDelta(0, "abc"), Replace(0, "ab"), TextDelta(0, "d")],
    ),
]


@pytest.mark.parametrize(("wholes", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_snapshots_become_pieces(wholes: list[str | None], expected: list[Delta]) -> None:
    deltas = read(wholes)
    assert [delta for delta in deltas if isinstance(delta, (TextDelta, Replace))] == expected
    last = [whole for whole in wholes if whole is not None][-1]
    assert accumulate(deltas).message.text == last.encode("utf-16", "surrogatepass").decode("utf-16")
    assert len([delta for delta in deltas if isinstance(delta, ToolCallStart)]) == wholes.count(None)


def test_the_end_of_a_text_is_settled_before_another_kind_begins() -> None:
    out: list[Delta] = [MessageStart()]
    writer = BlockWriter(0, mint=lambda: "minted", limits=Limits(), direct=False)
    thinking, text = WholeText(writer, "thinking"), WholeText(writer, "text")
    thinking.write(out, "hm\ufffd")
    text.write(out, "", [thinking])
    assert [delta.text for delta in out if isinstance(delta, ThinkingDelta)] == ["hm"]
    text.write(out, "\ufffd", [thinking])
    assert [delta.text for delta in out if isinstance(delta, ThinkingDelta)] == ["hm", "\ufffd"]
    text.write(out, "é", [thinking])
    assert [delta.text for delta in out if isinstance(delta, ThinkingDelta)] == ["hm", "\ufffd"]
    writer.close(out)
    message = accumulate(out).message
    assert (message.thinking, message.text) == ("hm\ufffd", "é")
