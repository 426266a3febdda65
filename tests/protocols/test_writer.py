"""Block bookkeeping: what opens, what closes, what is held back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    CitationAdded,
    Delta,
    RefusalDelta,
    RefusalEnd,
    RefusalStart,
    Replace,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from streamkit.errors import ProtocolError
from streamkit.limits import Limits
from streamkit.parts import CitationPart, ImagePart, ImageUrl
from streamkit.protocols.writer import BlockWriter, Seal
from streamkit.testing.outcome import numbered_ids

IMAGE = ImagePart(ImageUrl("https://example.com/a.png"))
Step = Callable[[BlockWriter, list[Delta]], object]


def writer(choice: int = 0, *, seal: Seal | None = None, direct: bool = True, limit: int = 100) -> BlockWriter:
    limits = Limits(max_argument_bytes=limit)
    return BlockWriter(choice, mint=numbered_ids(), limits=limits, seal=seal, direct=direct)


def write(*steps: Step, close: bool = True, choice: int = 0) -> list[Delta]:
    out: list[Delta] = []
    it = writer(choice)
    for step in steps:
        step(it, out)
    if close:
        it.close(out)
    return out


def text(piece: str) -> Step:
    return lambda it, out: it.write(out, "text", piece)


def thinking(piece: str) -> Step:
    return lambda it, out: it.write(out, "thinking", piece)


def call(id: str | None = "a") -> Step:
    return lambda it, out: it.open_call(out, id, "f")


def arguments(index: int, piece: str) -> Step:
    return lambda it, out: it.arguments(out, index, piece)


def end(index: int, signature: str) -> Step:
    return lambda it, out: it.end_call(out, index, signature=signature, extra={"k": 1})


CASES: list[tuple[str, list[Step], list[Delta]]] = [
    ("nothing", [], []),
    ("empty pieces", [text(""), thinking("")], []),
    ("text", [text("a"), text("b")], [TextStart(0), TextDelta(0, "a"), TextDelta(0, "b"), TextEnd(0)]),
    (
        "a block closed with its signature",
        [text("a"), lambda it, out: it.close_open(out, signature="s", extra={"k": 1}), text("b")],
        [
            *(TextStart(0), TextDelta(0, "a"), TextEnd(0, signature="s", extra={"k": 1})),
            *(TextStart(1), TextDelta(1, "b"), TextEnd(1)),
        ],
    ),
    (
        "a call that is whole before the next",
        [call(), arguments(0, "{}"), end(0, "s"), call("b"), text("c")],
        [
            *(ToolCallStart(0, "a", "f"), ToolCallDelta(0, "{}"), ToolCallEnd(0, signature="s", extra={"k": 1})),
            *(ToolCallStart(1, "b", "f"), TextStart(2), TextDelta(2, "c"), ToolCallEnd(1), TextEnd(2)),
        ],
    ),
    (
        "a part with its signature, and sound",
        [lambda it, out: it.add(out, IMAGE, signature="s"), lambda it, out: it.audio(out, b"x", format="audio/L16")],
        [BlockAdded(0, IMAGE, signature="s"), AudioDelta(1, b"x", format="audio/L16")],
    ),
    (
        "another kind closes",
        [thinking("a"), text("b"), lambda it, out: it.write(out, "refusal", "c")],
        [
            *(ThinkingStart(0), ThinkingDelta(0, "a"), ThinkingEnd(0)),
            *(TextStart(1), TextDelta(1, "b"), TextEnd(1)),
            *(RefusalStart(2), RefusalDelta(2, "c"), RefusalEnd(2)),
        ],
    ),
    (
        "calls stay open",
        [call("a"), call("b"), arguments(1, "1"), arguments(0, "0")],
        [
            *(ToolCallStart(0, "a", "f"), ToolCallStart(1, "b", "f")),
            *(ToolCallDelta(1, "1"), ToolCallDelta(0, "0"), ToolCallEnd(0), ToolCallEnd(1)),
        ],
    ),
    (
        "text between calls",
        [call("a"), text("x"), call("b")],
        [
            *(ToolCallStart(0, "a", "f"), TextStart(1), TextDelta(1, "x"), TextEnd(1)),
            *(ToolCallStart(2, "b", "f"), ToolCallEnd(0), ToolCallEnd(2)),
        ],
    ),
    (
        "ends in the order of indices",
        [call("a"), text("x")],
        [ToolCallStart(0, "a", "f"), TextStart(1), TextDelta(1, "x"), ToolCallEnd(0), TextEnd(1)],
    ),
    ("a call without an id", [call(None)], [ToolCallStart(0, "minted_0", "f"), ToolCallEnd(0)]),
    (
        "what a call's end carries",
        [call(), lambda it, out: it.mark_call(0, {"k": 1})],
        [ToolCallStart(0, "a", "f"), ToolCallEnd(0, extra={"k": 1})],
    ),
    (
        "a part closes text",
        [text("a"), lambda it, out: it.add(out, IMAGE), text("b")],
        [
            *(TextStart(0), TextDelta(0, "a"), TextEnd(0), BlockAdded(1, IMAGE)),
            *(TextStart(2), TextDelta(2, "b"), TextEnd(2)),
        ],
    ),
    (
        "one block of audio",
        [
            text("a"),
            lambda it, out: it.audio(out, b"1", id="i"),
            text("b"),
            lambda it, out: it.audio(out, transcript="t", expires_at=9),
        ],
        [
            *(TextStart(0), TextDelta(0, "a"), TextEnd(0), AudioDelta(1, b"1", id="i")),
            *(TextStart(2), TextDelta(2, "b"), AudioDelta(1, transcript="t", expires_at=9), TextEnd(2)),
        ],
    ),
    (
        "a source of the text",
        [text("a"), lambda it, out: it.cite(out, "s")],
        [TextStart(0), TextDelta(0, "a"), CitationAdded(0, "s"), TextEnd(0)],
    ),
    (
        "a source without text",
        [thinking("a"), lambda it, out: it.cite(out, "s")],
        [ThinkingStart(0), ThinkingDelta(0, "a"), ThinkingEnd(0), BlockAdded(1, CitationPart("s"))],
    ),
    (
        "a block without text of its own",
        [lambda it, out: it.open(out, "thinking"), lambda it, out: it.open(out, "thinking")],
        [ThinkingStart(0), ThinkingEnd(0)],
    ),
    (
        "a pair in two",
        [text("a\ud83d"), text("\ude00b")],
        [TextStart(0), TextDelta(0, "a"), TextDelta(0, "😀b"), TextEnd(0)],
    ),
    ("half a pair alone", [text("\ud83d")], [TextStart(0), TextDelta(0, "\ufffd"), TextEnd(0)]),
    (
        "half a pair before another kind",
        [text("\ud83d"), thinking("\ude00")],
        [
            *(TextStart(0), TextDelta(0, "\ufffd"), TextEnd(0)),
            *(ThinkingStart(1), ThinkingDelta(1, "\ufffd"), ThinkingEnd(1)),
        ],
    ),
    (
        "a pair in two, in arguments",
        [call(), arguments(0, "\ud83d"), arguments(0, "\ude00")],
        [ToolCallStart(0, "a", "f"), ToolCallDelta(0, "😀"), ToolCallEnd(0)],
    ),
    (
        "half a pair at the end of arguments",
        [call(), arguments(0, "x\ud83d")],
        [ToolCallStart(0, "a", "f"), ToolCallDelta(0, "x"), ToolCallDelta(0, "\ufffd"), ToolCallEnd(0)],
    ),
    (
        "a replacement drops the half that waits",
        [text("a\ud83d"), lambda it, out: it.replace(out, 0, "b"), text("c")],
        [TextStart(0), TextDelta(0, "a"), Replace(0, "b"), TextDelta(0, "c"), TextEnd(0)],
    ),
    (
        "a replacement of arguments",
        [call(), arguments(0, "a\ud83d"), lambda it, out: it.replace(out, 0, "b")],
        [ToolCallStart(0, "a", "f"), ToolCallDelta(0, "a"), Replace(0, "b"), ToolCallEnd(0)],
    ),
]


@pytest.mark.parametrize(("steps", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_pieces_become_blocks(steps: list[Step], expected: list[Delta]) -> None:
    assert write(*steps) == expected


def test_every_delta_names_its_choice() -> None:
    steps: list[Step] = [
        thinking("a"),
        text("b\ud83d"),
        lambda it, out: it.cite(out, "s"),
        lambda it, out: it.replace(out, 1, "b"),
        lambda it, out: it.add(out, IMAGE),
        lambda it, out: it.audio(out, b"1"),
        call(),
        arguments(4, "x"),
    ]
    assert {delta.choice for delta in write(*steps, choice=3)} == {3}


def test_a_block_of_thinking_is_sealed_as_it_closes() -> None:
    out: list[Delta] = []
    it = writer(seal=lambda: ("sig", {"k": 1}))
    it.write(out, "thinking", "a")
    it.write(out, "text", "b")
    it.close(out)
    assert [delta for delta in out if isinstance(delta, (ThinkingEnd, TextEnd))] == [
        ThinkingEnd(0, signature="sig", extra={"k": 1}),
        TextEnd(1),
    ]


def test_ready_is_where_clean_text_may_be_appended() -> None:
    out: list[Delta] = []
    it = writer()
    seen = [it.ready]
    for step in (text("a"), text("\ud83d"), text("\ude00"), thinking("t"), text("b"), call()):
        step(it, out)
        seen.append(it.ready)
    assert seen == [-1, 0, -1, 0, -1, 2, -1]


def test_ready_is_never_given_to_a_dialect_that_must_see_all_text() -> None:
    out: list[Delta] = []
    it = writer(direct=False)
    it.write(out, "text", "a")
    assert it.ready == -1


def test_what_is_held_back_is_released_where_the_stream_breaks_off() -> None:
    out: list[Delta] = []
    it = writer()
    it.open_call(out, "a", "f")
    it.arguments(out, 0, "x\ud83d")
    it.write(out, "text", "y\ud83d")
    del out[:]
    it.release(out)
    assert out == [TextDelta(1, "\ufffd"), ToolCallDelta(0, "\ufffd")]


@pytest.mark.parametrize("pieces", [["x" * 101], ["x" * 60, "x" * 41], ["é" * 51]], ids=["one", "two", "in bytes"])
def test_arguments_over_the_limit_are_an_error(pieces: list[str]) -> None:
    out: list[Delta] = []
    it = writer()
    it.open_call(out, "a", "f")
    with pytest.raises(ProtocolError, match=r"call of 'f' are longer than max_argument_bytes \(100\)"):
        for piece in pieces:
            it.arguments(out, 0, piece)


def test_the_limit_is_each_call_s_own_and_starts_again_with_a_replacement() -> None:
    out: list[Delta] = []
    it = writer()
    for index in (0, 1):
        it.open_call(out, "a", "f")
        it.arguments(out, index, "x" * 100)
    it.replace(out, 1, "y" * 100)
    with pytest.raises(ProtocolError):
        it.arguments(out, 1, "y")
