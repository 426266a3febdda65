"""Interactions over real HTTP: an agent with a tool, going on after a broken connection, errors of both kinds."""

from __future__ import annotations

import pytest

from streamkit.agent import Agent
from streamkit.client import Client
from streamkit.errors import QuotaExceeded, ServerError, StreamkitError, TransportError, TruncatedStream
from streamkit.messages import FinishReason
from streamkit.parts import ServerToolPart
from streamkit.testing import Answer, Call, ReplayServer, Reply, Thinking, error_reply, render, render_error
from streamkit.testing.mutations import split_frames
from streamkit.tools import tool

KEY = "key-0123456789"
MODEL = "gemini-interactions/gemini-3-flash-preview"
DIALECT = "gemini-interactions"


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def test_an_agent_sends_back_the_steps_of_the_model_with_the_results() -> None:
    script = [Answer([Thinking("Sum.", "c2ln"), "Let me see. ", Call("add", {"a": 1, "b": 2})]), Answer(["3"])]
    async with ReplayServer(script, turn="history") as server:
        agent = Agent(MODEL, instruction="Be brief.", tools=[add], api_key=KEY, base_url=server.url)
        outputs = [output async for output in agent.run("What is 1 + 2?")]
    assert [output.finish_reason for output in outputs if output.finish_reason is not None] == [
        FinishReason("tool_call", "requires_action"),
        FinishReason("stop"),
        FinishReason("stop", "completed"),
    ]
    first, second = server.requests
    assert (first.method, first.path) == ("POST", "/v1beta/interactions")
    assert (first.headers["x-goog-api-key"], first.headers["api-revision"]) == (KEY, "2026-05-20")
    assert first.json["system_instruction"] == "Be brief."
    assert second.json["input"][1:] == [
        {"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": "Sum."}]},
        {"type": "model_output", "content": [{"type": "text", "text": "Let me see. "}]},
        {"type": "function_call", "id": "call_0", "name": "add", "arguments": {"a": 1, "b": 2}},
        {"type": "function_result", "call_id": "call_0", "result": "3", "name": "add"},
    ]


async def test_an_answer_that_is_stored_is_gone_on_with_where_the_connection_broke() -> None:
    frames = split_frames(render(Answer(["It is cold."]), DIALECT))
    replies = [Reply(body=b"".join(frames[:5]), ends="drops"), b"".join(frames[5:]), b"".join(frames)]
    async with ReplayServer(replies) as server, Client(MODEL, api_key=KEY, base_url=server.url) as client:
        stream = client.stream("How warm is it?", store=True)
        with pytest.raises((TransportError, TruncatedStream)):
            async with stream:
                async for _ in stream:
                    pass
        async with stream.resume() as rest:
            async for _ in rest:
                pass
        async with client.resume("resp_1") as again:
            async for _ in again:
                pass
    assert rest.output.message.text == again.output.message.text == "It is cold."
    assert [(request.method, request.path) for request in server.requests[1:]] == [
        ("GET", "/v1beta/interactions/resp_1?stream=true&last_event_id=event_4"),
        ("GET", "/v1beta/interactions/resp_1?stream=true"),
    ]


async def test_what_google_ran_goes_back_with_the_answer() -> None:
    call = b'{"type":"google_search_call","id":"s1","signature":"c2ln","arguments":{"queries":["rain"]}}'
    frames = split_frames(render(Answer(["It rains."]), DIALECT))
    start = b'event: step.start\ndata: {"index":9,"step":' + call + b',"event_type":"step.start"}\n\n'
    body = b"".join([*frames[:2], start, *frames[2:]])
    async with ReplayServer(body) as server, Client(MODEL, api_key=KEY, base_url=server.url) as client:
        output = await client.send("Does it rain?", tools=[{"type": "google_search"}])
        await client.send([output.message, {"role": "user", "contents": ["Sure?"]}])
    assert any(isinstance(part, ServerToolPart) for part in output.message.contents)
    assert [step["type"] for step in server.requests[1].json["input"]] == [
        *("model_output", "google_search_call", "user_input")
    ]


SAID = b"".join(split_frames(render(Answer(["Hello"]), DIALECT))[:-2])
BROKEN: list[tuple[str, bytes, type[StreamkitError]]] = [
    ("an error", SAID + render_error(DIALECT, "late", "gateway_timeout"), ServerError),
    ("cut off", SAID, TruncatedStream),
]


@pytest.mark.parametrize(("body", "kind"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
async def test_a_stream_that_breaks_keeps_what_was_shown(body: bytes, kind: type[StreamkitError]) -> None:
    async with ReplayServer(body) as server, Client(MODEL, api_key=KEY, base_url=server.url) as client:
        with pytest.raises(kind) as caught:
            async with client.stream("hi") as stream:
                async for _ in stream:
                    pass
    assert caught.value.partial is not None
    assert caught.value.partial.message.text == "Hello"


async def test_an_error_before_the_stream_is_raised() -> None:
    reply = error_reply(429, "You exceeded your daily quota.", "quota_exceeded", protocol=DIALECT)
    async with ReplayServer(reply) as server, Client(MODEL, api_key=KEY, base_url=server.url) as client:
        with pytest.raises(QuotaExceeded) as caught:
            await client.send("hi")
    assert (caught.value.status, caught.value.code, caught.value.retryable) == (429, "quota_exceeded", False)
