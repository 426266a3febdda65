"""Cohere's chat over real HTTP: an agent with a tool, whose plan goes back where it came from."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.agent import Agent
from streamkit.client import Client
from streamkit.deltas import ThinkingDelta
from streamkit.errors import AuthenticationError
from streamkit.testing import Answer, ReplayServer, error_reply
from streamkit.tools import tool


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def event(type: str, index: int | None = None, **message: Any) -> bytes:
    record = {"type": type, "index": index, "delta": {"message": message}}
    return f"event: {type}\ndata: {json.dumps(record)}\n\n".encode()


CALLS = b"".join(
    [
        event("message-start"),
        event("tool-plan-delta", tool_plan="I will "),
        event("tool-plan-delta", tool_plan="add."),
        event("tool-call-start", 0, tool_calls={"id": "add_1", "function": {"name": "add", "arguments": ""}}),
        event("tool-call-delta", 0, tool_calls={"function": {"arguments": '{"a":1,"b":2}'}}),
        event("tool-call-end", 0),
        b'event: message-end\ndata: {"type":"message-end","delta":{"finish_reason":"TOOL_CALL"}}\n\n',
        b"data: [DONE]\n\n",
    ]
)


async def test_an_agent_shows_the_plan_calls_the_tool_and_sends_both_back() -> None:
    async with ReplayServer([CALLS, Answer(["It is 3."])]) as server:
        agent = Agent("cohere/command-a", base_url=server.url, api_key="none", tools=[add])
        outputs = [output async for output in agent.run_stream("What is 1 + 2?")]
    shown = [output.delta.text for output in outputs if isinstance(output.delta, ThinkingDelta)]
    assert shown == ["I will ", "add."]
    assert agent.history[-1].text == "It is 3."
    first, second = server.requests
    assert first.path == "/v2/chat"
    assert first.headers["authorization"] == "Bearer none"
    assert second.json["messages"][1:] == [
        {
            "role": "assistant",
            "tool_plan": "I will add.",
            "tool_calls": [
                {"id": "add_1", "type": "function", "function": {"name": "add", "arguments": '{"a":1,"b":2}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "add_1", "content": "3"},
    ]


async def test_an_error_before_the_stream_is_a_message_alone() -> None:
    async with ReplayServer(error_reply(401, "invalid api token", protocol="cohere")) as server:
        async with Client("cohere/command-a", base_url=server.url, api_key="none") as client:
            with pytest.raises(AuthenticationError, match="invalid api token"):
                async with client.stream("hi"):
                    pass
