"""How long after the bytes of an event were read from the socket its delta is delivered, beside bare httpx."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpcore
import httpx

from benchmarks.load_server import serving_slowly
from benchmarks.results import Row
from streamkit import Client, TextDelta

__all__ = ["latency"]

EVENTS, INTERVAL_S = 2000, 0.05
STREAMS = 4


def latency() -> Iterator[Row]:
    """Yield the time from the read of a socket to the delivered delta, p50 and p99, beside that to httpx's chunk."""
    with serving_slowly(EVENTS // STREAMS, INTERVAL_S) as url:
        found = {name: asyncio.run(_measure(read, url)) for name, read in (("bare httpx", _bare), ("streamkit", _ours))}
    for share in (0.5, 0.99):
        bare, ours = (_quantile(found[name], share) for name in ("bare httpx", "streamkit"))
        for name, value in (("bare httpx", bare), ("streamkit", ours)):
            yield Row("latency", f"{name}, p{share * 100:g}", value * 1e6, "µs", note=f"{len(found[name])} events")
        yield Row("latency", f"added by streamkit, p{share * 100:g}", (ours - bare) * 1e6, "µs")


class _Stamping(httpcore.AsyncNetworkBackend):
    """Notes when the bytes of a read were there, for each connection."""

    def __init__(self) -> None:
        self._inner = httpcore.AnyIOBackend()
        self.read_at = 0.0

    async def connect_tcp(self, *args: Any, **options: Any) -> httpcore.AsyncNetworkStream:
        return _Stream(await self._inner.connect_tcp(*args, **options), self)

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _Stream(httpcore.AsyncNetworkStream):
    def __init__(self, inner: httpcore.AsyncNetworkStream, stamps: _Stamping) -> None:
        self._inner = inner
        self._stamps = stamps

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's own
        data = await self._inner.read(max_bytes, timeout)
        self._stamps.read_at = time.perf_counter()
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's own
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


async def _measure(read: Callable[[str, httpx.AsyncClient], AsyncIterator[Any]], url: str) -> list[float]:
    """The seconds from the newest read to each item, over streams that take turns in one task each."""

    async def follow() -> list[float]:
        stamps = _Stamping()
        transport = httpx.AsyncHTTPTransport()
        transport._pool._network_backend = stamps  # there is no public way
        async with httpx.AsyncClient(transport=transport) as http:
            times = [time.perf_counter() - stamps.read_at async for _ in read(url, http)]
        return times[10:]

    return [seconds for times in await asyncio.gather(*(follow() for _ in range(STREAMS))) for seconds in times]


async def _bare(url: str, http: httpx.AsyncClient) -> AsyncIterator[bytes]:
    async with http.stream("POST", url + "/v1/chat/completions", json={"stream": True}) as response:
        async for chunk in response.aiter_raw():
            yield chunk


async def _ours(url: str, http: httpx.AsyncClient) -> AsyncIterator[TextDelta]:
    async with Client("openai/m", api_key="none", base_url=url + "/v1", http_client=http).stream("Hello") as stream:
        async for delta in stream:
            if type(delta) is TextDelta:
                yield delta


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]
