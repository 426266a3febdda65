"""The http clients that we make, as many as the streams of an event loop need.

What a request costs in httpcore's pool grows with the square of the connections in it (3 ms of CPU at 100, 20 ms at
1,000), so no client has more than `SIZE` streams at a time.
"""

from __future__ import annotations

from anyio.lowlevel import RunVar

from streamkit.transport.http_clients import HTTPClient, new_http_client

__all__ = ["SIZE", "EventLoop", "Pools", "this_loop"]

SIZE = 16


class EventLoop:
    """Stands for an event loop: it lives as long."""


class Pools:
    """The http clients of one event loop, each made when those before it are full."""

    def __init__(self, kind: str = "httpx") -> None:
        """`kind` is that of the clients: one of `http_clients.KINDS`."""
        self._kind = kind
        self._streams: dict[HTTPClient, int] = {}  # how many each has open

    def take(self) -> HTTPClient:
        """Return a client for one more stream: the first with room, so that idle connections are used again."""
        http = next((http for http, streams in self._streams.items() if streams < SIZE), None)
        if http is None:
            http = new_http_client(self._kind)
        self._streams[http] = self._streams.get(http, 0) + 1
        return http

    def give_back(self, http: HTTPClient) -> None:
        """Note that a stream has ended; does nothing after `aclose`."""
        if http in self._streams:
            self._streams[http] -= 1

    async def aclose(self) -> None:
        """Close all connections."""
        while self._streams:
            http, _ = self._streams.popitem()
            await http.aclose()


_LOOP: RunVar[EventLoop] = RunVar("streamkit.transport.pools.loop")


def this_loop() -> EventLoop:
    """Return what stands for the event loop that runs."""
    loop = _LOOP.get(None)
    if loop is None:
        _LOOP.set(loop := EventLoop())
    return loop
