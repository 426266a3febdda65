"""Ollama's own API over real HTTP: an agent with a tool, and errors before and inside the stream."""

from __future__ import annotations

import pytest

from streamkit.agent import Agent
from streamkit.client import Client
from streamkit.errors import InvalidRequest, ServerError, StreamkitError, TruncatedStream
from streamkit.testing import Answer, Call, ReplayServer, Reply, Thinking, error_reply, render, render_error
from streamkit.tools import tool


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def test_an_agent_calls_a_tool_and_goes_on() -> None:
    script = [Answer([Thinking("Hm."), Call("add", {"a": 1, "b": 2}, "call_7")]), Answer(["It is 3."])]
    async with ReplayServer(script) as server:
        agent = Agent("ollama-chat/qwen3", base_url=server.url, tools=[add])
        outputs = [output async for output in agent.run("What is 1 + 2?")]
    assert outputs[-1].message.text == "It is 3."
    first, second = server.requests
    assert first.path == "/api/chat"
    assert first.headers["accept"] == "*/*"
    assert first.json["tools"][0]["function"]["name"] == "add"
    assert second.json["messages"][1:] == [
        {
            "role": "assistant",
            "content": "",
            "thinking": "Hm.",
            "tool_calls": [{"id": "call_7", "function": {"name": "add", "arguments": {"a": 1, "b": 2}}}],
        },
        {"role": "tool", "content": "3", "tool_name": "add", "tool_call_id": "call_7"},
    ]


async def test_an_error_before_the_stream_is_a_text() -> None:
    async with ReplayServer(error_reply(400, '"m" does not support tools', protocol="ollama")) as server:
        async with Client("ollama-chat/m", base_url=server.url) as client:
            with pytest.raises(InvalidRequest, match="does not support tools"):
                async with client.stream("hi"):
                    pass


SAID = b"".join(render(Answer(["Hello"]), "ollama").splitlines(keepends=True)[:-1])
BROKEN: list[tuple[str, bytes, type[StreamkitError]]] = [
    ("an error", SAID + render_error("ollama", "out of memory"), ServerError),
    ("cut off", SAID, TruncatedStream),
]


@pytest.mark.parametrize(("body", "kind"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
async def test_a_stream_that_breaks_keeps_what_was_shown(body: bytes, kind: type[StreamkitError]) -> None:
    reply = Reply(body=body, headers={"content-type": "application/x-ndjson"})
    async with ReplayServer(reply) as server, Client("ollama-chat/m", base_url=server.url) as client:
        with pytest.raises(kind) as caught:
            async with client.stream("hi") as stream:
                async for _ in stream:
                    pass
    assert caught.value.partial is not None
    assert caught.value.partial.message.text == "Hello"
