"""Gemini over real HTTP: where a request goes and what it carries, an agent with a tool, errors of both kinds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.agent import Agent
from streamkit.client import Client
from streamkit.endpoint import Endpoint
from streamkit.errors import (
    AuthenticationError,
    ContextOverflow,
    Overloaded,
    QuotaExceeded,
    StreamkitError,
    TruncatedStream,
)
from streamkit.messages import Message
from streamkit.parts import TextPart
from streamkit.protocols import Quirks, Request
from streamkit.providers import Provider, get_provider
from streamkit.testing import Answer, Call, ReplayServer, Reply, Thinking, error_reply, render, render_error
from streamkit.testing.mutations import crlf, split_frames
from streamkit.tools import tool

KEY = "key-0123456789"
VERTEX = Provider(
    name="vertex",
    protocol="gemini",
    base_url="https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google",
    key_variable="VERTEX_TOKEN",
    quirks=Quirks(gemini_version=""),
)

ADDRESSES = [
    (
        get_provider("gemini"),
        "x-goog-api-key",
        KEY,
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    ),
    (
        VERTEX,
        "authorization",
        f"Bearer {KEY}",
        f"{VERTEX.base_url}/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    ),
]


@pytest.mark.parametrize(("row", "header", "value", "url"), ADDRESSES, ids=["gemini", "vertex"])
def test_a_request_goes_to_the_model_with_the_key_in_a_header(
    row: Provider, header: str, value: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOOGLE_GEMINI_BASE_URL", raising=False)
    endpoint = Endpoint(row, api_key=KEY)
    request = Request(model="gemini-2.5-pro", messages=[Message("user", [TextPart("hi")])])
    encoded = row.get_protocol().encode(request, row.quirks)
    assert endpoint.url(encoded) == url
    assert endpoint.headers(encoded)[header] == value.encode()


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def test_an_agent_calls_a_tool_and_sends_signatures_back() -> None:
    called = [Thinking("Hm.", "c2ln"), Call("add", {"a": 1, "b": 2}, "call_7")]
    script = [Answer(called, model="gemini-3-pro"), Answer(["It is 3."])]
    async with ReplayServer(script, turn="history") as server:
        agent = Agent("gemini/gemini-3-pro", api_key=KEY, base_url=server.url, tools=[add])
        outputs = [output async for output in agent.run("What is 1 + 2?")]
    assert outputs[-1].message.text == "It is 3."
    first, second = server.requests
    assert first.path == "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"
    assert first.headers["x-goog-api-key"] == KEY
    assert first.json["tools"][0]["functionDeclarations"][0]["name"] == "add"
    assert second.json["contents"][1:] == [
        {
            "role": "model",
            "parts": [
                {"text": "Hm.", "thought": True},
                {"text": "", "thought": True, "thoughtSignature": "c2ln"},
                {"functionCall": {"id": "call_7", "name": "add", "args": {"a": 1, "b": 2}}},
            ],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"id": "call_7", "name": "add", "response": {"output": 3}}}],
        },
    ]


async def test_a_body_with_the_line_ends_of_the_real_server_arrives_piece_by_piece() -> None:
    frames = split_frames(crlf(render(Answer(["Hello there"]), "gemini")))
    async with ReplayServer(Reply(body=frames, pace_s=0.001)) as server:
        async with Client("gemini/m", api_key=KEY, base_url=server.url) as client, client.stream("hi") as stream:
            deltas = [delta async for delta in stream]
    assert stream.output.message.text == "Hello there"
    assert len(deltas) > 4


def detailed(code: int, status: str, message: str, **detail: Any) -> bytes:
    return json.dumps([{"error": {"code": code, "message": message, "status": status, "details": [detail]}}]).encode()


# name, status, body, kind, whether it may be sent again
BEFORE: list[tuple[str, int, bytes, type[StreamkitError], bool]] = [
    ("a bad key", 400, detailed(400, "INVALID_ARGUMENT", "m", reason="API_KEY_INVALID"), AuthenticationError, False),
    (
        "too long a prompt",
        400,
        detailed(
            400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens allowed (8)."
        ),
        ContextOverflow,
        False,
    ),
    (
        "no quota left today",
        429,
        detailed(429, "RESOURCE_EXHAUSTED", "m", violations=[{"quotaId": "GenerateRequestsPerDayPerProject"}]),
        QuotaExceeded,
        False,
    ),
]


@pytest.mark.parametrize(
    ("status", "body", "kind", "again"), [case[1:] for case in BEFORE], ids=[case[0] for case in BEFORE]
)
async def test_an_error_before_the_stream_is_read_from_its_list(
    status: int, body: bytes, kind: type[StreamkitError], again: bool
) -> None:
    reply = Reply(body=body, status=status, headers={"content-type": "application/json"})
    async with ReplayServer(reply) as server, Client("gemini/m", api_key=KEY, base_url=server.url) as client:
        with pytest.raises(kind) as caught:
            async with client.stream("hi"):
                pass
    assert caught.value.retryable == again


async def test_a_scripted_error_is_worded_as_gemini_words_it() -> None:
    reply = error_reply(503, "busy", "UNAVAILABLE", protocol="gemini")
    async with ReplayServer(reply) as server, Client("gemini/m", api_key=KEY, base_url=server.url) as client:
        with pytest.raises(Overloaded, match="busy") as caught:
            async with client.stream("hi"):
                pass
    assert (caught.value.code, caught.value.type) == ("503", "UNAVAILABLE")


SAID = b"".join(split_frames(render(Answer(["Hello"]), "gemini"))[:-1])
BROKEN: list[tuple[str, bytes, type[StreamkitError]]] = [
    ("an error", SAID + render_error("gemini", "overloaded", "UNAVAILABLE"), Overloaded),
    ("cut off", SAID, TruncatedStream),
]


@pytest.mark.parametrize(("body", "kind"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
async def test_a_stream_that_breaks_keeps_what_was_shown(body: bytes, kind: type[StreamkitError]) -> None:
    async with ReplayServer(body) as server, Client("gemini/m", api_key=KEY, base_url=server.url) as client:
        with pytest.raises(kind) as caught:
            async with client.stream("hi") as stream:
                async for _ in stream:
                    pass
    assert caught.value.partial is not None
    assert caught.value.partial.message.text == "Hello"
