"""A hundred thousand short streams with faults and breaks: what is left of them, and whether memory grows."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Iterator
from contextlib import suppress
from random import Random

from msgspec import Struct, field

from benchmarks.load_client import resident_kib
from benchmarks.results import Row
from benchmarks.soak_server import EVENTS, serving_badly
from streamkit import Client, Retry, StreamkitError

__all__ = ["soak"]

STREAMS, FIRST, AT_ONCE = 100_000, 1_000, 50
EVERY = 500  # streams between two looks at the memory
SLOPE = 100.0  # KiB a 10,000 streams that are no trend: the noise of the allocator


class _Tally(Struct):
    begun: int = 0
    whole: int = 0
    left: int = 0
    failed: int = 0
    memory_kib: list[int] = field(default_factory=list)


def soak() -> Iterator[Row]:
    """Yield what 100,000 streams with random breaks and faults leave behind, against the first 1,000."""
    with serving_badly() as url:
        tally, first, last = asyncio.run(_run(url))
    note = f"{tally.whole} whole, {tally.left} left early, {tally.failed} failed"
    yield Row("soak", "streams", float(tally.begun), "", note=note)
    for number, name in enumerate(("sockets", "tasks")):
        more = last[number] - first[number]
        yield Row("soak", f"{name} more than after {FIRST}", float(more), "", 0.0, note=f"{last[number]} at the end")
    half = tally.memory_kib[len(tally.memory_kib) // 2 :]
    note = f"{half[0] / 1024:.1f} MiB at half, {half[-1] / 1024:.1f} MiB at the end"
    slope = _slope(half) * 10_000 / EVERY
    yield Row("soak", "memory over the last half", slope, "KiB / 10,000 streams", SLOPE, note=note)


async def _run(url: str) -> tuple[_Tally, tuple[int, int], tuple[int, int]]:
    tally, random = _Tally(), Random(7)
    retry = Retry(times=1, first_wait_s=0)
    async with Client("openai/m", api_key="none", base_url=url + "/v1", retry=retry) as client:

        async def follow(goal: int) -> None:
            while tally.begun < goal:
                tally.begun += 1
                if tally.begun % EVERY == 0:
                    gc.collect()
                    tally.memory_kib.append(resident_kib())
                await _read(client, random.choice([0, random.randrange(1, EVENTS)]), tally)

        left = []
        for goal in (FIRST, STREAMS):
            async with asyncio.TaskGroup() as tasks:
                for _ in range(AT_ONCE):
                    tasks.create_task(follow(goal))
            left.append(await _left(client))
    return tally, left[0], left[1]


async def _read(client: Client, leave_at: int, tally: _Tally) -> None:
    """Read one stream, and leave it at a delta; at 0 it is read to its end."""
    at = 0
    try:
        async with client.stream("Hello", coalesce=leave_at % 7 == 3) as stream:
            async for _ in stream:
                at += 1
                if at == leave_at:
                    break
    except StreamkitError:
        tally.failed += 1
    else:
        tally.left += at == leave_at
        tally.whole += at != leave_at


async def _left(client: Client) -> tuple[int, int]:
    """How many sockets and tasks there are, once all that is ending has ended and idle connections are closed."""
    await client.aclose()
    await asyncio.sleep(1)
    return _sockets(), len(asyncio.all_tasks())


def _sockets() -> int:
    links = []
    for name in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # of the listing itself
            links.append(os.readlink(f"/proc/self/fd/{name}"))
    return sum(link.startswith("socket:") for link in links)


def _slope(values: list[int]) -> float:
    """The slope of the line that fits best, a step."""
    middle, mean = (len(values) - 1) / 2, sum(values) / len(values)
    across = sum((at - middle) ** 2 for at in range(len(values)))
    return sum((at - middle) * (value - mean) for at, value in enumerate(values)) / across
