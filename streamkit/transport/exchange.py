"""The one module that knows httpx: requests out, responses in.

An http client is an `httpx.AsyncClient`, an `httpx2.AsyncClient`, or what behaves like one: what is asked of it is
`stream` as an async context manager, and of a response `status_code`, `headers` and `stream`. httpx is loaded with the
first client. Of httpx-sse it is `aconnect_sse` that opens the connection; the framing is `streamkit.wire.sse`.

A library's error holds the request, and the request holds the key; so ours are raised after its `except` block, not
in it, and no chain leads from one to the other.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from time import perf_counter_ns
from typing import Any, TypeAlias
from urllib.parse import urljoin, urlsplit

import anyio

from streamkit.endpoint import Endpoint
from streamkit.errors import (
    APIError,
    ConfigError,
    ServerError,
    StreamkitError,
    TransportError,
)
from streamkit.keys import scrub_error
from streamkit.limits import Limits
from streamkit.protocols import EncodedRequest
from streamkit.protocols.failures import find_request_id, read_failure
from streamkit.timing import Timeouts, Timing
from streamkit.transport.faults import explain_fault, place_of, was_closing
from streamkit.transport.http_clients import HTTPClient
from streamkit.wire.inflate import Inflater, new_inflater

__all__ = [
    "Authorize",
    "Exchange",
    "open_exchange",
    "request_headers",
]

logger = logging.getLogger("streamkit")

# Returns the endpoint with the headers that let one request in; asked anew each time that it is sent.
Authorize: TypeAlias = Callable[[HTTPClient, Endpoint, EncodedRequest, bytes], Awaitable[Endpoint]]

CLOSE_S = 1.0  # how long closing a connection may take
DRAIN_S = 0.05  # how long the end of a body may take after the end of the answer in it
ERROR_BODY_S = 10.0  # how long the body of an error may take
DRAIN_BYTES = 64 << 10  # and how large it may be
EXCERPT = 500  # bytes of a page that came in place of a stream
_UNREAD = 200  # reads of a closed response until it gives up what it had buffered


class Exchange:
    """A request that was answered with a stream, until it is closed.

    `chunks` are the bytes of the body, without any encoding, as they come; what it raises goes through `explain`.
    `on_close` is called once it is closed. `endpoint` is the one that it went to, with what let it in.
    """

    def __init__(
        self, manager: AbstractAsyncContextManager[Any], response: Any, endpoint: Endpoint, timeouts: Timeouts | None
    ) -> None:
        self._manager = manager
        self.endpoint = endpoint
        self._timeouts = timeouts
        self._raw = _raw(response)
        self._closed = False
        self.on_close: Callable[[], None] | None = None
        self.chunks: AsyncGenerator[bytes, None] = self._raw
        self.status: int = response.status_code
        self.headers = {name.lower(): value for name, value in response.headers.items()}
        self.request_id = find_request_id(self.headers)

    def decode(self) -> None:
        """Undo an encoding of the body; raises `TransportError` for one that cannot be undone."""
        inflater = new_inflater(self.headers.get("content-encoding", ""))
        if inflater is not None:
            self.chunks = _inflated(self._raw, inflater)

    async def read(self, limit: int) -> bytes:
        """Return at most `limit` bytes of the body, and what there is of them where it breaks or takes too long."""
        body = bytearray()
        with anyio.move_on_after(ERROR_BODY_S):
            try:
                async for chunk in self.chunks:
                    body += chunk
                    if len(body) >= limit:
                        break
            except Exception as error:  # of any HTTP library; what is none of theirs is raised
                if self.explain(error) is None:
                    raise
        return bytes(body[:limit])

    def explain(self, error: Exception) -> StreamkitError | None:
        """Return the error of ours that `error`, met while reading, stands for; None where it is no failure of that."""
        if isinstance(error, StreamkitError):
            return error
        if self._closed:  # under the reader, which shows in any of many ways
            return self.left()
        return explain_fault(error, self.endpoint, self._timeouts)

    def left(self) -> TransportError:
        """Return the error for a reader under whom it was closed."""
        error = TransportError(f"the stream from {place_of(self.endpoint)} was closed while it was being read")
        error.provider = self.endpoint.provider.name
        return error

    @property
    def closed(self) -> bool:
        """Whether `aclose` was called."""
        return self._closed

    async def drain(self) -> None:
        """Wait a little for the end of the body, with which the connection can be used again."""
        size = 0
        with anyio.move_on_after(DRAIN_S):
            try:
                async for chunk in self._raw:
                    size += len(chunk)
                    if size > DRAIN_BYTES:
                        break
            except Exception as error:  # the answer is whole: the connection is lost, and nothing else
                logger.debug("the end of the body from %s did not come: %s", self.endpoint.host, type(error).__name__)

    async def aclose(self) -> None:
        """Close the response, and its connection where the body was not read to the end. May be called again."""
        if self._closed:
            return
        self._closed = True
        with anyio.move_on_after(CLOSE_S, shield=True) as scope:
            try:
                await self._manager.__aexit__(None, None, None)
            except Exception as error:  # it is closed all the same
                logger.debug("closing the connection to %s met %s", self.endpoint.host, type(error).__name__)
            scope.cancel()
            await _unwind(self.chunks, self._raw)
        if self.on_close is not None:
            self.on_close()


async def open_exchange(
    http: HTTPClient,
    endpoint: Endpoint,
    encoded: EncodedRequest,
    body: bytes,
    *,
    timeouts: Timeouts | None,
    limits: Limits,
    timing: Timing,
    sse: bool,
    authorize: Authorize | None = None,
) -> Exchange:
    """Send a request and return its answer once the headers are there.

    `timeouts` None leaves those to the http client. Stamps `timing`, once `authorize` has answered. A connection that
    the server was closing when it was taken for the request is replaced, once. Raises `TransportError` where no answer
    came, `APIError` where it is an error, a redirect, which is never followed, or a page in place of a stream.
    """
    if getattr(http, "is_closed", False):
        raise ConfigError("the http client is closed")
    fault: StreamkitError | None = None
    bare = endpoint
    for again in (False, True):
        if authorize is not None:
            endpoint = await authorize(http, bare, encoded, body)
        if not again:
            timing.sent_ns = perf_counter_ns()
        manager = _request(http, endpoint, encoded, body, timeouts, sse)
        try:
            opened = await manager.__aenter__()
        except Exception as error:  # of any HTTP library; what is none of theirs is raised
            fault = explain_fault(error, endpoint, timeouts, opening=True)
            if fault is None:
                raise
            if not again and was_closing(error, timing.sent_ns):
                fault = None
                continue
        break
    if fault is not None:
        raise fault
    timing.headers_ns = perf_counter_ns()
    exchange = Exchange(manager, opened.response if sse else opened, endpoint, timeouts)
    try:
        fault = await _refusal(exchange, endpoint, endpoint.url(encoded), limits)
    except BaseException:  # a cancelled reading of the head too leaves no connection
        await exchange.aclose()
        raise
    if fault is not None:
        await exchange.aclose()
        scrub_error(fault, endpoint.secrets)
        raise fault
    return exchange


def request_headers(endpoint: Endpoint, encoded: EncodedRequest, body: bytes) -> dict[str, str | bytes]:
    """Return the headers that a request is sent with, but for those that the http client adds."""
    return {
        "accept-encoding": "identity",  # compressors hold back what streams, and can hold bombs
        **({"content-type": "application/json"} if body else {}),
        **endpoint.headers(encoded),
    }


def _request(
    http: HTTPClient,
    endpoint: Endpoint,
    encoded: EncodedRequest,
    body: bytes,
    timeouts: Timeouts | None,
    sse: bool,
) -> AbstractAsyncContextManager[Any]:
    """The request, not yet sent. No local of a frame that raises holds the headers, as traces may show locals."""
    headers = request_headers(endpoint, encoded, body)
    options: dict[str, Any] = {"content": body or None, "headers": headers, "follow_redirects": False}
    if timeouts is not None:
        options["timeout"] = (timeouts.connect_s, timeouts.read_s, timeouts.read_s, timeouts.read_s)
    if sse:
        from httpx_sse import aconnect_sse

        return aconnect_sse(http, encoded.method, endpoint.url(encoded), **options)
    connection: AbstractAsyncContextManager[Any] = http.stream(encoded.method, endpoint.url(encoded), **options)
    return connection


async def _refusal(exchange: Exchange, endpoint: Endpoint, url: str, limits: Limits) -> StreamkitError | None:
    """What is wrong with an answer by its head, None for a stream."""
    status, headers = exchange.status, exchange.headers
    try:
        exchange.decode()
    except TransportError as error:
        if status < 400:
            return error
        return read_failure(str(error), provider=endpoint.provider.name, status=status, headers=headers)
    if 300 <= status < 400 and "location" in headers:
        return _redirect(exchange, endpoint, url)
    if status >= 300:
        body = await exchange.read(limits.max_error_body_bytes)
        return read_failure(body, provider=endpoint.provider.name, status=status, headers=headers)
    if headers.get("content-type", "").partition(";")[0].strip().lower() in ("text/html", "application/xhtml+xml"):
        page = (await exchange.read(EXCERPT)).decode("utf-8", "replace")
        return ServerError(
            f"{endpoint.host} answered with a web page in place of a stream; check the base URL, or try again "
            f"where it is a gateway's: {' '.join(page.split())}",
            provider=endpoint.provider.name,
            status=status,
            request_id=exchange.request_id,
            body=page,
        )
    return None


def _redirect(exchange: Exchange, endpoint: Endpoint, url: str) -> APIError:
    try:
        there = urlsplit(urljoin(url, exchange.headers["location"]))
        host = there.netloc.rpartition("@")[2]
        target = f"{there.scheme}://{host}" + (there.path if host == endpoint.host else "")
    except ValueError:
        target = "an address that is no URL"
    return APIError(
        f"{endpoint.host} redirects to {target}; that is not followed and was sent nothing. If it is the right "
        "address, make it the base URL",
        provider=endpoint.provider.name,
        status=exchange.status,
        request_id=exchange.request_id,
    )


def _raw(response: Any) -> AsyncGenerator[bytes, None]:
    """The body of a response as it comes; by its inner stream, as `aiter_raw` costs 1 µs more an event."""
    if response.is_stream_consumed:  # by a hook of the caller's client
        read: AsyncGenerator[bytes, None] = response.aiter_raw()  # raises an error that says so
        return read
    stream: AsyncGenerator[bytes, None] = aiter(response.stream)
    return stream


async def _unwind(chunks: AsyncGenerator[bytes, None], raw: AsyncGenerator[bytes, None]) -> None:
    """End the generators that read a closed response, from inside a cancelled scope.

    httpx reads through generators in generators, and closing the outermost leaves the others to the garbage collector:
    a task each on asyncio, a warning each on trio. A read that fails ends them all.
    """
    with suppress(Exception):  # failing is the purpose
        if chunks is not raw:
            await chunks.aclose()
        for _ in range(_UNREAD):
            await anext(raw)
        await raw.aclose()


async def _inflated(raw: AsyncIterator[bytes], inflater: Inflater) -> AsyncGenerator[bytes, None]:
    async for chunk in raw:
        for piece in inflater.feed(chunk):
            yield piece
    inflater.finish()
