from __future__ import annotations

from typing import Any

import pytest

from streamkit.deltas import (
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
from streamkit.protocols.openai_responses.blocks import CallBlock, TextBlock, ThinkingBlock
from streamkit.protocols.openai_responses.events import ARGUMENTS, INPUT, REASONING, REFUSAL, SUMMARY, TEXT


def text_block(*pieces: str) -> tuple[TextBlock, list[Delta]]:
    out: list[Delta] = []
    block = TextBlock(0, TEXT, 0, out)
    for piece in pieces:
        block.add(piece, out)
    return block, out


def test_text_goes_out_piece_by_piece() -> None:
    block, out = text_block("a", "b")
    block.stop({"id": "x"}, out)
    assert out == [TextStart(0), TextDelta(0, "a"), TextDelta(0, "b"), TextEnd(0, extra={"id": "x"})]
    assert block.sent == "ab"


def test_a_refusal_is_a_block_of_its_own_kind() -> None:
    out: list[Delta] = []
    block = TextBlock(3, REFUSAL, 1, out)
    block.add("no", out)
    block.stop(None, out)
    assert out == [RefusalStart(3), RefusalDelta(3, "no"), RefusalEnd(3)]


FILLED: list[tuple[str, list[str], str, list[Delta]]] = [
    ("the same", ["a", "b"], "ab", []),
    ("more", ["a"], "abc", [TextDelta(0, "bc")]),
    ("all", [], "ab", [TextDelta(0, "ab")]),
    ("nothing", ["a"], "", []),
    ("another", ["a"], "b", [Replace(0, "b")]),
    ("less", ["ab"], "a", [Replace(0, "a")]),
]


@pytest.mark.parametrize(("came", "whole", "deltas"), [case[1:] for case in FILLED], ids=[case[0] for case in FILLED])
def test_the_whole_text_gives_out_what_never_came(came: list[str], whole: str, deltas: list[Delta]) -> None:
    block, out = text_block(*came)
    before = len(out)
    block.fill(whole, out)
    assert out[before:] == deltas
    block.fill(whole, out)
    assert out[before:] == deltas  # said again, it says nothing
    assert block.sent == (whole or "".join(came))


def test_half_a_character_waits_for_the_other() -> None:
    block, out = text_block("a\ud83d")
    assert (out[1:], block.takes) == ([TextDelta(0, "a")], None)
    block.add("\ude00b", out)
    assert (out[2:], block.takes) == ([TextDelta(0, "😀b")], TEXT)
    block.add("\ud83d", out)
    block.stop(None, out)
    assert out[3:] == [TextDelta(0, "\ufffd"), TextEnd(0)]
    assert block.sent == "a😀b\ufffd"


def test_a_call_has_its_id_and_name_at_its_start() -> None:
    out: list[Delta] = []
    block = CallBlock(0, ARGUMENTS, "c", "f", 100, out)
    block.add("{}", out)
    block.stop(None, out)
    CallBlock(1, INPUT, "d", "sh", 100, out)
    assert out == [
        ToolCallStart(0, "c", "f"),
        ToolCallDelta(0, "{}"),
        ToolCallEnd(0),
        ToolCallStart(1, "d", "sh", True),
    ]


SPELT: list[tuple[str, str, str, str, bool]] = [
    ("other spaces", ARGUMENTS, '{"a":1}', '{"a": 1}', True),
    ("another value", ARGUMENTS, '{"a":1}', '{"a": 2}', False),
    ("no JSON", ARGUMENTS, "{", '{"a": 2}', False),
    ("free text with other spaces", INPUT, "{}", "{ }", False),
]


@pytest.mark.parametrize(
    ("kind", "came", "whole", "same"), [case[1:] for case in SPELT], ids=[case[0] for case in SPELT]
)
def test_arguments_that_are_written_anew_are_the_same(kind: str, came: str, whole: str, same: bool) -> None:
    out: list[Delta] = []
    block = CallBlock(0, kind, "c", "f", 100, out)
    block.add(came, out)
    block.fill(whole, out)
    replaced: list[Any] = [delta for delta in out if isinstance(delta, Replace)]
    assert replaced == [] if same or whole.startswith(came) else [Replace(0, whole)]


def test_arguments_have_a_limit_in_bytes() -> None:
    out: list[Delta] = []
    block = CallBlock(0, ARGUMENTS, "c", "f", 4, out)
    block.add("ab", out)
    block.add("é", out)
    with pytest.raises(ProtocolError, match="max_argument_bytes"):
        block.add("c", out)
    with pytest.raises(ProtocolError, match="max_argument_bytes"):
        CallBlock(1, ARGUMENTS, "c", "f", 4, out).fill("12345", out)


def thoughts() -> tuple[ThinkingBlock, list[Delta]]:
    out: list[Delta] = []
    return ThinkingBlock(0, out), out


def test_the_parts_of_thinking_are_paragraphs() -> None:
    block, out = thoughts()
    for kind, at, piece in [
        (SUMMARY, 0, "a"),
        (SUMMARY, 0, "b"),
        (SUMMARY, 1, ""),
        (SUMMARY, 2, "c"),
        (REASONING, 0, "d"),
    ]:
        block.turn(kind, at, out)
        block.add(piece, out)
    block.stop("sig", {"id": "x"}, out)
    pieces = [delta.text for delta in out if isinstance(delta, ThinkingDelta)]
    assert pieces == ["a", "b", "\n\n", "c", "\n\n", "d"]
    assert block.texts() == ["ab", "c", "d"]
    assert (out[0], out[-1]) == (ThinkingStart(0), ThinkingEnd(0, signature="sig", extra={"id": "x"}))


def test_only_a_part_that_has_begun_takes_pieces_without_a_separator() -> None:
    block, out = thoughts()
    block.turn(SUMMARY, 0, out)
    assert block.takes is None
    block.add("a", out)
    assert (block.takes, block.summary) == (SUMMARY, 0)
    block.turn(SUMMARY, 1, out)
    assert (block.takes, block.summary) == (None, 1)


def test_half_a_character_at_the_end_of_a_part_stays_in_it() -> None:
    block, out = thoughts()
    block.turn(SUMMARY, 0, out)
    block.add("a\ud83d", out)
    block.turn(SUMMARY, 1, out)
    block.add("\ude00", out)
    block.stop(None, None, out)
    assert block.texts() == ["a\ufffd", "\ufffd"]


def test_a_part_is_filled_but_never_taken_back() -> None:
    block, out = thoughts()
    block.turn(SUMMARY, 0, out)
    block.add("a", out)
    block.fill_part(SUMMARY, 0, "ab", out)
    block.fill_part(SUMMARY, 0, "x", out)
    block.fill_part(SUMMARY, 1, "c", out)
    assert block.texts() == ["ab", "c"]
    assert not any(isinstance(delta, Replace) for delta in out)
