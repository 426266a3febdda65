"""The blocks of an answer while they are open."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.deltas import Delta, TextDelta, TextEnd, TextStart, ThinkingDelta, ToolCallDelta, ToolCallEnd
from streamkit.errors import ProtocolError
from streamkit.limits import Limits
from streamkit.protocols.bedrock_converse.blocks import Blocks


def new() -> Blocks:
    return Blocks(mint=lambda: "minted", limits=Limits())


def test_a_second_start_of_a_number_closes_the_first() -> None:
    blocks, out = new(), list[Delta]()
    for name in ("f", "g"):
        assert blocks.start(0, {"toolUse": {"toolUseId": name, "name": name}}, out)
        blocks.delta(0, {"toolUse": {"input": "{}"}}, out)
    blocks.stop_all(out)
    assert out.count(ToolCallEnd(0)) == out.count(ToolCallEnd(1)) == 1
    assert out.index(ToolCallEnd(0)) < out.index(ToolCallDelta(1, "{}"))
    assert blocks.has_calls is True


def test_pieces_of_calls_may_take_turns() -> None:
    blocks, out = new(), list[Delta]()
    for key in (0, 1):
        blocks.start(key, {"toolUse": {"toolUseId": str(key), "name": "f"}}, out)
    for piece in ("{", "}"):
        for key in (0, 1):
            blocks.delta(key, {"toolUse": {"input": piece}}, out)
    blocks.stop(1, out)
    blocks.stop(0, out)
    assert out[2:] == [*(ToolCallDelta(key, piece) for piece in "{}" for key in (0, 1)), ToolCallEnd(1), ToolCallEnd(0)]


def test_text_of_one_number_and_thinking_of_the_same_are_two_blocks() -> None:
    blocks, out = new(), list[Delta]()
    blocks.delta(0, {"text": "a"}, out)
    blocks.delta(0, {"reasoningContent": {"text": "b"}}, out)
    assert out[:3] == [TextStart(0), TextDelta(0, "a"), TextEnd(0)]
    assert out[-1] == ThinkingDelta(1, "b")
    assert not blocks.is_redacted


def test_a_stop_of_what_is_not_open_says_nothing() -> None:
    blocks, out = new(), list[Delta]()
    blocks.delta(0, {"text": "a"}, out)
    blocks.stop(3, out)
    assert out == [TextStart(0), TextDelta(0, "a")]


def test_half_a_character_is_given_out_where_the_stream_breaks() -> None:
    blocks, out = new(), list[Delta]()
    blocks.delta(0, {"text": "a\ud83d"}, out)
    blocks.release(out)
    assert out == [TextStart(0), TextDelta(0, "a"), TextDelta(0, "\ufffd")]


def test_unknown_kinds_are_told() -> None:
    blocks, out = new(), list[Delta]()
    assert blocks.start(0, {}, out)
    assert not blocks.start(0, {"dance": {}}, out)
    assert not blocks.delta(0, {"dance": {}}, out)
    assert not blocks.delta(0, {"reasoningContent": {"dance": 1}}, out)
    assert out == []


BROKEN: list[tuple[str, dict[str, Any], type[Exception]]] = [
    ("text that is a list", {"text": []}, msgspec.ValidationError),
    ("a signature that is a number", {"reasoningContent": {"signature": 1}}, msgspec.ValidationError),
    ("arguments that nothing began", {"toolUse": {"input": "{"}}, ProtocolError),
    ("an image for a call of the provider's", {"image": {"source": {}}}, msgspec.ValidationError),
]


@pytest.mark.parametrize(("delta", "error"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_delta_is_refused(delta: dict[str, Any], error: type[Exception]) -> None:
    blocks = new()
    blocks.start(0, {"toolUse": {"toolUseId": "a", "name": "s", "type": "server_tool_use"}}, [])
    with pytest.raises(error):
        blocks.delta(0 if "image" in delta else 1, delta, [])


def test_redacted_pieces_that_are_no_base64_are_refused_only_where_they_must_be_joined() -> None:
    blocks, out = new(), list[Delta]()
    blocks.delta(0, {"reasoningContent": {"redactedContent": "?"}}, out)
    assert blocks.is_redacted
    blocks.stop(0, out)
    assert out[-1].extra == {"opaque": {"reasoningContent": {"redactedContent": "?"}}}
    for _ in range(2):
        blocks.delta(1, {"reasoningContent": {"redactedContent": "?"}}, out)
    with pytest.raises(ProtocolError, match="base64"):
        blocks.stop(1, out)
