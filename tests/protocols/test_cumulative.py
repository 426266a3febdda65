"""Text that comes whole in each record."""

from __future__ import annotations

import time

import pytest

from streamkit.accumulator import accumulate
from streamkit.deltas import Delta, MessageStart, Replace, TextDelta, ThinkingDelta, ToolCallStart
from streamkit.limits import Limits
from streamkit.protocols.cumulative import WholeText, split_unsure
from streamkit.protocols.writer import BlockWriter, Kind

LONG = "".join(f"line {number}\n" for number in range(300))


def new(kind: Kind = "text") -> tuple[list[Delta], BlockWriter, WholeText]:
    writer = BlockWriter(0, mint=lambda: "minted", limits=Limits(), direct=False)
    return [MessageStart()], writer, WholeText(writer, kind)


def read(wholes: list[str | None]) -> list[Delta]:
    """Read snapshots of a text; None is a call that comes between."""
    out, writer, text = new()
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
    (
        "a mark that waits for its letter's other marks",
        ["e\u0301", "e\u0301!"],
        [TextDelta(0, "e"), TextDelta(0, "\u0301!")],
    ),
    ("a mark at the end", ["e\u0301"], [TextDelta(0, "e"), TextDelta(0, "\u0301")]),
    (
        "revised far back, with a text as long",
        [LONG, "z" + LONG[1:] + "y"],
        [TextDelta(0, LONG), TextDelta(0, "y"), Replace(0, "z" + LONG[1:] + "y")],
    ),
    (
        "revised far back, with a text as long as one that was revised before",
        [LONG, "z" + LONG[1:-1], "y" + LONG[1:-1]],
        [TextDelta(0, LONG), Replace(0, "z" + LONG[1:-1]), Replace(0, "y" + LONG[1:-1])],
    ),
    (
        "revised far back, when all has been compared",
        [LONG, LONG * 3, "z" + (LONG * 3)[1:]],
        [TextDelta(0, LONG), TextDelta(0, LONG * 2), Replace(0, "z" + (LONG * 3)[1:])],
    ),
    (
        "revised far back, with a longer text",
        [LONG, "zz" + LONG[1:]],
        [TextDelta(0, LONG), Replace(0, "zz" + LONG[1:])],
    ),
    (
        "revised far back, then twice as long",
        [LONG, "z" + LONG[1:] * 2 + "y"],
        [TextDelta(0, LONG), Replace(0, "z" + LONG[1:] * 2 + "y")],
    ),
]


@pytest.mark.feature("D: qwen-code#3896")
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


SPLIT: list[tuple[str, str, str]] = [
    ("plain", "abc", ""),
    ("café", "café", ""),
    ("caf\ufffd", "caf", "\ufffd"),
    ("a\ufffdb", "a\ufffdb", ""),
    ("a\ud83d", "a", "\ud83d"),
    ("a\ude00", "a\ude00", ""),
    ("e\u0301\u0302", "e", "\u0301\u0302"),
    ("\ufffd" * 20, "\ufffd" * 4, "\ufffd" * 16),
    ("", "", ""),
]


@pytest.mark.parametrize(("text", "shown", "held"), SPLIT, ids=[ascii(case[0]) for case in SPLIT])
def test_what_may_become_another_character_is_held_back(text: str, shown: str, held: str) -> None:
    if held == "":
        shown = text
    assert split_unsure(text) == (shown, held)


def test_pieces_may_come_first_and_the_whole_at_the_end() -> None:
    out, writer, text = new()
    for piece in ("caf", "\ufffd", "\ufffd"):
        text.add(out, piece)
    text.write(out, "café")
    text.settle(out)
    assert [delta.text for delta in out if isinstance(delta, TextDelta)] == ["caf", "é"]
    text.write(out, "car")
    writer.close(out)
    assert out[-2] == Replace(0, "car")


def test_pieces_alone_are_never_compared_with_a_whole() -> None:
    out, writer, text = new()
    text.write(out, "a")
    text.add(out, "b")
    text.settle(out)
    writer.close(out)
    assert accumulate(out).message.text == "ab"


def test_a_record_costs_no_more_as_the_text_grows() -> None:
    def seconds_a_record(records: int) -> float:
        whole = "some words of a text " * (records * 500 // 21 + 1)
        out, _, text = new()
        spent = 0.0
        for at in range(records):
            record = whole[: at * 500]
            began = time.thread_time()
            text.write(out, record)
            spent += time.thread_time() - began
        text.settle(out)
        assert sum(len(delta.text) for delta in out if isinstance(delta, TextDelta)) == (records - 1) * 500
        return spent / records

    assert min(seconds_a_record(2000) / min(seconds_a_record(200) for _ in range(3)) for _ in range(3)) < 3
