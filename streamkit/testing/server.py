"""Recorded and scripted streams over real HTTP/1.1 on the loopback interface."""

from __future__ import annotations

import socket
import struct
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any, Literal, TypeAlias, Union

import anyio
import anyio.lowlevel
import h11  # httpx brings it: httpcore's own HTTP/1.1
from anyio.abc import Listener, SocketAttribute, SocketStream, TaskGroup

from streamkit.testing.replies import Handler, Received, Replies, Reply, ReplyLike, error_reply
from streamkit.testing.wires import Pause, Wire

__all__ = ["ReplayServer"]

_LEAVE_S = 0.02  # how long what was written may take to leave

# How a client that went away shows in a read or a write.
_GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)


class ReplayServer:
    """Serves replies at `url` inside `async with`, and nothing after it.

    `replies`, `turn` and the defaults for replies given bare are those of `Replies`. Every path is served; `url` is
    a base URL for either dialect, since the end of a path tells which one is spoken. `requests` holds what was asked,
    `connections` is how many are open, `served` how many replies went out whole. Where a handler raises, the client
    gets a 500, and the exception is raised again at the end of the `async with`.
    """

    def __init__(
        self,
        replies: ReplyLike | Iterable[ReplyLike] | Handler,
        *,
        turn: Literal["order", "history"] = "order",
        port: int = 0,
        **defaults: Any,
    ) -> None:
        self._replies = Replies(replies, turn=turn, **defaults)
        self._port = port
        self._tasks: TaskGroup
        self._error: Exception | None = None
        self.url = ""
        self.connections = 0
        self.served = 0

    @property
    def requests(self) -> list[Received]:
        """The requests so far."""
        return self._replies.requests

    async def __aenter__(self) -> ReplayServer:
        listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=self._port)
        self.url = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        self._tasks.start_soon(self._listen, listener)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        self._tasks.cancel_scope.cancel()
        if isinstance(error, anyio.get_cancelled_exc_class()):
            return await self._tasks.__aexit__(kind, error, trace)
        await self._tasks.__aexit__(None, None, None)  # an error of the caller's passes as it is, in no group
        if self._error is not None:
            raise self._error
        return None

    async def _listen(self, listener: Listener[SocketStream]) -> None:
        async with listener:
            await listener.serve(self._serve)

    async def _serve(self, stream: SocketStream) -> None:
        self.connections += 1
        try:
            async with stream:
                connection = _Connection(stream, self._reply)
                while await connection.exchange():
                    self.served += 1
        finally:
            self.connections -= 1

    async def _reply(self, request: Received) -> _Rendered:
        try:
            reply = await self._replies.reply(request)
            return reply if isinstance(reply, Wire) else _render(reply, request)
        except Exception as error:  # a handler may raise anything; the client must not be left without an answer
            self._error = self._error or error
            text = f"the handler raised {error!r}"
            return _render(error_reply(500, text, "handler_failed", protocol=request.protocol), request)


_Rendered: TypeAlias = Union[Wire, tuple[Reply, h11.Response, list[bytes]]]


def _render(reply: Reply, request: Received) -> _Rendered:
    headers = [
        (name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.head(request.protocol).items()
    ]
    return reply, h11.Response(status_code=reply.status, headers=headers), reply.pieces(request.protocol)


class _Connection:
    """One connection: requests in, replies out, until either side is done with it."""

    def __init__(self, stream: SocketStream, reply: Callable[[Received], Awaitable[_Rendered]]) -> None:
        self._stream = stream
        self._reply = reply
        self._http = h11.Connection(h11.SERVER)
        self._whole = False

    async def exchange(self) -> bool:
        """Answer one request; False once the connection is of no more use."""
        try:
            request = await self._request()
        except h11.RemoteProtocolError:
            return False
        if request is None:
            return False
        self._whole = False
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watch, tasks.cancel_scope)
            reply = await self._reply(request)
            if isinstance(reply, Wire):
                await self._play(reply)
            else:
                await self._answer(*reply)
            tasks.cancel_scope.cancel()
        if not self._whole or self._http.our_state is not h11.DONE:
            return self._whole
        self._http.start_next_cycle()
        return True

    async def _request(self) -> Received | None:
        head: h11.Request | None = None
        body = b""
        while True:
            match self._http.next_event():
                case h11.Request() as head:
                    pass
                case h11.Data(data=data):
                    body += bytes(data)
                case h11.EndOfMessage() if head is not None:
                    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
                    return Received(head.method.decode("ascii"), head.target.decode("ascii"), headers, body)
                case h11.NEED_DATA:
                    if self._http.they_are_waiting_for_100_continue:
                        await self._send(h11.InformationalResponse(status_code=100, headers=[]))
                    self._http.receive_data(await self._read())
                case _:
                    return None

    async def _watch(self, scope: anyio.CancelScope) -> None:
        """End the reply when the client goes away; what it sends meanwhile is kept for the next request."""
        while data := await self._read():
            self._http.receive_data(data)
        scope.cancel()

    async def _answer(self, reply: Reply, head: h11.Response, pieces: list[bytes]) -> None:
        await anyio.sleep(reply.delay_s)
        if not await self._send(head):
            return
        due = anyio.current_time()
        for piece in pieces:
            if reply.pace_s:
                await anyio.sleep_until(due)  # not a sleep between two: the rate holds however long a write takes
                due += reply.pace_s
            if not await self._send(h11.Data(data=piece)):
                return
        if reply.ends == "hangs":
            await anyio.sleep_forever()
        if reply.ends == "whole":
            self._whole = await self._send(h11.EndOfMessage())

    async def _play(self, wire: Wire) -> None:
        """Write what no HTTP library would."""
        steps, at = wire.steps, 0
        while True:
            for step in steps[at:]:
                if isinstance(step, Pause):
                    await anyio.sleep(step.seconds)
                elif not await self._write(step):
                    return
            if wire.ends != "repeats":
                break
            at = wire.loop
            await anyio.lowlevel.checkpoint()
        if wire.ends == "hangs":
            await anyio.sleep_forever()
        if wire.ends == "resets":
            # With what was written on its way: a reset throws away what has not left yet.
            await anyio.sleep(_LEAVE_S)
            raw = self._stream.extra(SocketAttribute.raw_socket)
            with suppress(OSError):  # the client has gone by now
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if wire.ends == "keeps":
            self._whole = True
            rest, _ = self._http.trailing_data
            self._http = h11.Connection(h11.SERVER)  # the one before saw no answer go out
            if rest:
                self._http.receive_data(rest)

    async def _send(self, event: h11.Event) -> bool:
        """Whether the client was there to take it."""
        return await self._write(self._http.send(event) or b"")

    async def _write(self, data: bytes) -> bool:
        try:
            if data:
                await self._stream.send(data)
        except _GONE:
            return False
        return True

    async def _read(self) -> bytes:
        """The next bytes, none at the end."""
        try:
            return await self._stream.receive()
        except _GONE:
            return b""
