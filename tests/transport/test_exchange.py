from __future__ import annotations

import gzip
import socket
import struct
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any

import anyio
import httpx
import httpx2
import httpx_aiohttp
import pytest
from anyio.abc import SocketAttribute, SocketStream

from streamkit.endpoint import Endpoint
from streamkit.errors import (
    APIError,
    AuthenticationError,
    ConfigError,
    ConnectTimeout,
    RateLimited,
    ServerError,
    StreamkitError,
    TransportError,
    TransportTimeout,
    TruncatedStream,
)
from streamkit.limits import Limits
from streamkit.protocols import EncodedRequest
from streamkit.providers import Provider
from streamkit.testing import ReplayServer, Reply
from streamkit.timing import Timeouts, Timing
from streamkit.transport import exchange, faults
from streamkit.transport.exchange import Exchange, open_exchange
from streamkit.transport.http_clients import new_http_client, timeouts_for

KEY = "sk-live-0123456789abcdef"
BODY = b'{"a":1}'
OK = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
DEFAULT = Timeouts()
# Reading the certificates for a client takes 80 ms, and no test here speaks TLS: hence `verify=False` below.
LIBRARIES = pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])


def endpoint(base_url: str) -> Endpoint:
    return Endpoint(Provider(name="acme", protocol="openai-chat", key_variable="K"), api_key=KEY, base_url=base_url)


async def open_at(
    http: Any,
    base_url: str,
    *,
    timeouts: Timeouts | None = DEFAULT,
    timing: Timing | None = None,
    sse: bool = True,
) -> Exchange:
    return await open_exchange(
        http,
        endpoint(base_url),
        EncodedRequest("/chat?alt=sse", {}, {"x-version": "1"}),
        BODY,
        timeouts=timeouts,
        limits=Limits(),
        timing=timing or Timing(),
        sse=sse,
    )


async def read_at(http: Any, base_url: str, **options: Any) -> bytes:
    """All of a body, with the errors of reading it as `explain` has them."""
    exchange = await open_at(http, base_url, **options)
    fault = None
    body = b""
    try:
        async for chunk in exchange.chunks:
            body += chunk
    except Exception as error:  # of any HTTP library, as a stream does
        fault = exchange.explain(error)
        if fault is None:
            raise
    finally:
        await exchange.aclose()
    if fault is not None:
        raise fault
    return body


@asynccontextmanager
async def raw_server(handle: Callable[[SocketStream], Awaitable[None]]) -> AsyncIterator[str]:
    """A server that does to each connection what `handle` does."""

    async def serve(stream: SocketStream) -> None:
        async with stream:
            await handle(stream)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, serve)
        yield f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"
        tasks.cancel_scope.cancel()


def sends(data: bytes, *, reset: bool = False) -> Callable[[SocketStream], Awaitable[None]]:
    """Answer the request with `data` and close, or reset, the connection."""

    async def handle(stream: SocketStream) -> None:
        request = b""
        while not request.endswith(BODY):  # closing with anything unread would be a reset
            request += await stream.receive()
        await stream.send(data)
        if reset:
            await anyio.sleep(0.05)
            raw = stream.extra(SocketAttribute.raw_socket)
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return handle


def reply(body: bytes, **headers: str) -> Reply:
    fields = {"content-type": "text/event-stream", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return Reply(body=body, headers=fields)


@LIBRARIES
@pytest.mark.parametrize("sse", [True, False])
async def test_a_request_goes_out_and_the_body_comes_back(library: ModuleType, sse: bool) -> None:
    timing = Timing()
    async with ReplayServer(reply(b"data: 1\n\n")) as server, library.AsyncClient(verify=False) as http:
        assert await read_at(http, f"{server.url}/v1/", timing=timing, sse=sse) == b"data: 1\n\n"
    (request,) = server.requests
    assert (request.method, request.path, request.body) == ("POST", "/v1/chat?alt=sse", BODY)
    expected = {
        "authorization": f"Bearer {KEY}",
        "content-type": "application/json",
        "accept-encoding": "identity",
        "x-version": "1",
    }
    assert expected.items() <= request.headers.items()
    assert not sse or request.headers["accept"] == "text/event-stream"
    assert timing.headers_ns is not None
    assert 0 < timing.sent_ns < timing.headers_ns


async def test_the_answer_says_its_status_headers_and_request_id() -> None:
    async with ReplayServer(reply(b"", X_Request_Id="req_1")) as server, new_http_client() as http:
        exchange = await open_at(http, server.url)
        await exchange.aclose()
    assert (exchange.status, exchange.request_id) == (200, "req_1")
    assert exchange.headers["content-type"] == "text/event-stream"


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "application/x-ndjson", ""])
async def test_a_stream_may_have_any_content_type_but_that_of_a_page(content_type: str) -> None:
    headers = {"content-type": content_type} if content_type else {}
    async with ReplayServer(Reply(body=b"data: 1\n\n", headers=headers)) as server, new_http_client() as http:
        assert await read_at(http, server.url) == b"data: 1\n\n"


