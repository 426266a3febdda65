"""What reading a stream over loopback HTTP costs: bare transports, streamkit on them, and its peers.

Each contender runs in a process of its own, in an environment of its own that `setup` makes from the extras with the
pinned versions. The server is one more process, the same for all.
"""

from __future__ import annotations

import subprocess
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import msgspec

from benchmarks.bench_engine import EVENTS, PAIRS
from benchmarks.contender import Figures
from benchmarks.contenders import CONTENDERS
from benchmarks.floor import floor
from benchmarks.results import Row
from benchmarks.server import serving
from benchmarks.workloads import PROTOCOLS, make

__all__ = ["client", "peers", "python_of", "setup"]

ROOT = Path(__file__).parent.parent
HOME = ROOT / ".bench"

# Deltas a stream, and streams a round: enough for half a second of the fast ones, few enough for the slow ones.
COUNT = 2000
STREAMS = {"transports": 3}

# The slow ones, which the last budget is about, and the fastest official SDK's raw stream.
SLOW = ("langchain", "pydantic-ai", "any-llm", "openai, .stream()")
RAW = {"openai-chat": "openai, raw stream", "anthropic": "anthropic, raw stream"}


def setup() -> None:
    """Make the environments of all contenders; takes minutes the first time."""
    for extra in dict.fromkeys(CONTENDERS.values()):
        home = HOME / extra
        if not home.exists():
            venv.create(home, with_pip=True)
        command = [home / "bin" / "python", "-m", "pip", "install", "--quiet", "--editable", f"{ROOT}[{extra}]"]
        subprocess.run(command, check=True)


def python_of(extra: str) -> Path:
    """Return the interpreter of the environment that has an extra's contenders; exits where there is none yet."""
    python = HOME / extra / "bin" / "python"
    if not python.exists():
        raise SystemExit("the contenders are not installed: run `python -m benchmarks setup` first")
    return python


def client() -> Iterator[Row]:
    """Yield the CPU an event that `client.stream` costs above the bare transport, beside the floor and the SDKs."""
    found = {figures.case: figures for figures in _measure("transports", "openai_sdk", "anthropic_sdk")}
    for protocol in PROTOCOLS:
        low = _floor_us(protocol)
        raw, under = (median(found[case].rounds_us) for case in (RAW[protocol], f"bare httpx2, {protocol}"))
        official = raw - under
        for transport in ("httpx", "httpx2", "aiohttp"):
            bare, inside, ours = (
                found[f"{name} {transport}, {protocol}"] for name in ("bare", "floor on", "streamkit on")
            )
            above, floor_above = _above(ours, bare), _above(inside, bare)
            note = f"{above:.2f} µs above bare {bare.cpu_us:.2f} µs, the floor in its place {floor_above:.2f} µs"
            yield Row("client", f"above {transport}, {protocol}", above / floor_above, "× floor", 3.0, note=note)
            note = f"the floor in a loop of its own {low:.2f} µs"
            yield Row("client", f"above {transport}, {protocol}, of that loop", above / low, "×", note=note)
            share = above / official
            note = f"{above:.2f} µs above, {RAW[protocol]} {official:.2f} µs above"
            yield Row("client", f"above {transport}, {protocol}, of the SDK's", share, "×", 0.2, note=note)


def peers() -> Iterator[Row]:
    """Yield the CPU an event of all contenders, and how many times less streamkit takes on aiohttp."""
    found = _measure(*CONTENDERS)
    ours = {figures.protocol: figures.cpu_us for figures in found if figures.case.startswith("streamkit on aiohttp")}
    for figures in found:
        note = f"wall {figures.wall_us:.1f} µs, peak {figures.peak_mib:.0f} MiB, import {figures.import_ms:.0f} ms"
        yield Row("peers", figures.case, figures.cpu_us, "µs/event", note=f"{note}, {figures.version}")
    for figures in found:
        times = figures.cpu_us / ours[figures.protocol]
        if figures.case in RAW.values():
            yield Row("peers", f"× less than {figures.case}", times, "×", at_least=4.0)
        elif figures.case.startswith(SLOW):
            yield Row("peers", f"× less than {figures.case}", times, "×", at_least=15.0)


def _above(case: Figures, bare: Figures) -> float:
    """How much more an event of `case` costs than a bare one: the median over rounds that were run side by side."""
    return median(a - b for a, b in zip(case.rounds_us, bare.rounds_us, strict=True))


def _measure(*names: str) -> list[Figures]:
    """Run these contenders, each in a process of its own, against one server."""
    with serving(COUNT) as url:
        return [figures for name in names for figures in _run(name, url)]


def _run(name: str, url: str) -> list[Figures]:
    python = python_of(CONTENDERS[name])
    command = [python, "-m", "benchmarks.contender", name, url, str(COUNT), str(STREAMS.get(name, 1))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr[-2000:]}")
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]  # some print advertisements
    return [msgspec.json.decode(line, type=Figures) for line in lines]


def _floor_us(protocol: str) -> float:
    events = make(protocol, "text", EVENTS).events
    times = []
    for _ in range(PAIRS):
        start = time.process_time()
        floor(protocol, events)
        times.append(time.process_time() - start)
    return median(times) / len(events) * 1e6
