"""Blocks of an answer that was not streamed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.accumulator import Accumulator
from streamkit.deltas import Delta, MessageStart
from streamkit.limits import Limits
from streamkit.messages import Message
from streamkit.parts import (
    CitationPart,
    EmbeddedImage,
    FunctionCall,
    FunctionPart,
    ImagePart,
    RawPart,
    ServerToolPart,
    TextPart,
)
from streamkit.protocols.bedrock_converse.blocks import Blocks
from streamkit.protocols.bedrock_converse.whole import read_block


def read(*contents: dict[str, Any]) -> Message:
    blocks = Blocks(mint=lambda: "minted", limits=Limits())
    out: list[Delta] = [MessageStart()]
    for key, block in enumerate(contents):
        read_block(blocks, key, block, out)
    accumulator = Accumulator()
    for delta in out:
        accumulator.feed(delta)
    return accumulator.snapshot().message


SERVER = {"toolUse": {"toolUseId": "s", "name": "n", "input": {}, "type": "server_tool_use"}}
CASES: list[tuple[str, list[dict[str, Any]], list[Any]]] = [
    ("texts", [{"text": "a"}, {"text": "b"}], [TextPart("a"), TextPart("b")]),
    (
        "citations",
        [{"citationsContent": {"content": [{"text": "a"}], "citations": [{"title": "t"}]}}],
        [TextPart("a"), CitationPart({"title": "t"})],
    ),
    ("a server's tool", [SERVER], [ServerToolPart("call", "s", "n", SERVER)]),
    (
        "an image",
        [{"image": {"format": "png", "source": {"bytes": "YQ=="}}}],
        [ImagePart(EmbeddedImage("image/png", b"a"))],
    ),
    ("what is unknown", [{"dance": {"a": 1}}, {}], [RawPart({"dance": {"a": 1}}), RawPart({})]),
]


@pytest.mark.parametrize(("blocks", "parts"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_blocks_become_parts(blocks: list[dict[str, Any]], parts: list[Any]) -> None:
    assert read(*blocks).contents == parts


def test_thinking_has_its_signature_and_calls_their_arguments() -> None:
    message = read(
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
        {"reasoningContent": {"redactedContent": "AAEC"}},
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {"x": 1}}},
    )
    assert message.thinking == "hm"
    assert message.tool_calls == [FunctionPart("t", FunctionCall("f", {"x": 1}))]
    assert message.blocks is not None
    assert [ref.signature or ref.data for ref in message.blocks[:2]] == [
        "sig",
        {"reasoningContent": {"redactedContent": "AAEC"}},
    ]


@pytest.mark.parametrize("block", [{"text": 5}, {"citationsContent": {"content": "x"}}, {"toolUse": "x"}])
def test_a_known_block_in_a_broken_shape_is_refused(block: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(block)