# ---- connections: kept, reused, closed


async def test_a_connection_is_used_again_after_a_body_that_was_read_to_its_end() -> None:
    async with ReplayServer(reply(b"data: 1\n\n")) as server, new_http_client() as http:
        for _ in range(3):
            await read_at(http, server.url)
            assert server.connections == 1
    assert len(server.requests) == 3


def answers_then_drops(requests: list[bytes], *, reset: bool = False) -> Callable[[SocketStream], Awaitable[None]]:
    """Answer the first request as if the connection were kept, and any other by closing or resetting it."""

    async def handle(stream: SocketStream) -> None:
        while True:
            await sends(b"", reset=reset and bool(requests))(stream)
            requests.append(BODY)
            if len(requests) % 2 == 0:
                return
            await stream.send(OK + b"content-length: 9\r\n\r\ndata: 1\n\n")

    return handle


REUSED = [
    *[(loop, library.AsyncClient) for loop in ("asyncio", "trio") for library in (httpx, httpx2)],
    ("asyncio", httpx_aiohttp.HttpxAiohttpClient),
]


@pytest.mark.parametrize(("anyio_backend", "client"), REUSED, ids=lambda case: getattr(case, "__module__", case))
@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
async def test_a_request_lost_with_a_connection_that_was_closing_goes_out_again(
    anyio_backend: str, client: Any, reset: bool
) -> None:
    requests: list[bytes] = []
    async with raw_server(answers_then_drops(requests, reset=reset)) as url, client(verify=False) as http:
        for _ in range(3):
            assert await read_at(http, url) == b"data: 1\n\n"
    assert len(requests) == 5


@pytest.mark.parametrize(("closing_s", "sent"), [(1.0, 2), (0.0, 1)], ids=["at once", "later"])
async def test_a_request_goes_out_again_once_and_only_if_it_was_lost_at_once(
    monkeypatch: pytest.MonkeyPatch, closing_s: float, sent: int
) -> None:
    monkeypatch.setattr(faults, "CLOSING_S", closing_s)
    requests = []

    async def handle(stream: SocketStream) -> None:
        requests.append(await stream.receive())

    async with raw_server(handle) as url, httpx.AsyncClient(verify=False) as http:
        with pytest.raises(TransportError, match="broke"):
            await open_at(http, url)
    assert len(requests) == sent


@LIBRARIES
async def test_draining_reads_the_end_of_a_body_for_the_sake_of_the_connection(library: ModuleType) -> None:
    async with ReplayServer(reply(b"data: [DONE]\n\n")) as server, library.AsyncClient(verify=False) as http:
        for _ in range(3):
            exchange = await open_at(http, server.url)
            await anext(exchange.chunks)
            await exchange.drain()
            await exchange.aclose()
            assert server.connections == 1


async def test_draining_waits_only_a_little() -> None:
    body = Reply(body=b"data: [DONE]\n\n", ends="hangs")
    async with ReplayServer(body) as server, new_http_client() as http:
        exchange = await open_at(http, server.url)
        await anext(exchange.chunks)
        with anyio.fail_after(1):
            await exchange.drain()
            await exchange.aclose()
        await closed(server)


async def closed(server: ReplayServer, within_s: float = 1.0) -> None:
    """Wait until the server has seen every connection closed."""
    with anyio.fail_after(within_s):
        while server.connections:  # noqa: ASYNC110 - the server has no event for it
            await anyio.sleep(0.001)


