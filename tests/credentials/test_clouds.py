"""Each door of the clouds over real HTTP: where an agent's requests go, what lets them in, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs

from streamkit.accumulator import accumulate
from streamkit.agent import Agent
from streamkit.client import Client
from streamkit.endpoint import Endpoint
from streamkit.errors import (
    APIError,
    ContextOverflow,
    PermissionDenied,
    ProtocolError,
    RateLimited,
    ServerError,
    StreamkitError,
    TruncatedStream,
)
from streamkit.protocols import EncodedRequest
from streamkit.providers import get_provider
from streamkit.testing import Answer, Call, Received, ReplayServer, Reply, Thinking, render, render_error
from streamkit.testing.bedrock_anthropic_body import wrap
from streamkit.testing.event_stream import event_message, split_messages
from streamkit.testing.replies import ReplyLike
from streamkit.tools import tool
from tests.credentials.conftest import ID

JSON = {"content-type": "application/json"}
CLAUDE = "us.anthropic.claude-haiku-4-5-20251001-v1:0"


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


class Cloud:
    """Gives tokens, and answers what they let in: with a call of the tool, then with its result."""

    def __init__(self) -> None:
        self.script = [Answer([Thinking("Hm.", "c2ln"), Call("add", {"a": 1, "b": 2}, "call_7")]), Answer(["It is 3."])]
        self.asked: list[Received] = []

    def __call__(self, request: Received) -> ReplyLike:
        if request.path in ("/token", "/identity/token"):
            return Reply(body=b'{"access_token":"cloud-token","expires_in":3600}', headers=JSON)
        self.asked.append(request)
        return self.script[len(self.asked) - 1]


VERTEX = "/projects/p-1/locations/global"
DOORS: list[tuple[str, str, str]] = [
    ("bedrock", CLAUDE, f"/model/{CLAUDE.replace(':', '%3A')}/converse-stream"),
    ("bedrock-anthropic", CLAUDE, f"/model/{CLAUDE.replace(':', '%3A')}/invoke-with-response-stream"),
    (
        "vertex",
        "gemini-2.5-flash",
        f"/v1{VERTEX}/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    ),
    (
        "vertex-anthropic",
        "claude-haiku-4-5@20251001",
        f"{VERTEX}/publishers/anthropic/models/claude-haiku-4-5@20251001:streamRawPredict",
    ),
    ("vertex-openai", "google/gemini-2.5-flash", "/chat/completions"),
    ("watsonx", "ibm/granite-4", "/ml/v1/text/chat_stream?version=2025-10-01"),
]
doors = pytest.mark.parametrize(("vendor", "model", "path"), DOORS, ids=[case[0] for case in DOORS])


@doors
async def test_an_agent_calls_a_tool_through_the_door(
    vendor: str,
    model: str,
    path: str,
    account: pytest.MonkeyPatch,
    google_account: Callable[[str], None],
) -> None:
    pytest.importorskip("botocore", reason="the extra `bedrock` is not installed")
    row, cloud = get_provider(vendor), Cloud()
    async with ReplayServer(cloud) as server:
        google_account(server.url)
        account.setenv("WATSONX_APIKEY", "ibm-key")
        client = Client(model, provider=structs.replace(row, token_url=server.url), base_url=server.url)
        async with client:
            agent = Agent(client=client, tools=[add])
            outputs = [output async for output in agent.run("What is 1 + 2?")]
    assert outputs[-1].message.text == "It is 3."
    assert [request.path for request in cloud.asked] == [path, path]
    for request in cloud.asked:
        if vendor.startswith("bedrock"):
            assert request.headers["authorization"].startswith(f"AWS4-HMAC-SHA256 Credential={ID}/")
        else:
            assert request.headers["authorization"] == "Bearer cloud-token"
    assert len(server.requests) - len(cloud.asked) == (0 if vendor.startswith("bedrock") else 1)


@doors
async def test_a_token_of_the_callers_goes_through_the_door_alone(
    vendor: str, model: str, path: str, account: pytest.MonkeyPatch, no_google_account: None
) -> None:
    async def token() -> str:
        return "mine"

    async with ReplayServer(Answer(["Hi"])) as server:
        async with Client(f"{vendor}/{model}", api_key=token, base_url=server.url) as client:
            assert (await client.send("Hello")).message.text == "Hi"
    [request] = server.requests
    assert request.headers["authorization"] == "Bearer mine"
    assert not [name for name in request.headers if name.startswith("x-amz-")]


# ---- addresses

LOCATIONS = [
    ("global", "aiplatform.googleapis.com"),
    ("us", "aiplatform.us.rep.googleapis.com"),
    ("eu", "aiplatform.eu.rep.googleapis.com"),
    ("europe-west4", "europe-west4-aiplatform.googleapis.com"),
]


@pytest.mark.parametrize("vendor", ["vertex", "vertex-anthropic", "vertex-openai"])
@pytest.mark.parametrize(("location", "host"), LOCATIONS)
def test_a_location_has_its_host(
    vendor: str, location: str, host: str, no_google_account: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_LOCATION", location)
    endpoint = Endpoint(get_provider(vendor))
    assert endpoint.host == host
    assert f"/v1/projects/p-1/locations/{location}/" in endpoint.url(EncodedRequest("/x", {}))


def test_the_variables_of_anthropics_sdk_come_before_googles(
    no_google_account: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_LOCATION", "europe-west4")
    monkeypatch.setenv("CLOUD_ML_REGION", "us-east5")
    monkeypatch.setenv("ANTHROPIC_VERTEX_PROJECT_ID", "p-2")
    url = Endpoint(get_provider("vertex-anthropic")).url(EncodedRequest("/models/m:streamRawPredict", {}))
    assert url == (
        "https://us-east5-aiplatform.googleapis.com/v1/projects/p-2/locations/us-east5"
        "/publishers/anthropic/models/m:streamRawPredict"
    )


# ---- Claude through the event stream of Bedrock


async def read(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> tuple[str, Any]:
    """The text and the error of an answer of Claude's at Bedrock."""
    reply = Reply(body=body, status=status, headers=headers or {"content-type": "application/vnd.amazon.eventstream"})
    async with ReplayServer(reply) as server:
        async with Client(f"bedrock-anthropic/{CLAUDE}", api_key="key-1", base_url=server.url, retry=0) as client:
            stream = client.stream("hi")
            try:
                async with stream:
                    async for _ in stream:
                        pass
            except StreamkitError as error:
                return stream.output.message.text, error
    return stream.output.message.text, None


