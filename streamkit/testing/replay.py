"""Recorded and scripted streams without a network: a transport for httpx."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Literal

import anyio
import httpx

from streamkit.errors import ConfigError
from streamkit.testing.replies import Handler, Received, Replies, Reply, ReplyLike
from streamkit.testing.wires import Wire

__all__ = ["ReplayTransport"]


class ReplayTransport(httpx.AsyncBaseTransport):
    """Answers every request of an `httpx.AsyncClient(transport=…)` from memory.

    `replies`, `turn` and the defaults for replies given bare are those of `Replies`; a body is delivered in the
    pieces of its reply, each as one read. `requests` holds what was asked, `open_streams` is how many responses
    have been neither read to the end nor closed.
    """

    def __init__(
        self,
        replies: ReplyLike | Iterable[ReplyLike] | Handler,
        *,
        turn: Literal["order", "history"] = "order",
        **defaults: Any,
    ) -> None:
        self._replies = Replies(replies, turn=turn, **defaults)
        self.open_streams = 0

    @property
    def requests(self) -> list[Received]:
        """The requests so far."""
        return self._replies.requests

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the reply with its body still to be read."""
        path = request.url.raw_path.decode("ascii")
        received = Received(request.method, path, dict(request.headers.items()), await request.aread())
        reply = await self._replies.reply(received)
        if isinstance(reply, Wire):
            raise ConfigError("what a Wire does needs a connection: serve it by a ReplayServer")
        await anyio.sleep(reply.delay_s)
        self.open_streams += 1
        stream = _Body(reply, reply.pieces(received.protocol), request, self._closed)
        return httpx.Response(reply.status, headers=reply.head(received.protocol), stream=stream, request=request)

    def _closed(self) -> None:
        self.open_streams -= 1


class _Body(httpx.AsyncByteStream):
    """A body that is its own iterator: a generator would have to be closed by whoever stops reading early."""

    def __init__(self, reply: Reply, pieces: list[bytes], request: httpx.Request, on_close: Callable[[], None]) -> None:
        self._reply = reply
        self._pieces = pieces
        self._read = 0
        self._request = request
        self._on_close: Callable[[], None] | None = on_close

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self._read < len(self._pieces):
            if self._read:
                await anyio.sleep(self._reply.pace_s)
            self._read += 1
            return self._pieces[self._read - 1]
        if self._reply.ends == "hangs":
            await anyio.sleep_forever()
        if self._reply.ends == "drops":
            text = "peer closed connection without sending complete message body (incomplete chunked read)"
            raise httpx.RemoteProtocolError(text, request=self._request)
        raise StopAsyncIteration

    async def aclose(self) -> None:
        if self._on_close is not None:
            self._on_close()
            self._on_close = None
