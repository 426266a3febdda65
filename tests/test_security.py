"""What a hostile or broken server, or a mistake in the set-up, must not achieve."""

from __future__ import annotations

import gzip
import logging
import traceback
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

import anyio
import httpx
import httpx2
import pytest

from streamkit.client import Client
from streamkit.errors import (
    APIError,
    ConfigError,
    ProtocolError,
    ServerError,
    StreamkitError,
    TransportError,
)
from streamkit.limits import Limits
from streamkit.testing import Answer, ReplayServer, Reply, render
from tests.exposure import shown

KEY = "sk-live-0123456789abcdef"
MIB = 1 << 20
# Reading the certificates for a client takes 80 ms, and no test here speaks TLS: hence `verify=False` below.
LIBRARIES = pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
MODELS = pytest.mark.parametrize("model", ["openai/gpt-5", "anthropic/claude-haiku-4-5"], ids=["openai", "anthropic"])


def client_at(url: str, model: str = "openai/gpt-5", **options: Any) -> Client:
    return Client(model, api_key=KEY, base_url=url, **options)


@contextmanager
def peak_below(limit: int) -> Iterator[None]:
    """Fail where more than `limit` bytes are held at a time."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        yield
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert peak < limit, f"{peak / MIB:.1f} MiB were held"


# ---- keys


@LIBRARIES
@MODELS
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_takes_neither_the_key_nor_the_request_to_another_host(
    library: ModuleType, model: str, status: int
) -> None:
    async with ReplayServer(Answer(["stolen"])) as thief:
        redirect = Reply(status=status, headers={"location": f"{thief.url}/v1/chat/completions"})
        async with ReplayServer(redirect) as server, library.AsyncClient(verify=False, follow_redirects=True) as http:
            with pytest.raises(APIError, match=f"redirects to {thief.url}.*not followed") as caught:
                await client_at(server.url, model, http_client=http).send("Hello", max_tokens=50)
            assert len(server.requests) == 1
        assert thief.requests == []
        assert thief.connections == 0
    assert KEY not in shown(caught.value)


BAD_KEYS = [
    ("line end", f"{KEY}\nx-evil: 1"),
    ("carriage return", f"{KEY}\r\nHost: evil.example"),
    ("NUL", f"{KEY}\0"),
    ("other script", f"{KEY}ключ"),
    ("blank", " \n "),
]


@pytest.mark.parametrize("key", [case[1] for case in BAD_KEYS], ids=[case[0] for case in BAD_KEYS])
def test_a_key_that_cannot_stand_in_a_header_is_refused_before_anything_is_sent(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Client("openai/gpt-5", api_key=key)
    assert KEY not in f"{caught.value} {caught.value!r}"
    assert KEY not in "".join(traceback.format_exception(caught.value))


ECHOES: list[tuple[str, Callable[[], Reply]]] = [
    ("JSON", lambda: Reply(status=401, body=f'{{"error":{{"message":"bad key {KEY}","code":"{KEY}"}}}}'.encode())),
    ("text", lambda: Reply(status=401, body=f"no such key: {KEY}".encode())),
    ("headers", lambda: Reply(status=401, body=f"> Authorization: Bearer {KEY}\n> x-api-key: {KEY}".encode())),
    ("request id", lambda: Reply(status=401, headers={"x-request-id": f"for-{KEY}"})),
    ("page", lambda: Reply(body=f"<h1>{KEY}</h1>".encode(), headers={"content-type": "text/html"})),
    ("redirect", lambda: Reply(status=302, headers={"location": f"/login/{KEY}?key={KEY}"})),
    ("stream error", lambda: Reply(body=f'data: {{"error":{{"message":"bad key {KEY}"}}}}\n\n'.encode())),
    ("broken frame", lambda: Reply(body=f'data: {{"choices":"{KEY}"}}\n\ndata: [DONE]\n\n'.encode())),
    ("no JSON", lambda: Reply(body=f"data: {KEY}\n\n".encode())),
    ("JSON body", lambda: Reply(body=f'{{"error":"bad key {KEY}"}}'.encode())),
    ("encoding", lambda: Reply(headers={"content-encoding": KEY})),
]


@pytest.mark.parametrize("reply", [case[1] for case in ECHOES], ids=[case[0] for case in ECHOES])
async def test_a_key_that_the_server_echoes_is_taken_out_of_the_error(reply: Callable[[], Reply]) -> None:
    async with ReplayServer(reply()) as server:
        async with client_at(server.url) as client:
            with pytest.raises(StreamkitError) as caught:
                await client.send("Hello")
    assert KEY not in shown(caught.value)
    assert "127.0.0.1" in shown(caught.value) or "openai" in shown(caught.value)


@LIBRARIES
async def test_no_error_of_the_connection_leads_to_the_key(library: ModuleType) -> None:
    async with library.AsyncClient(verify=False) as http:
        with pytest.raises(TransportError) as caught:
            await client_at("http://127.0.0.1:1", http_client=http).send("Hello")
        assert KEY not in shown(caught.value)
        async with ReplayServer(Reply(body=b": hi\n\n", ends="drops")) as server:
            with pytest.raises(StreamkitError) as caught_later:
                await client_at(server.url, http_client=http).send("Hello")
    assert KEY not in shown(caught_later.value)
    assert caught.value.__context__ is caught_later.value.__context__ is None


@LIBRARIES
async def test_neither_the_logs_nor_any_repr_show_the_key(
    library: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        async with ReplayServer(Answer(["Hello there"])) as server, library.AsyncClient(verify=False) as http:
            client = client_at(server.url, http_client=http, headers={"x-gateway-key": KEY})
            async with client.stream("Hello") as stream:
                async for _ in stream:
                    break
            assert KEY not in f"{client!r} {stream!r} {vars(client)} {vars(stream)} {stream.output!r}"
    assert caplog.records
    assert KEY not in caplog.text


# ---- bodies


@cache
def bomb() -> bytes:
    """An event of 64 MiB in a thousandth of that (255 KB of gzip can hold as much)."""
    body = gzip.compress(b"data: " + b"a" * (64 * MIB))
    assert len(body) < 255 << 10
    return body


@LIBRARIES
@pytest.mark.parametrize("limit", [MIB, 8 * MIB])
async def test_a_gzip_bomb_ends_at_the_limit_with_bounded_memory(library: ModuleType, limit: int) -> None:
    answer = Reply(body=bomb(), headers={"content-type": "text/event-stream", "content-encoding": "gzip"})
    async with ReplayServer(answer) as server, library.AsyncClient(verify=False) as http:
        client = client_at(server.url, http_client=http, limits=Limits(max_event_bytes=limit))
        with peak_below(3 * limit + 4 * MIB), pytest.raises(ProtocolError, match="max_event_bytes") as caught:
            await client.send("Hello")
    assert len(caught.value.frame) < 64 << 10
    assert len(str(caught.value)) < 2000


async def test_the_default_limit_stops_a_gzip_bomb_too() -> None:
    answer = Reply(body=bomb(), headers={"content-type": "text/event-stream", "content-encoding": "gzip"})
    async with ReplayServer(answer) as server, client_at(server.url) as client:
        with pytest.raises(ProtocolError, match="max_event_bytes"):
            await client.send("Hello")


async def test_a_bomb_in_the_body_of_an_error_is_read_to_the_limit_only() -> None:
    answer = Reply(status=400, body=bomb(), headers={"content-encoding": "gzip"})
    async with ReplayServer(answer) as server, client_at(server.url) as client:
        with peak_below(4 * MIB), pytest.raises(APIError) as caught:
            await client.send("Hello")
    assert len(caught.value.body) == Limits().max_error_body_bytes


PIECE = b"a" * (64 << 10)


@MODELS
@pytest.mark.parametrize("head", [b"data: ", b": ", b"event: ", b"", b'{"a":"'], ids=repr)
async def test_an_event_of_a_gigabyte_ends_at_the_limit_with_bounded_memory(model: str, head: bytes) -> None:
    endless = Reply(body=[head, *[PIECE] * (1 << 14)])
    async with ReplayServer(endless) as server:
        async with client_at(server.url, model, limits=Limits(max_event_bytes=4 * MIB)) as client:
            with peak_below(16 * MIB), pytest.raises(ProtocolError, match="max_event_bytes"):
                await client.send("Hello", max_tokens=50)
            with anyio.fail_after(1):
                while server.connections:  # noqa: ASYNC110 - the server has no event for it
                    await anyio.sleep(0.001)


async def test_the_body_of_an_error_is_read_to_the_limit_only() -> None:
    answer = Reply(status=500, body=[b'{"error":{"message":"', *[PIECE] * (1 << 12)])
    async with ReplayServer(answer) as server:
        async with client_at(server.url, limits=Limits(max_error_body_bytes=1000)) as client:
            with peak_below(4 * MIB), pytest.raises(ServerError) as caught:
                await client.send("Hello")
    assert len(caught.value.body) == 1000
    assert len(str(caught.value)) < 2000


async def test_what_was_shown_before_the_limit_is_kept() -> None:
    body = render(Answer(["Hello there"]))
    cut = body.index(b"data: [DONE]")
    answer = Reply(body=[body[: cut - 400], b"data: ", *[PIECE] * 32])
    async with ReplayServer(answer) as server:
        async with client_at(server.url, limits=Limits(max_event_bytes=MIB)) as client:
            with pytest.raises(ProtocolError, match="max_event_bytes") as caught:
                await client.send("Hello")
    assert caught.value.partial is not None
    assert "Hello".startswith(caught.value.partial.message.text[:5])
    assert caught.value.partial.message.text
