"""What one library costs under one event loop, in a process of its own.

`python -m benchmarks.transports KIND LOOP URL COUNT` prints the CPU an event in µs: bare, then with streamkit.
"""

from __future__ import annotations

import asyncio
import gc
import ssl
import sys
import time
from collections.abc import Awaitable, Callable
from statistics import median
from typing import Any

from benchmarks.workloads import make
from streamkit import Client
from streamkit.transport import http_clients

__all__: list[str] = []

ROUNDS = 9


async def _measure(kind: str, url: str, count: int) -> None:
    events = len(make("openai-chat", "text", count).events)
    if url.startswith("https"):  # the server's certificate is its own
        plain = ssl.create_default_context()
        plain.check_hostname, plain.verify_mode = False, ssl.CERT_NONE
        http_clients.tls_context = lambda: plain
    http = http_clients.new_http_client(kind)
    client = Client("openai/m", api_key="none", base_url=url + "/v1", http_client=http)

    async def bare() -> None:
        async with http.stream("POST", url + "/v1/chat/completions", json={"stream": True}) as response:
            async for _ in response.aiter_raw():
                pass

    async def ours() -> None:
        async with client.stream("Hello") as stream:
            async for _ in stream:
                pass
        assert stream.output.usage is not None

    async with http:
        for read in (bare, ours):
            await read()  # connections and caches are not what is measured
            print(median([await _cpu_s(read) for _ in range(ROUNDS)]) / events * 1e6)


async def _cpu_s(read: Callable[[], Awaitable[Any]]) -> float:
    gc.collect()
    began = time.process_time()
    await read()
    return time.process_time() - began


def _main() -> None:
    kind, loop, url, count = sys.argv[1:]
    work = _measure(kind, url, int(count))
    if loop == "uvloop":
        import uvloop

        uvloop.run(work)
    else:
        asyncio.run(work)


if __name__ == "__main__":
    _main()