SAID = b"".join(split_messages(render(Answer(["Hello"]), "bedrock-anthropic", piece=9))[:3])
OVERLOADED = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
THINGS: list[tuple[str, bytes, type[StreamkitError], bool]] = [
    ("throttled", render_error("bedrock-anthropic", "slow", "throttlingException"), RateLimited, True),
    ("too long", render_error("bedrock-anthropic", "Input is too long", "validationException"), ContextOverflow, False),
    ("timed out", render_error("bedrock-anthropic", "slow", "modelTimeoutException"), ServerError, True),
    ("Anthropic's own error", wrap(OVERLOADED), APIError, True),
    ("bytes that are no JSON", wrap(b"<html>\xff</html>"), ProtocolError, False),
    ("a chunk that is no base64", event_message("chunk", b'{"bytes":"***"}'), ProtocolError, False),
    ("half a message", wrap(OVERLOADED)[:-5], TruncatedStream, True),
    ("nothing more", b"", TruncatedStream, True),
]


@pytest.mark.parametrize(("more", "kind", "again"), [case[1:] for case in THINGS], ids=[case[0] for case in THINGS])
async def test_what_ends_a_stream_of_chunks_keeps_what_was_said(
    more: bytes, kind: type[StreamkitError], again: bool
) -> None:
    text, error = await read(SAID + more)
    assert text == "Hello"
    assert isinstance(error, kind)
    assert error.partial is not None
    assert error.partial.message.text == "Hello"
    if isinstance(error, APIError):
        assert error.retryable == again


async def test_an_error_before_the_stream_is_read_as_bedrocks() -> None:
    headers = {"content-type": "application/json", "x-amzn-errortype": "AccessDeniedException:http://x.example/"}
    _, error = await read(b'{"Message":"no access to the model"}', 403, headers)
    assert isinstance(error, PermissionDenied)
    assert (error.message, error.type) == ("no access to the model", "AccessDeniedException")


def test_a_recorded_body_is_read_in_the_framing_of_the_row() -> None:
    row = get_provider("bedrock-anthropic")
    wrapped, own = row.parser(), row.parser(framing="sse")
    assert accumulate(wrapped.feed(render(Answer(["Hello"]), "bedrock-anthropic"))).message.text == "Hello"
    assert accumulate(own.feed(render(Answer(["Hello"]), "anthropic"))).message.text == "Hello"
