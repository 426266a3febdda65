"""Many streams at once in one process.

`python -m benchmarks.load_client CASE URL STREAMS SECONDS` prints one JSON line.

Each of the streams is a task that reads one answer after the other, until the time is over.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from array import array
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from benchmarks.load_server import raise_file_limit

__all__ = ["CASES", "Load", "resident_kib"]

# Opens what a case needs; returns what gives the pieces of one answer.
Open: TypeAlias = Callable[[str, AsyncExitStack], Any]

_WARM_S = 2.0  # until all streams are under way


class Load(Struct, frozen=True):
    """What so many streams at once cost: CPU an event, memory a stream, and how regularly events came."""

    case: str
    streams: int
    events: int
    answers: int
    errors: int
    cpu_us: float
    kib_a_stream: float
    growth_kib_a_min: float  # of the process, over the last half
    gap_p99_ms: list[float]  # of each stream, rising


async def _bare_httpx(url: str, stack: AsyncExitStack) -> Callable[[], AsyncIterator[Any]]:
    import httpx

    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    client = await stack.enter_async_context(httpx.AsyncClient(limits=limits, timeout=60, trust_env=False))

    async def answer() -> AsyncIterator[Any]:
        async with client.stream("POST", url + "/v1/chat/completions", json={"stream": True}) as response:
            async for chunk in response.aiter_raw():
                yield chunk

    return answer


async def _streamkit(url: str, stack: AsyncExitStack) -> Callable[[], AsyncIterator[Any]]:
    from streamkit import Client

    return _read(await stack.enter_async_context(Client("openai/m", api_key="none", base_url=url + "/v1")))


async def _streamkit_aiohttp(url: str, stack: AsyncExitStack) -> Callable[[], AsyncIterator[Any]]:
    import aiohttp
    import httpx
    from httpx_aiohttp import AiohttpTransport

    from streamkit import Client

    session = await stack.enter_async_context(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))
    transport = AiohttpTransport(client=session)
    http = await stack.enter_async_context(httpx.AsyncClient(transport=transport, trust_env=False))
    return _read(Client("openai/m", api_key="none", base_url=url + "/v1", http_client=http))


def _read(client: Any) -> Callable[[], AsyncIterator[Any]]:
    from streamkit import TextDelta

    async def answer() -> AsyncIterator[Any]:
        async with client.stream("Hello") as stream:
            async for delta in stream:
                if type(delta) is TextDelta:
                    yield delta

    return answer


async def _openai(url: str, stack: AsyncExitStack) -> Callable[[], AsyncIterator[Any]]:
    from openai import AsyncOpenAI

    client = await stack.enter_async_context(AsyncOpenAI(api_key="none", base_url=url + "/v1", timeout=60))

    async def answer() -> AsyncIterator[Any]:
        messages: Any = [{"role": "user", "content": "Hello"}]
        async for chunk in await client.chat.completions.create(model="m", messages=messages, stream=True):
            if chunk.choices and chunk.choices[0].delta.content:
                yield chunk

    return answer


CASES: dict[str, Open] = {
    "streamkit": _streamkit,
    "streamkit on aiohttp": _streamkit_aiohttp,
    "bare httpx": _bare_httpx,
    "openai": _openai,
}


async def _measure(case: str, url: str, streams: int, seconds: float) -> Load:
    raise_file_limit()
    async with AsyncExitStack() as stack:
        answer = await CASES[case](url, stack)
        async for _ in answer():
            break  # imports and caches are not what is measured
        gc.collect()
        before = resident_kib()
        gaps = [array("f") for _ in range(streams)]  # in little memory, which is measured too
        counts = {"events": 0, "answers": 0, "errors": 0}
        stop = time.perf_counter() + _WARM_S + seconds

        async def follow(own: array[float]) -> None:
            while time.perf_counter() < stop:
                last = 0.0
                try:
                    pieces = answer()
                    async for _ in pieces:
                        now = time.perf_counter()
                        counts["events"] += 1
                        if last:
                            own.append(now - last)
                        last = now
                        if now > stop:
                            await pieces.aclose()
                            return
                    counts["answers"] += 1
                except Exception as error:  # of any contender: counted, and said
                    counts["errors"] += 1
                    print(f"{type(error).__name__}: {error}", file=sys.stderr)

        tasks = [asyncio.create_task(follow(own)) for own in gaps]
        await asyncio.sleep(_WARM_S)
        cpu, first = time.process_time(), counts["events"]
        for own in gaps:
            del own[:]
        await asyncio.sleep(seconds / 2)
        half = resident_kib()
        await asyncio.sleep(seconds / 2)
        cpu, last = time.process_time() - cpu, counts["events"]
        after = resident_kib()
        await asyncio.gather(*tasks)
    return Load(
        case,
        streams,
        last - first,
        counts["answers"],
        counts["errors"],
        cpu / max(1, last - first) * 1e6,
        (half - before) / streams,
        (after - half) / (seconds / 2) * 60,
        sorted(_p99(own) * 1e3 for own in gaps if own),
    )


def _p99(values: array[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


def resident_kib() -> int:
    """Return how much memory the process has."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise SystemExit("memory is measured on Linux only")


if __name__ == "__main__":
    found = asyncio.run(_measure(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
    print(msgspec.json.encode(found).decode())
