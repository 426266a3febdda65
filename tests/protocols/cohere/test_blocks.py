"""The blocks of a Cohere answer: a map for each family of numbers."""

from __future__ import annotations

import pytest

from streamkit.deltas import (
    BlockAdded,
    CitationAdded,
    Delta,
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
from streamkit.parts import CitationPart, RawPart
from streamkit.protocols.cohere.blocks import Blocks
from streamkit.testing.outcome import numbered_ids


def new(plan_as_thinking: bool = False, **limits: int) -> Blocks:
    return Blocks(plan_as_thinking=plan_as_thinking, mint=numbered_ids(), limits=Limits(**limits))


def test_a_number_that_comes_again_is_another_block() -> None:
    blocks, out = new(), list[Delta]()
    blocks.start(0, "text", out)
    blocks.write(0, "text", "a", out)
    blocks.stop(0, out)
    blocks.write(0, "text", "b", out)
    blocks.close(out)
    assert out == [
        *(TextStart(0), TextDelta(0, "a"), TextEnd(0)),
        *(TextStart(1), TextDelta(1, "b"), TextEnd(1)),
    ]


def test_a_call_that_begins_again_is_another_call() -> None:
    blocks, out = new(), list[Delta]()
    for id in ("c1", "c2"):
        blocks.start_call(0, {"id": id, "function": {"name": "f", "arguments": {"a": 1}}}, out)
    blocks.stop_call(0, out)
    blocks.stop_call(0, out)
    assert out == [
        *(ToolCallStart(0, "c1", "f"), ToolCallDelta(0, '{"a":1}'), ToolCallEnd(0)),
        *(ToolCallStart(1, "c2", "f"), ToolCallDelta(1, '{"a":1}'), ToolCallEnd(1)),
    ]
    assert blocks.any_calls


def test_arguments_have_a_limit_and_need_a_call() -> None:
    blocks, out = new(max_argument_bytes=3), list[Delta]()
    blocks.start_call(0, {"id": "c1", "function": {"name": "f"}}, out)
    blocks.write_call(0, "{", out)
    with pytest.raises(ProtocolError, match="max_argument_bytes"):
        blocks.write_call(0, "   ", out)
    with pytest.raises(ProtocolError, match="has not begun, number 1"):
        blocks.write_call(1, "{", out)


def test_text_ends_a_plan_of_either_kind() -> None:
    for as_thinking, planned in (
        (False, [BlockAdded(0, RawPart({"type": "tool_plan", "tool_plan": "ab"}))]),
        (
            True,
            [
                *(ThinkingStart(0), ThinkingDelta(0, "a"), ThinkingDelta(0, "b")),
                ThinkingEnd(0, extra={"tool_plan": True}),
            ],
        ),
    ):
        blocks, out = new(as_thinking), list[Delta]()
        blocks.plan("", out)
        blocks.plan("a", out)
        blocks.plan("b", out)
        blocks.write(0, "text", "c", out)
        assert out == [*planned, TextStart(1), TextDelta(1, "c")]


def test_a_citation_without_a_place_is_of_the_last_text() -> None:
    blocks, out = new(), list[Delta]()
    blocks.cite({"text": "x"}, out)
    blocks.write(0, "text", "a", out)
    blocks.write(1, "thinking", "b", out)
    blocks.cite({"text": "a\ud83d"}, out)
    blocks.cite({"type": "PLAN"}, out)
    blocks.cite({"content_index": 1}, out)
    assert out[0] == BlockAdded(0, CitationPart({"text": "x"}))
    assert out[-4:] == [
        CitationAdded(1, {"text": "a\ufffd"}),
        ThinkingEnd(2),
        BlockAdded(3, CitationPart({"type": "PLAN"})),
        BlockAdded(4, CitationPart({"content_index": 1})),
    ]


def test_what_is_held_back_is_given_out_where_the_stream_breaks_off() -> None:
    blocks, out = new(), list[Delta]()
    blocks.plan("a\ud83d", out)
    assert out == []
    blocks.release(out)
    assert out == [BlockAdded(0, RawPart({"type": "tool_plan", "tool_plan": "a\ufffd"}))]