@LIBRARIES
@pytest.mark.parametrize("reads", [0, 1, 3])
async def test_closing_in_the_middle_closes_the_connection_and_ends_the_librarys_generators(
    library: ModuleType, reads: int, recwarn: pytest.WarningsRecorder
) -> None:
    endless = Reply(body=[b"data: %d\n\n" % number for number in range(1000)], pace_s=0.002)
    async with ReplayServer(endless) as server, library.AsyncClient(verify=False) as http:
        exchange = await open_at(http, server.url)
        for _ in range(reads):
            await anext(exchange.chunks)
        await exchange.aclose()
        await exchange.aclose()
        with pytest.raises(StopAsyncIteration):
            await anext(exchange._raw)
        await closed(server)
        assert not [warning for warning in recwarn if "generator" in str(warning.message)]


async def test_closing_does_not_wait_for_what_a_transport_would_still_deliver() -> None:
    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield b"data: 1\n\n"
                await anyio.sleep(0.01)

    transport_ = httpx.MockTransport(lambda request: httpx.Response(200, stream=Endless()))
    async with httpx.AsyncClient(transport=transport_) as http:
        exchange = await open_at(http, "http://a.test")
        await anext(exchange.chunks)
        with anyio.fail_after(0.5):
            await exchange.aclose()


async def test_a_cancelled_task_still_closes_its_connection() -> None:
    async with ReplayServer(Reply(body=b"data: 1\n\n", ends="hangs")) as server, new_http_client() as http:
        with anyio.move_on_after(0.1) as scope:
            exchange = await open_at(http, server.url)
            try:
                async for _ in exchange.chunks:
                    pass
            finally:
                await exchange.aclose()
        assert scope.cancelled_caught
        await closed(server)


async def test_a_request_cancelled_before_its_answer_leaves_no_connection() -> None:
    async with ReplayServer(Reply(delay_s=30)) as server, new_http_client() as http:
        with anyio.move_on_after(0.1):
            await open_at(http, server.url)
        await closed(server)


async def test_our_client_has_no_limit_of_connections() -> None:
    async with ReplayServer(Reply(body=b"data: 1\n\n", ends="hangs")) as server, new_http_client() as http:
        with anyio.fail_after(10):
            exchanges = [await open_at(http, server.url) for _ in range(120)]
        assert server.connections == 120
        for exchange in exchanges:
            await exchange.aclose()
        await closed(server)


# ---- failures of the connection


async def test_a_refused_connection_says_where_and_what_to_do() -> None:
    async with new_http_client() as http:
        with pytest.raises(TransportError, match=r"cannot connect to acme at 127\.0\.0\.1:1 .*check the base URL"):
            await open_at(http, "http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("library", "host"),
    [(httpx, "xn--a"), *((library, host) for library in (httpx, httpx2) for host in ("256.1.1.1", "☃.example"))],
)
async def test_a_host_that_there_cannot_be_is_wrong_and_not_tried_again(library: ModuleType, host: str) -> None:
    async with library.AsyncClient(verify=False) as http:
        with pytest.raises(ConfigError, match="the base URL of acme at .* cannot be asked for") as caught:
            await open_at(http, f"https://{host}")
    assert not caught.value.retryable


BROKEN: list[tuple[str, bytes, bool, type[StreamkitError], str]] = [
    ("no answer", b"", False, TransportError, "broke .*try again"),
    ("no HTTP", b"SSH-2.0-OpenSSH\r\n\r\n", False, TransportError, "broke .*try again"),
    ("cut in the head", OK, False, TransportError, "broke"),
    (
        "cut in a chunked body",
        OK + b"transfer-encoding: chunked\r\n\r\n5\r\nda",
        False,
        TruncatedStream,
        "before the end",
    ),
    (
        "cut between chunks",
        OK + b"transfer-encoding: chunked\r\n\r\n1\r\nd\r\n",
        False,
        TruncatedStream,
        "before the end",
    ),
    ("cut before its length", OK + b"content-length: 100\r\n\r\nda", False, TruncatedStream, "before the end"),
    ("broken chunk", OK + b"transfer-encoding: chunked\r\n\r\nzz\r\n", False, TruncatedStream, "before the end"),
    ("reset", OK + b"transfer-encoding: chunked\r\n\r\n1\r\nd\r\n", True, TransportError, "broke .*try again"),
]


