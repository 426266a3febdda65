"""Bedrock over real HTTP: where a request goes and what it carries, an agent with a tool, errors of both kinds."""

from __future__ import annotations

import json

import pytest

from streamkit.agent import Agent
from streamkit.client import Client
from streamkit.endpoint import Endpoint
from streamkit.errors import (
    ConfigError,
    ContextOverflow,
    Overloaded,
    PermissionDenied,
    RateLimited,
    ServerError,
    StreamkitError,
    TruncatedStream,
)
from streamkit.messages import Message
from streamkit.protocols import Request
from streamkit.providers import get_provider
from streamkit.testing import Answer, Call, ReplayServer, Reply, Thinking, render, render_error
from streamkit.testing.mutations import split_frames
from streamkit.tools import tool

KEY = "key-0123456789"
MODEL = "bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0"
HOST = "https://bedrock-runtime.eu-central-1.amazonaws.com"
PATH = "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream"


def test_the_address_is_of_a_region_and_the_key_a_bearer_token(monkeypatch: pytest.MonkeyPatch) -> None:
    row = get_provider("bedrock")
    encoded = row.get_protocol().encode(Request(model=MODEL.partition("/")[2], messages=[Message("user", "hi")]))
    for name in ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigError, match="bedrock needs AWS_REGION or AWS_DEFAULT_REGION for its address"):
        Endpoint(row, api_key=KEY)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    assert Endpoint(row, api_key=KEY).url(encoded) == HOST + PATH
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", HOST)
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", KEY)
    endpoint = Endpoint(row)
    assert endpoint.url(encoded) == HOST + PATH
    headers = endpoint.headers(encoded)
    assert headers["authorization"] == f"Bearer {KEY}".encode()
    assert headers["accept"] == b"application/vnd.amazon.eventstream"
    assert not any(name.startswith("x-amz") for name in headers)


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def test_an_agent_calls_a_tool_and_sends_signatures_back() -> None:
    script = [Answer([Thinking("Hm.", "c2ln"), Call("add", {"a": 1, "b": 2}, "call_7")]), Answer(["It is 3."])]
    async with ReplayServer(script, turn="history") as server:
        agent = Agent(MODEL, api_key=KEY, base_url=server.url, tools=[add])
        outputs = [output async for output in agent.run("What is 1 + 2?")]
    assert outputs[-1].message.text == "It is 3."
    first, second = server.requests
    assert first.path == second.path == PATH
    assert first.json["toolConfig"]["tools"][0]["toolSpec"]["name"] == "add"
    assert second.json["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}},
                {"toolUse": {"toolUseId": "call_7", "name": "add", "input": {"a": 1, "b": 2}}},
            ],
        },
        {"role": "user", "content": [{"toolResult": {"toolUseId": "call_7", "content": [{"text": "3"}]}}]},
    ]


async def test_messages_arrive_one_by_one_and_the_request_id_is_the_headers() -> None:
    headers = {"content-type": "application/vnd.amazon.eventstream", "x-amzn-requestid": "r-1"}
    frames = split_frames(render(Answer(["Hello there"]), "bedrock-converse"), "aws-eventstream")
    async with ReplayServer(Reply(body=frames, headers=headers, pace_s=0.001)) as server:
        async with Client(MODEL, api_key=KEY, base_url=server.url) as client, client.stream("hi") as stream:
            deltas = [delta async for delta in stream]
    assert stream.output.message.text == "Hello there"
    assert stream.request_id == "r-1"
    assert len(deltas) > 4


# name, status, type in the header, body, kind, whether it may be sent again
BEFORE: list[tuple[str, int, str, bytes, type[StreamkitError], bool]] = [
    ("throttled", 429, "ThrottlingException:http://x.example/", b'{"message":"slow"}', RateLimited, True),
    (
        "too long",
        400,
        "ValidationException",
        b'{"message":"Input is too long for requested model."}',
        ContextOverflow,
        False,
    ),
    ("no access", 403, "AccessDeniedException", b'{"Message":"no"}', PermissionDenied, False),
    ("not ready", 429, "ModelNotReadyException", b'{"message":"wait"}', Overloaded, True),
    (
        "a model that failed",
        424,
        "ModelErrorException",
        b'{"message":"m","originalStatusCode":400}',
        ServerError,
        False,
    ),
]


@pytest.mark.parametrize(
    ("status", "type_", "body", "kind", "again"), [case[1:] for case in BEFORE], ids=[case[0] for case in BEFORE]
)
async def test_an_error_before_the_stream_has_its_type_in_a_header(
    status: int, type_: str, body: bytes, kind: type[StreamkitError], again: bool
) -> None:
    headers = {"content-type": "application/json", "x-amzn-errortype": type_}
    reply = Reply(body=body, status=status, headers=headers)
    async with ReplayServer(reply) as server, Client(MODEL, api_key=KEY, base_url=server.url) as client:
        with pytest.raises(kind) as caught:
            async with client.stream("hi"):
                pass
    assert caught.value.retryable == again
    assert caught.value.type == type_.partition(":")[0]


SAID = b"".join(split_frames(render(Answer(["Hello"]), "bedrock-converse"), "aws-eventstream")[:-2])
BROKEN: list[tuple[str, bytes, type[StreamkitError]]] = [
    ("an exception", SAID + render_error("bedrock-converse", "slow", "throttlingException"), RateLimited),
    ("cut off between messages", SAID, TruncatedStream),
    ("cut off inside a message", SAID[:-5], TruncatedStream),
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
    assert json.loads(server.requests[0].body)["messages"] == [{"role": "user", "content": [{"text": "hi"}]}]
