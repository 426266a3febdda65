"""What the libraries that can carry a request cost, under asyncio and under uvloop."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator

from benchmarks.bench_peers import ROOT, python_of
from benchmarks.h2_server import serving_h2
from benchmarks.results import Row
from benchmarks.server import serving

__all__ = ["transports"]

COUNT = 3000
LOOPS = ("asyncio", "uvloop")


def transports() -> Iterator[Row]:
    """Yield the CPU an event of streamkit by each HTTP library and event loop, and of the library alone."""
    with serving(COUNT) as url:
        for kind in ("httpx", "httpx2", "aiohttp"):
            for loop in LOOPS:
                yield _row(kind, loop, url, "")
    with serving_h2(python_of("bench"), COUNT) as url:
        time.sleep(1)  # it says its address before it listens
        for kind in ("httpx", "http2"):
            yield _row(kind, "asyncio", url, ", TLS")


def _row(kind: str, loop: str, url: str, how: str) -> Row:
    command = [python_of("bench"), "-m", "benchmarks.transports", kind, loop, url, str(COUNT)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{kind} on {loop} failed:\n{done.stderr[-2000:]}")
    bare, ours = map(float, done.stdout.split())
    return Row("transports", f"{kind} on {loop}{how}", ours, "µs/event", note=f"the library alone {bare:.1f} µs")