@LIBRARIES
@pytest.mark.parametrize(
    ("data", "reset", "kind", "message"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN]
)
async def test_a_broken_connection_is_a_typed_error(
    library: ModuleType, data: bytes, reset: bool, kind: type[StreamkitError], message: str
) -> None:
    async with raw_server(sends(data, reset=reset)) as url, library.AsyncClient(verify=False) as http:
        with pytest.raises(kind, match=message) as caught:
            await read_at(http, url)
    assert type(caught.value) is kind
    assert "acme at 127.0.0.1" in str(caught.value)
    assert caught.value.__context__ is caught.value.__cause__ is None


# What aiohttp says of the same; httpx-aiohttp passes some of its errors on as they are, with the request in them.
BROKEN_AIOHTTP = [
    *[case for case in BROKEN if case[0] not in ("broken chunk", "reset")],
    ("broken chunk", OK + b"transfer-encoding: chunked\r\n\r\nzz\r\n", False, TransportError, "broke .*try again"),
    ("reset", OK + b"transfer-encoding: chunked\r\n\r\n1\r\nd\r\n", True, TruncatedStream, "before the end"),
]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize(
    ("data", "reset", "kind", "message"),
    [case[1:] for case in BROKEN_AIOHTTP],
    ids=[case[0] for case in BROKEN_AIOHTTP],
)
async def test_a_broken_connection_of_aiohttp_is_a_typed_error_without_the_key(
    anyio_backend: str, data: bytes, reset: bool, kind: type[StreamkitError], message: str
) -> None:
    async with raw_server(sends(data, reset=reset)) as url, httpx_aiohttp.HttpxAiohttpClient(verify=False) as http:
        with pytest.raises(kind, match=message) as caught:
            await read_at(http, url)
    assert type(caught.value) is kind
    assert KEY not in repr(caught.value)
    assert caught.value.__context__ is caught.value.__cause__ is None


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize(
    ("host", "hint"), [("127.0.0.1:1", "and that the server runs"), ("nowhere.invalid", "the network and the proxy")]
)
async def test_a_connection_that_aiohttp_cannot_make_is_no_timeout(anyio_backend: str, host: str, hint: str) -> None:
    async with httpx_aiohttp.HttpxAiohttpClient(verify=False) as http:
        with pytest.raises(
            TransportError, match=f"cannot connect to acme at {host} .*check the base URL, {hint}"
        ) as caught:
            await open_at(http, f"http://{host}")
    assert type(caught.value) is TransportError


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_silence_at_aiohttp_is_a_timeout(anyio_backend: str) -> None:
    async with ReplayServer(Reply(delay_s=30)) as server, httpx_aiohttp.HttpxAiohttpClient(verify=False) as http:
        with pytest.raises(TransportTimeout, match=r"sent nothing within 0\.1 s \(read_timeout_s\)"):
            await read_at(http, server.url, timeouts=Timeouts(read_s=0.1))


@LIBRARIES
async def test_a_body_without_length_ends_with_its_connection(library: ModuleType) -> None:
    async with raw_server(sends(OK + b"\r\ndata: 1\n\n")) as url, library.AsyncClient(verify=False) as http:
        assert await read_at(http, url) == b"data: 1\n\n"


@LIBRARIES
@pytest.mark.parametrize("reply_", [Reply(delay_s=30), Reply(body=b"data: 1\n\n", ends="hangs")], ids=["head", "body"])
async def test_silence_longer_than_the_limit_is_a_timeout_that_names_it(library: ModuleType, reply_: Reply) -> None:
    async with ReplayServer(reply_) as server, library.AsyncClient(verify=False) as http:
        with pytest.raises(TransportTimeout, match=r"sent nothing within 0\.1 s \(read_timeout_s\)"):
            await read_at(http, server.url, timeouts=Timeouts(read_s=0.1))
        await closed(server)


RAISED = [
    ("ConnectTimeout", ConnectTimeout, r"took no connection within 10 s \(connect_timeout_s\)"),
    ("WriteTimeout", TransportTimeout, r"did not take the request within 600 s"),
    ("PoolTimeout", TransportTimeout, "raise the limits of the http client"),
    ("ProxyError", TransportError, "cannot connect .*proxy"),
    ("UnsupportedProtocol", TransportError, "broke"),
]


