"""DashScope's own API over real HTTP: an agent with a tool, and errors before and inside the stream."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.agent import Agent
from streamkit.client import Client
from streamkit.errors import InvalidRequest, RateLimited, StreamkitError, TruncatedStream
from streamkit.testing import Answer, Call, ReplayServer, Reply, Thinking, error_reply, render
from streamkit.testing.mutations import split_frames
from streamkit.tools import tool

KEY: dict[str, Any] = {"api_key": "sk-test-key"}


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@pytest.mark.parametrize("turn", ["order", "history"])
async def test_an_agent_calls_a_tool_and_goes_on(turn: Any) -> None:
    script = [Answer([Thinking("Hm."), Call("add", {"a": 1, "b": 2}, "call_7")]), Answer(["It is 3."])]
    async with ReplayServer(script, turn=turn) as server:
        agent = Agent("dashscope/qwen-plus", base_url=server.url, tools=[add], **KEY)
        outputs = [output async for output in agent.run("What is 1 + 2?")]
    assert outputs[-1].message.text == "It is 3."
    first, second = server.requests
    assert first.path == "/services/aigc/text-generation/generation"
    assert first.headers["x-dashscope-sse"] == "enable"
    assert first.headers["accept"] == "text/event-stream"
    assert first.headers["authorization"] == "Bearer sk-test-key"
    assert first.json["parameters"]["incremental_output"] is True
    assert first.json["parameters"]["tools"][0]["function"]["name"] == "add"
    function = {"name": "add", "arguments": '{"a":1,"b":2}'}
    assert second.json["input"]["messages"][1:] == [
        {
            "role": "assistant",
            "content": "",
            "reasoning_content": "Hm.",
            "tool_calls": [{"index": 0, "id": "call_7", "type": "function", "function": function}],
        },
        {"role": "tool", "content": "3", "tool_call_id": "call_7"},
    ]


async def test_a_multimodal_model_is_at_another_path() -> None:
    async with ReplayServer([Answer(["Hello"])]) as server:
        async with Client("dashscope-multimodal/qwen-vl", base_url=server.url, **KEY) as client:
            async with client.stream("hi") as stream:
                async for _ in stream:
                    pass
            assert stream.output.message.text == "Hello"
    (request,) = server.requests
    assert request.path == "/services/aigc/multimodal-generation/generation"
    assert request.json["input"]["messages"] == [{"role": "user", "content": [{"text": "hi"}]}]


async def test_an_error_before_the_stream_is_classed_by_its_status_and_code() -> None:
    async with ReplayServer(error_reply(429, "Slow down.", "Throttling.RateQuota", protocol="dashscope")) as server:
        async with Client("dashscope/m", base_url=server.url, **KEY) as client:
            with pytest.raises(RateLimited, match="Slow down") as caught:
                async with client.stream("hi"):
                    pass
    assert (caught.value.status, caught.value.code) == (429, "Throttling.RateQuota")


SAID = b"".join(split_frames(render(Answer(["Hello"]), "dashscope"))[:-1])
FAILED = b'id:9\nevent:error\n:HTTP_STATUS/400\ndata:{"code":"Odd","message":"No.","request_id":"q"}\n\n'
BROKEN: list[tuple[str, bytes, type[StreamkitError]]] = [
    ("an error", SAID + FAILED, InvalidRequest),
    ("cut off", SAID, TruncatedStream),
]


@pytest.mark.parametrize(("body", "kind"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
async def test_a_stream_that_breaks_keeps_what_was_shown(body: bytes, kind: type[StreamkitError]) -> None:
    async with ReplayServer(Reply(body=body)) as server, Client("dashscope/m", base_url=server.url, **KEY) as client:
        with pytest.raises(kind) as caught:
            async with client.stream("hi") as stream:
                async for _ in stream:
                    pass
    assert caught.value.partial is not None
    assert caught.value.partial.message.text == "Hello"
