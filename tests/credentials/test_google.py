"""Tokens of Google Cloud, with real credentials of a service account, for which a server nearby gives tokens."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from streamkit.client import Client
from streamkit.errors import AuthenticationError, ConfigError, TransportError
from streamkit.providers import Provider
from streamkit.testing import Answer, Received, ReplayServer, Reply
from streamkit.testing.replies import ReplyLike
from tests.exposure import shown

pytest.importorskip("google.auth", reason="the extra `vertex` is not installed")
pytest.importorskip("requests", reason="the extra `vertex` is not installed")

JSON = {"content-type": "application/json"}
ROW = Provider(name="acme", protocol="openai-chat", auth="google")


pytestmark = pytest.mark.usefixtures("no_google_account")


class Google:
    """Gives another token each time; and answers what the token lets in."""

    def __init__(self, *replies: ReplyLike, expires_in: int = 3600) -> None:
        self.replies = list(replies)
        self.expires_in = expires_in
        self.given = 0

    def __call__(self, request: Received) -> ReplyLike:
        if request.path != "/token":
            return Answer(["Hi"])
        if self.replies:
            return self.replies.pop(0)
        self.given += 1
        body = {"access_token": f"ya29.token-{self.given}", "expires_in": self.expires_in, "token_type": "Bearer"}
        return Reply(body=json.dumps(body).encode(), headers=JSON)


def client_at(server: ReplayServer) -> Client:
    return Client("gemini-2.5-flash", provider=ROW, base_url=server.url, retry=0)


async def test_credentials_give_a_token_that_is_kept(google_account: Callable[[str], None]) -> None:
    async with ReplayServer(Google()) as server, client_at(server) as client:
        google_account(server.url)  # it is looked for with the first request
        await client.send("Hello")
        await client.send("Hello")
    exchange, *rest = server.requests
    asked = parse_qs(exchange.body.decode())
    assert asked["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
    claims = asked["assertion"][0].split(".")[1]
    assert json.loads(b64decode(claims + "==", "-_"))["scope"] == "https://www.googleapis.com/auth/cloud-platform"
    assert [request.headers["authorization"] for request in rest] == ["Bearer ya29.token-1"] * 2
    assert "x-goog-user-project" not in rest[0].headers


async def test_a_token_is_renewed_before_it_expires(google_account: Callable[[str], None]) -> None:
    async with ReplayServer(Google(expires_in=60)) as server, client_at(server) as client:
        google_account(server.url)
        await client.send("Hello")
        await client.send("Hello")
    sent = [request.headers.get("authorization") for request in server.requests if request.path != "/token"]
    assert sent == ["Bearer ya29.token-1", "Bearer ya29.token-2"]


async def test_the_project_that_pays_is_named_where_the_credentials_name_one(
    google_account: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_QUOTA_PROJECT", "payer")
    async with ReplayServer(Google()) as server, client_at(server) as client:
        google_account(server.url)
        await client.send("Hello")
    assert server.requests[-1].headers["x-goog-user-project"] == "payer"


@pytest.mark.parametrize("api_key", ["mine", lambda: "mine"], ids=["token", "function"])
async def test_a_token_of_the_callers_needs_no_credentials(api_key: Any) -> None:
    async with ReplayServer(Google()) as server:
        async with Client("m", provider=ROW, base_url=server.url, api_key=api_key) as client:
            await client.send("Hello")
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer mine"]


async def test_no_credentials_at_all_are_a_config_error_that_says_how_to_have_some() -> None:
    async with ReplayServer(Google()) as server, client_at(server) as client:
        with pytest.raises(ConfigError, match="neither a token nor Google credentials for acme: run `gcloud auth"):
            await client.send("Hello")
    assert server.requests == []


async def test_a_file_that_is_not_there_is_a_config_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "nowhere.json"))
    async with ReplayServer(Google()) as server, client_at(server) as client:
        with pytest.raises(ConfigError, match=r"nowhere\.json was not found"):
            await client.send("Hello")


async def test_an_account_that_is_refused_is_an_authentication_error(
    google_account: Callable[[str], None], private_key: str
) -> None:
    refused = Reply(status=400, body=b'{"error":"invalid_grant","error_description":"Invalid JWT"}', headers=JSON)
    async with ReplayServer(Google(refused)) as server, client_at(server) as client:
        google_account(server.url)
        with pytest.raises(AuthenticationError, match="Google gives no token for acme: invalid_grant") as caught:
            await client.send("Hello")
        assert private_key[30:90] not in shown(caught.value)
        assert (await client.send("Hello")).message.text == "Hi"


async def test_a_token_endpoint_that_is_not_there_is_a_transport_error(google_account: Callable[[str], None]) -> None:
    google_account("http://127.0.0.1:1")
    async with ReplayServer(Google()) as server, client_at(server) as client:
        with pytest.raises(TransportError, match="no token for acme could be fetched"):
            await client.send("Hello")


def test_without_google_auth_the_extra_is_named_but_a_token_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamkit.credentials.google.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"streamkit\[vertex\]' elsewhere; or in code pass api_key="):
        Client("m", provider=ROW, base_url="https://acme.example")
    Client("m", provider=ROW, base_url="https://acme.example", api_key="mine")


async def test_neither_token_nor_key_is_shown(
    google_account: Callable[[str], None], private_key: str, caplog: pytest.LogCaptureFixture
) -> None:
    def serve(request: Received) -> ReplyLike:
        if request.path == "/token":
            return Google()(request)
        return Reply(status=401, body=b'{"error":{"message":"bad ya29.token-1"}}')

    async with ReplayServer(serve) as server, client_at(server) as client:
        google_account(server.url)
        with caplog.at_level("DEBUG"), pytest.raises(AuthenticationError) as caught:
            await client.send("Hello")
        text = f"{client!r} {vars(client)} {vars(client._authorize)} {caplog.text}"
    for secret in ("ya29.token-1", private_key[30:90]):
        assert secret not in text
        assert secret not in shown(caught.value)