@LIBRARIES
@pytest.mark.parametrize(("name", "kind", "message"), RAISED, ids=[case[0] for case in RAISED])
async def test_errors_of_either_library_are_ours(
    library: ModuleType, name: str, kind: type[StreamkitError], message: str
) -> None:
    def fail(request: Any) -> Any:
        raise getattr(library, name)(f"it happened to {KEY}", request=request)

    async with library.AsyncClient(transport=library.MockTransport(fail)) as http:
        with pytest.raises(kind, match=message) as caught:
            await open_at(http, "http://a.test")
    assert type(caught.value) is kind
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("error", [OSError("down"), anyio.BrokenResourceError(), TimeoutError()], ids=repr)
async def test_errors_that_a_transport_lets_through_from_below_are_ours(error: Exception) -> None:
    def fail(request: Any) -> Any:
        raise error

    async with httpx.AsyncClient(transport=httpx.MockTransport(fail)) as http:
        with pytest.raises(TransportError):
            await open_at(http, "http://a.test")


async def test_an_error_that_is_none_of_the_connections_passes_as_it_is() -> None:
    def fail(request: Any) -> Any:
        raise ZeroDivisionError

    async with httpx.AsyncClient(transport=httpx.MockTransport(fail)) as http:
        with pytest.raises(ZeroDivisionError):
            await open_at(http, "http://a.test")


async def test_a_closed_http_client_is_refused() -> None:
    http = httpx.AsyncClient()
    await http.aclose()
    with pytest.raises(ConfigError, match="the http client is closed"):
        await open_at(http, "http://a.test")


async def test_a_body_that_a_hook_has_read_is_an_error_and_no_silence() -> None:
    async def read(response: httpx.Response) -> None:
        await response.aread()

    async with ReplayServer(reply(b"data: 1\n\n")) as server:
        async with httpx.AsyncClient(event_hooks={"response": [read]}) as http:
            with pytest.raises(TransportError, match="StreamConsumed"):
                await read_at(http, server.url)


CHOICES = [
    ("httpx's default", httpx.AsyncClient(), Timeouts(), Timeouts()),
    ("httpx2's default", httpx2.AsyncClient(), Timeouts(), Timeouts()),
    ("its own", httpx.AsyncClient(timeout=60), Timeouts(), None),
    ("its own none", httpx2.AsyncClient(timeout=None), Timeouts(), None),
    ("its own, but others asked for", httpx.AsyncClient(timeout=60), Timeouts(read_s=5), Timeouts(read_s=5)),
    ("unknown", object(), Timeouts(), Timeouts()),
]


@pytest.mark.parametrize(
    ("http", "asked", "expected"), [case[1:] for case in CHOICES], ids=[case[0] for case in CHOICES]
)
def test_an_http_client_keeps_the_timeouts_that_it_chose(http: Any, asked: Timeouts, expected: Timeouts | None) -> None:
    assert timeouts_for(http, asked) == expected


async def test_timeouts_left_to_the_http_client_hold() -> None:
    async with ReplayServer(Reply(delay_s=30)) as server, httpx.AsyncClient(timeout=0.1) as http:
        with pytest.raises(TransportTimeout, match="sent nothing"):
            await open_at(http, server.url, timeouts=None)


# ---- answers that are no stream


async def test_an_error_answer_is_read_and_classed() -> None:
    body = b'{"error":{"message":"slow down","type":"rate_limit_error"}}'
    headers = {"content-type": "application/json", "x-request-id": "req_9", "retry-after": "3"}
    async with ReplayServer(Reply(body=body, status=429, headers=headers)) as server, new_http_client() as http:
        with pytest.raises(RateLimited) as caught:
            await open_at(http, server.url)
    error = caught.value
    assert (error.message, error.status, error.request_id, error.retry_after_s) == ("slow down", 429, "req_9", 3)
    assert (error.provider, error.body, error.partial) == ("acme", body.decode(), None)


async def test_an_error_answer_is_decompressed() -> None:
    body = gzip.compress(b'{"error":{"message":"no such key"}}')
    bad = Reply(body=body, status=401, headers={"content-encoding": "gzip"})
    async with ReplayServer(bad) as server, new_http_client() as http:
        with pytest.raises(AuthenticationError, match="no such key"):
            await open_at(http, server.url)


async def test_an_error_answer_in_an_unknown_encoding_keeps_its_status() -> None:
    bad = Reply(body=b"???", status=401, headers={"content-encoding": "br"})
    async with ReplayServer(bad) as server, new_http_client() as http:
        with pytest.raises(AuthenticationError, match="'br'"):
            await open_at(http, server.url)


