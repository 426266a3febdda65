"""Measures the cases of one contender in a process of its own.

`python -m benchmarks.contender NAME URL COUNT STREAMS` prints one JSON line a case.
"""

from __future__ import annotations

import asyncio
import gc
import resource
import sys
import time
from contextlib import AsyncExitStack
from importlib.metadata import version

import msgspec
from msgspec import Struct

from benchmarks.contenders import Read, load
from benchmarks.workloads import PROTOCOLS, make

__all__ = ["Figures"]

ROUNDS = 15


class Figures(Struct, frozen=True):
    """What one case costs: CPU and wall time an event (best of 15 rounds), the process's peak memory, the import."""

    contender: str
    case: str
    protocol: str
    version: str
    cpu_us: float
    wall_us: float
    peak_mib: float
    import_ms: float
    rounds_us: list[float]  # CPU an event of each round, so that rounds run side by side can be set against each other


async def _measure(name: str, url: str, count: int, streams: int) -> None:
    start = time.perf_counter()
    module = load(name)
    import_ms = (time.perf_counter() - start) * 1e3
    texts = {protocol: make(protocol, "text", count) for protocol in PROTOCOLS}
    rounds: dict[str, list[tuple[float, float]]] = {case: [] for case in module.CASES}
    async with AsyncExitStack() as stack:
        reads = {case: await ready(url, stack) for case, (_, ready) in module.CASES.items()}
        for case, (protocol, _) in module.CASES.items():
            text = await reads[case]()  # connections, caches and lazy imports are not what is measured
            if text not in ("", texts[protocol].text):
                raise SystemExit(f"{case} read the wrong text: {text[:80]!r}")
        for _ in range(ROUNDS):  # in turns, so that a busy moment of the machine is no one's alone
            for case, read in reads.items():
                rounds[case].append(await _round(read, streams))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for case, (protocol, _) in module.CASES.items():
        events = streams * len(texts[protocol].events)
        cpu, wall = (min(values) / events * 1e6 for values in zip(*rounds[case], strict=True))
        each = [spent / events * 1e6 for spent, _ in rounds[case]]
        figures = Figures(name, case, protocol, version(module.PACKAGE), cpu, wall, peak, import_ms, each)
        print(msgspec.json.encode(figures).decode(), flush=True)


async def _round(read: Read, streams: int) -> tuple[float, float]:
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(streams):
        await read()
    return time.process_time() - cpu, time.perf_counter() - wall


if __name__ == "__main__":
    asyncio.run(_measure(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
