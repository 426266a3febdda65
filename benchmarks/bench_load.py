"""What two thousand streams at once cost in one process, beside one hundred, bare httpx and OpenAI's SDK."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from statistics import median

import msgspec

from benchmarks.bench_peers import ROOT, python_of
from benchmarks.load_client import CASES, Load
from benchmarks.load_server import raise_file_limit, serving_slowly
from benchmarks.results import Row

__all__ = ["load"]

FEW, MANY = 100, 2000
SECONDS = 60.0
# So slow that one core carries all streams: what waits in a process that cannot keep up is no figure of its memory.
EVENTS, INTERVAL_S = 20, 1.0


def load() -> Iterator[Row]:
    """Yield the cost of 2,000 streams at once for a minute, against that of 100, with peers in the same run."""
    raise_file_limit()
    found: dict[tuple[str, int], Load] = {}
    with serving_slowly(EVENTS, INTERVAL_S) as url:
        for case in CASES:
            for streams in (FEW, MANY):
                figures = found[case, streams] = _run(case, url, streams)
                note = f"{figures.events} events, {figures.answers} answers"
                yield Row("load", f"{case}, {streams} streams", figures.cpu_us, "µs/event", note=note)
    for case in ("streamkit", "streamkit on aiohttp"):
        few, many = found[case, FEW], found[case, MANY]
        slowest, usual = many.gap_p99_ms[-1], median(many.gap_p99_ms)
        yield Row("load", f"{case}, errors", float(many.errors + few.errors), "", 0.0)
        yield Row("load", f"{case}, an event at {MANY} streams", many.cpu_us / few.cpu_us, f"× at {FEW}", 1.3)
        note = f"p99 gaps: slowest {slowest:.0f} ms, median {usual:.0f} ms"
        yield Row("load", f"{case}, slowest stream", slowest / usual, "× median", 3.0, note=note)
        bare = found["bare httpx", MANY].kib_a_stream
        note = f"bare httpx {bare:.0f} KiB"
        yield Row("load", f"{case}, memory a stream", many.kib_a_stream, "KiB", note=note)
        note = "of the whole process, over the second half minute"
        yield Row("load", f"{case}, growth", many.growth_kib_a_min, "KiB/min", note=note)


def _run(case: str, url: str, streams: int) -> Load:
    command = [python_of("bench"), "-m", "benchmarks.load_client", case, url, str(streams), str(SECONDS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{case} failed:\n{done.stderr[-2000:]}")
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=Load)