async def test_an_error_answer_that_breaks_off_is_what_came_of_it() -> None:
    bad = Reply(body=b"the backend is gone", status=502, headers={}, ends="drops")
    async with ReplayServer(bad) as server, new_http_client() as http:
        with pytest.raises(ServerError, match="the backend is gone"):
            await open_at(http, server.url)


async def test_an_error_answer_that_never_ends_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "ERROR_BODY_S", 0.1)
    bad = Reply(body=b"the backend is", status=502, headers={}, ends="hangs")
    async with ReplayServer(bad) as server, new_http_client() as http:
        with anyio.fail_after(2), pytest.raises(ServerError, match="the backend is"):
            await open_at(http, server.url)
        await closed(server)


@pytest.mark.parametrize("content_type", ["text/html", "Text/HTML; charset=utf-8"])
async def test_a_page_in_place_of_a_stream_is_a_retryable_error_with_an_excerpt(content_type: str) -> None:
    page = b"<html>\n<h1>Bad  gateway</h1>" + b"x" * 10_000
    async with ReplayServer(reply(page, content_type=content_type)) as server, new_http_client() as http:
        with pytest.raises(ServerError, match="web page in place of a stream.*<h1>Bad gateway</h1>") as caught:
            await open_at(http, server.url)
    assert caught.value.retryable
    assert caught.value.status == 200
    assert len(caught.value.body) == exchange.EXCERPT


REDIRECTS = [
    ("another host", "https://evil.example/v1/chat?x=1", "https://evil.example;"),
    ("with a password", "https://u:p@evil.example/v1", "https://evil.example;"),
    ("a path", "/v2/chat", r"http://127.0.0.1:\d+/v2/chat;"),
    ("no URL", "http://[", "an address that is no URL;"),
]


@pytest.mark.parametrize(("location", "target"), [case[1:] for case in REDIRECTS], ids=[case[0] for case in REDIRECTS])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_an_error_that_names_its_target(status: int, location: str, target: str) -> None:
    redirect = Reply(status=status, headers={"location": location})
    async with ReplayServer(redirect) as server, httpx.AsyncClient(verify=False, follow_redirects=True) as http:
        with pytest.raises(APIError, match=f"redirects to {target}") as caught:
            await open_at(http, server.url)
    assert len(server.requests) == 1
    assert caught.value.status == status
    assert not caught.value.retryable
    assert "u:p" not in str(caught.value)


async def test_a_redirect_to_nowhere_is_an_error_too() -> None:
    async with ReplayServer(Reply(status=304, headers={})) as server, new_http_client() as http:
        with pytest.raises(APIError, match="HTTP 304"):
            await open_at(http, server.url)


# ---- encodings that were not asked for


@LIBRARIES
@pytest.mark.parametrize(("encoding", "compress"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_a_compressed_stream_is_read(
    library: ModuleType, encoding: str, compress: Callable[[bytes], bytes]
) -> None:
    body = b"data: 1\n\n" * 50_000
    compressed = compress(body)
    pieces = [compressed[at : at + 100] for at in range(0, len(compressed), 100)]
    answer = Reply(body=pieces, headers={"content-encoding": encoding})
    async with ReplayServer(answer) as server, library.AsyncClient(verify=False) as http:
        assert await read_at(http, server.url) == body


async def test_a_compressed_stream_cut_short_is_truncated_though_the_connection_ended_well() -> None:
    body = gzip.compress(b"data: 1\n\n" * 1000)
    async with ReplayServer(reply(body[:-9], content_encoding="gzip")) as server, new_http_client() as http:
        with pytest.raises(TruncatedStream, match="gzip"):
            await read_at(http, server.url)


async def test_closing_in_the_middle_of_a_compressed_stream_closes_the_connection() -> None:
    body = gzip.compress(b"data: 1\n\n" * 100_000)
    answer = Reply(body=body, headers={"content-encoding": "gzip"}, ends="hangs")
    async with ReplayServer(answer) as server, new_http_client() as http:
        exchange = await open_at(http, server.url)
        await anext(exchange.chunks)
        await exchange.aclose()
        await closed(server)


async def test_an_encoding_that_cannot_be_read_is_refused_by_name() -> None:
    async with ReplayServer(reply(b"?", content_encoding="zstd")) as server, new_http_client() as http:
        with pytest.raises(TransportError, match="'zstd'"):
            await open_at(http, server.url)
        await closed(server)
