"""A message marked for the cache, and what each dialect makes of the mark."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.blocks import BlockRef
from streamkit.errors import ConfigError
from streamkit.marks import mark_cached
from streamkit.messages import Message, MessageLike
from streamkit.parts import EmbeddedImage, FunctionCall, FunctionPart, ImagePart
from streamkit.protocols import Request, get_protocol
from streamkit.providers import get_provider
from tests.laws.acceptance import CHECKERS, check

PNG = ImagePart(EmbeddedImage("image/png", b"\x89PNG"))
HOUR = {"type": "ephemeral", "ttl": "1h"}
TALK = [
    mark_cached({"role": "system", "contents": [{"type": "text", "text": "Long rules."}]}, "1h"),
    mark_cached(Message("user", ["a", PNG])),
    Message("assistant", [], tool_calls=[FunctionPart("c", FunctionCall("f"))]),
    mark_cached(Message("tool", ["r"], id="c")),
    mark_cached("Well?"),
]


def body_of(provider: str) -> dict[str, Any]:
    row = get_provider(provider)
    request = Request(model="m", messages=TALK, provider=provider)
    body = row.get_protocol().encode(request, row.quirks).body
    check(body, row.protocol, row.quirks)
    return body


def test_anthropic_gets_the_mark_on_the_last_block() -> None:
    body = body_of("anthropic")
    plain = {"type": "ephemeral"}
    assert body["system"] == [{"type": "text", "text": "Long rules.", "cache_control": HOUR}]
    user, _, results = body["messages"]
    assert [block.get("cache_control") for block in user["content"]] == [None, plain]
    assert [(block["type"], block.get("cache_control")) for block in results["content"]] == [
        ("tool_result", plain),
        ("text", plain),
    ]


def test_bedrock_gets_a_point_behind_it() -> None:
    body = body_of("bedrock")
    point = {"cachePoint": {"type": "default"}}
    assert body["system"] == [{"text": "Long rules."}, {"cachePoint": {"type": "default", "ttl": "1h"}}]
    user, _, results = body["messages"]
    assert user["content"][2:] == [point]
    assert [next(iter(block)) for block in results["content"]] == ["toolResult", "cachePoint", "text", "cachePoint"]


def test_openrouter_gets_it_on_the_part() -> None:
    body = body_of("openrouter")
    assert body["messages"][0]["content"] == [{"type": "text", "text": "Long rules.", "cache_control": HOUR}]


@pytest.mark.parametrize("protocol", sorted(CHECKERS.keys() - {"anthropic", "bedrock-converse"}))
def test_others_are_not_told(protocol: str) -> None:
    body = get_protocol(protocol).encode(Request(model="m", messages=TALK)).body
    check(body, protocol)
    assert b"cache" not in msgspec.json.encode(body)


def test_the_message_stays_as_it_was_and_keeps_what_else_its_blocks_have() -> None:
    message = Message("user", ["a", "b"], blocks=[BlockRef("contents", 0), BlockRef("contents", 1, extra={"x": 1})])
    marked = mark_cached(message)
    assert [block.extra for block in marked.iter_blocks()] == [None, {"x": 1, "cache_control": {"type": "ephemeral"}}]
    assert message.blocks == [BlockRef("contents", 0), BlockRef("contents", 1, extra={"x": 1})]


@pytest.mark.parametrize("message", [Message("assistant", "a"), Message("user", [])], ids=["an answer", "nothing"])
def test_what_cannot_be_marked_is_refused(message: MessageLike) -> None:
    with pytest.raises(ConfigError, match="a mark for the cache"):
        mark_cached(message)
