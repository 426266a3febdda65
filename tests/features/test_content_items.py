"""Content items, by what a provider is sent for them and what it answers."""

from __future__ import annotations

import json
from typing import Any

import httpx
import msgspec
import pytest

from streamkit import Client
from streamkit.interop.content_items import (
    ContentItem,
    LlmRequest,
    LlmResponse,
    Message,
    ToolCall,
    ToolResult,
    build_messages,
    from_request,
    to_response,
)
from streamkit.testing import Answer, Call, ReplayTransport

ITEMS: list[tuple[ContentItem, dict[str, Any]]] = [
    (Message("user", "Hi"), {"type": "message", "role": "user", "content": "Hi"}),
    (Message("assistant", "Hi"), {"type": "message", "role": "assistant", "content": "Hi"}),
    (
        ToolCall("c1", "add", {"a": 1, "b": [2, None]}),
        {"type": "tool_call", "tool_call_id": "c1", "name": "add", "arguments": {"a": 1, "b": [2, None]}},
    ),
    (ToolResult("c1", ["3"]), {"type": "tool_result", "tool_call_id": "c1", "content": ["3"]}),
]


@pytest.mark.feature("1.1", "1.2", "1.3", "1.4")
@pytest.mark.parametrize(("item", "fields"), ITEMS, ids=[f"{case[1]['type']} {at}" for at, case in enumerate(ITEMS)])
def test_an_item_is_known_by_its_tag_and_has_its_fields(item: ContentItem, fields: dict[str, Any]) -> None:
    plain = msgspec.to_builtins(item)
    assert {name: plain[name] for name in fields} == fields
    assert msgspec.convert(fields, ContentItem) == item
    assert LlmRequest(contents=[item]).contents == LlmResponse(content=[item]).content


REQUEST = LlmRequest(
    ["You add.", "Be brief."],
    [
        Message("user", "What is 2 + 2, and 3 + 3?"),
        Message("assistant", "I will add."),
        ToolCall("call_1", "add", {"a": 2, "b": 2}),
        ToolCall("call_2", "add", {"a": 3, "b": 3}),
        ToolResult("call_1", ["4", "not read"]),
        ToolResult("call_2", []),
        ToolCall("call_3", "add", {}),
        ToolResult("call_3", [{"error": True}]),
        Message("assistant", "4 and 6."),
    ],
)
# Worked out by hand from what the listing does, and written as `json.dumps` writes it.
LISTED = (
    '[{"role": "system", "content": "You add."}, {"role": "system", "content": "Be brief."}, '
    '{"role": "user", "content": "What is 2 + 2, and 3 + 3?"}, '
    '{"role": "assistant", "content": "I will add.", "tool_calls": ['
    '{"id": "call_1", "type": "function", "function": {"name": "add", "arguments": "{\\"a\\": 2, \\"b\\": 2}"}}, '
    '{"id": "call_2", "type": "function", "function": {"name": "add", "arguments": "{\\"a\\": 3, \\"b\\": 3}"}}]}, '
    '{"role": "tool", "tool_call_id": "call_1", "content": "4"}, '
    '{"role": "tool", "tool_call_id": "call_2", "content": ""}, '
    '{"role": "assistant", "content": null, "tool_calls": ['
    '{"id": "call_3", "type": "function", "function": {"name": "add", "arguments": "{}"}}]}, '
    '{"role": "tool", "tool_call_id": "call_3", "content": "{\'error\': True}"}, '
    '{"role": "assistant", "content": "4 and 6."}]'
)


@pytest.mark.feature("1.9", "1.10", "1.11", "1.12", "1.13", "1.14")
def test_the_dicts_of_a_conversation_are_those_of_the_listing_to_the_byte() -> None:
    assert json.dumps(build_messages(REQUEST)) == LISTED


async def ask(request: LlmRequest, answer: Answer) -> tuple[list[dict[str, Any]], LlmResponse]:
    """What the provider was sent, and what it answered."""
    transport = ReplayTransport([answer])
    http = httpx.AsyncClient(transport=transport)
    client = Client("openai/m", api_key="key", http_client=http)
    response = to_response(await client.send(from_request(request)))
    return transport.requests[0].json["messages"], response


@pytest.mark.feature("1.5", "1.6")
async def test_a_provider_is_sent_the_items_in_their_order() -> None:
    sent, _ = await ask(REQUEST, Answer(["Ok."]))
    assert [message["content"] for message in sent[:3]] == ["You add.", "Be brief.", "What is 2 + 2, and 3 + 3?"]
    for message, made in zip(sent, build_messages(REQUEST), strict=True):
        assert message["role"].replace("developer", "system") == made["role"]
        assert [call["id"] for call in message.get("tool_calls", [])] == [c["id"] for c in made.get("tool_calls", [])]
        assert message.get("tool_call_id") == made.get("tool_call_id")


@pytest.mark.feature("1.7", "1.8")
async def test_an_answer_is_a_message_and_calls_that_results_follow() -> None:
    answer = Answer(["I add.", Call("add", {"a": 2, "b": 2}), Call("add", {"a": 3})])
    _, response = await ask(LlmRequest(contents=[Message("user", "What is 2 + 2?")]), answer)
    said, first, second = response.content
    assert said == Message("assistant", "I add.")
    assert isinstance(first, ToolCall) and isinstance(second, ToolCall)
    results = [ToolResult(call.tool_call_id, ["4"], call.name) for call in (first, second)]
    sent, last = await ask(
        LlmRequest(contents=[Message("user", "What is 2 + 2?"), *response.content, *results]), Answer(["4"])
    )
    assert [call["id"] for call in sent[1]["tool_calls"]] == [message["tool_call_id"] for message in sent[2:]]
    assert last.content == [Message("assistant", "4")]
