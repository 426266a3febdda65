"""Tokens of IBM Cloud: a key is exchanged over the client's own connections, kept, renewed, and shown nowhere."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import httpx
import msgspec
import pytest

from streamkit.agent import Agent
from streamkit.client import Client
from streamkit.credentials import ibm
from streamkit.errors import (
    AuthenticationError,
    ConfigError,
    ProtocolError,
    RateLimited,
    ServerError,
    StreamkitError,
    TransportError,
)
from streamkit.providers import Provider
from streamkit.testing import Answer, Received, ReplayServer, Reply
from streamkit.testing.replies import ReplyLike
from tests.exposure import shown

KEY = "ibm-key-0123456789+/="
JSON = {"content-type": "application/json"}


def granted(token: str, expires_in: float = 3600) -> Reply:
    body = {"access_token": token, "refresh_token": "not_supported", "token_type": "Bearer", "expires_in": expires_in}
    return Reply(body=msgspec.json.encode(body), headers=JSON)


def row(token_url: str) -> Provider:
    return Provider(
        name="acme", protocol="openai-chat", key_variable="ACME_API_KEY", auth="ibm-iam", token_url=token_url
    )


def client_at(server: ReplayServer, **options: Any) -> Client:
    return Client(
        "granite", provider=row(server.url), base_url=f"{server.url}/ml/v1", **{"api_key": KEY, "retry": 0, **options}
    )


class IAM:
    """Gives a token for the key, each time another; and answers what the token lets in."""

    def __init__(self, *replies: ReplyLike, expires_in: float = 3600) -> None:
        self.replies = list(replies)
        self.expires_in = expires_in
        self.given = 0

    def __call__(self, request: Received) -> ReplyLike:
        if request.path != "/identity/token":
            return Answer(["Hi"])
        if self.replies:
            return self.replies.pop(0)
        self.given += 1
        return granted(f"token-{self.given}", self.expires_in)


async def test_a_key_is_exchanged_once_for_a_token_that_is_kept() -> None:
    async with ReplayServer(IAM()) as server, client_at(server) as client:
        await client.send("Hello")
        await client.send("Hello")
    exchange, *rest = server.requests
    assert (exchange.method, exchange.path) == ("POST", "/identity/token")
    assert exchange.headers["content-type"] == "application/x-www-form-urlencoded"
    assert parse_qs(exchange.body.decode()) == {
        "grant_type": ["urn:ibm:params:oauth:grant-type:apikey"],
        "apikey": [KEY],
    }
    assert "authorization" not in exchange.headers
    assert [(request.path, request.headers["authorization"]) for request in rest] == [
        ("/ml/v1/chat/completions", "Bearer token-1"),
        ("/ml/v1/chat/completions", "Bearer token-1"),
    ]


async def test_a_token_is_renewed_before_it_expires() -> None:
    async with ReplayServer(IAM(expires_in=ibm.EARLY_S)) as server, client_at(server) as client:
        await client.send("Hello")
        await client.send("Hello")
    sent = [request.headers.get("authorization") for request in server.requests]
    assert sent == [None, "Bearer token-1", None, "Bearer token-2"]


async def test_the_runs_of_an_agent_share_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ReplayServer(IAM()) as server:
        monkeypatch.setattr("streamkit.providers._registered", {"acme": row(server.url)})
        agent = Agent("acme/granite", api_key=KEY, base_url=f"{server.url}/ml/v1")
        for _ in range(2):
            async for _ in agent.run("Hello"):
                pass
    assert [request.headers.get("authorization") for request in server.requests] == [
        None,
        "Bearer token-1",
        "Bearer token-1",
    ]
    assert KEY not in f"{vars(agent)} {vars(agent._client)}"


async def test_the_exchange_goes_by_the_http_client_of_the_callers() -> None:
    paths: list[str] = []

    async def note(request: httpx.Request) -> None:
        paths.append(request.url.path)

    async with httpx.AsyncClient(verify=False, event_hooks={"request": [note]}) as http, ReplayServer(IAM()) as server:
        await client_at(server, http_client=http).send("Hello")
    assert paths == ["/identity/token", "/ml/v1/chat/completions"]


def test_the_address_of_the_exchange_is_ibm_clouds_where_the_row_has_no_other() -> None:
    provider = row("")
    client = Client("granite", provider=provider, base_url="https://acme.example", api_key=KEY)
    assert "iam.cloud.ibm.com" in f"{vars(client._authorize)}"


def test_a_key_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACME_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="there is no key for acme: set ACME_API_KEY"):
        Client("granite", provider=row(""), base_url="https://acme.example")


async def test_a_function_gives_the_token_itself() -> None:
    async with ReplayServer(IAM()) as server, client_at(server, api_key=lambda: "mine") as client:
        await client.send("Hello")
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer mine"]


REFUSED = f'{{"errorCode":"BXNIM0415E","errorMessage":"Provided API key {KEY} could not be found."}}'
FAILURES: list[tuple[str, Reply, type[StreamkitError], str]] = [
    ("a key that is unknown", Reply(status=400, body=REFUSED.encode()), AuthenticationError, "key: Provided API key"),
    ("a key that is locked", Reply(status=403, body=REFUSED.encode()), AuthenticationError, "could not be found"),
    ("too many", Reply(status=429, headers={"retry-after": "7"}), RateLimited, "acme, HTTP 429"),
    ("a failure", Reply(status=500, body=b"oops"), ServerError, "oops"),
    ("a redirect", Reply(status=302, headers={"location": "https://evil.example"}), StreamkitError, "redirects to"),
    ("no JSON", Reply(body=f"<x>{KEY}".encode(), headers=JSON), ProtocolError, "answered without a token"),
    ("another object", Reply(body=b'{"access_token":7}', headers=JSON), ProtocolError, "answered without a token"),
    ("no token at all", granted(""), ProtocolError, "with a token that cannot be sent"),
    ("a token of two lines", granted("a\nb"), ProtocolError, "with a token that cannot be sent"),
    ("a token that no header can hold", granted("t€"), ProtocolError, "with a token that cannot be sent"),
    ("half an answer", Reply(body=b'{"access_', headers=JSON, ends="drops"), ProtocolError, "without a token"),
]


@pytest.mark.parametrize(("reply", "kind", "message"), [case[1:] for case in FAILURES], ids=[c[0] for c in FAILURES])
async def test_an_exchange_that_fails_is_the_error_of_the_request(
    reply: Reply, kind: type[StreamkitError], message: str
) -> None:
    async with ReplayServer(IAM(reply)) as server, client_at(server) as client:
        with pytest.raises(kind, match=message) as caught:
            await client.send("Hello")
        assert KEY not in shown(caught.value)
        assert [request.path for request in server.requests] == ["/identity/token"]
        assert (await client.send("Hello")).message.text == "Hi"  # the next request asks again


async def test_a_host_that_is_not_there_is_named() -> None:
    client = Client("granite", provider=row("http://127.0.0.1:1"), base_url="http://127.0.0.1:2", api_key=KEY, retry=0)
    async with client:
        with pytest.raises(TransportError, match="cannot connect to acme at 127.0.0.1:1") as caught:
            await client.send("Hello")
    assert KEY not in shown(caught.value)


async def test_neither_key_nor_token_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    def serve(request: Received) -> ReplyLike:
        if request.path == "/identity/token":
            return granted("token-0123456789")
        return Reply(status=401, body=b'{"error":{"message":"bad token-0123456789"}}')

    async with ReplayServer(serve) as server, client_at(server) as client:
        with caplog.at_level("DEBUG"), pytest.raises(AuthenticationError) as caught:
            await client.send("Hello")
        text = f"{client!r} {vars(client)} {vars(client._authorize)} {caplog.text}"
    for secret in (KEY, "token-0123456789"):
        assert secret not in text
        assert secret not in shown(caught.value)
