"""How much CPU bytes → deltas → message costs above the floor, and whether an event costs the same at any length."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from typing import Any

import streamkit
from benchmarks.floor import floor
from benchmarks.results import Row
from benchmarks.workloads import KINDS, PROTOCOLS, RENDERED, make, reads

__all__ = ["engine", "linear", "read_all"]

# Of the floor, one event a read and 64 KiB a read. Dialects that send the whole text so far are measured against
# decoding that whole text.
BUDGET: dict[str, tuple[float | None, float | None]] = {"openai-chat": (1.8, 1.5), "openai-responses": (2.0, 1.6)}
BUDGET |= dict.fromkeys(("sglang", "fastchat", "vllm-generate"), (1.5, 1.5))
BUDGET |= dict.fromkeys(("gradio", "tgi"), (None, None))  # which revise what they said: no reader of pieces is a floor
OTHERS = (2.3, 1.8)
EVENTS = 4000
PAIRS = 25
LINEAR = 1.25
LENGTHS = (2000, 20000)


def engine() -> Iterator[Row]:
    """Yield the engine's cost as a multiple of the floor's: median of 25 pairs, each pair run back to back."""
    for protocol in RENDERED:
        workload = make(protocol, "text", EVENTS)
        for size, budget in zip(("one", "big"), BUDGET.get(protocol, OTHERS), strict=True):
            pieces = reads(workload, size)
            pairs = [_pair(protocol, pieces) for _ in range(PAIRS)]
            ratio, low, cost = sorted((b / a, a, b) for a, b in pairs)[PAIRS // 2]
            note = f"{cost / EVENTS * 1e6:.2f} µs an event, floor {low / EVENTS * 1e6:.2f} µs"
            yield Row("engine", f"{protocol}, {size}", ratio, "× floor", budget, note=note)


def linear() -> Iterator[Row]:
    """Yield how much more an event costs in a stream ten times as long: gc off, best of five."""
    for protocol in PROTOCOLS:
        for kind in KINDS:
            for size in ("one", "big"):
                short, long = _best(protocol, kind, size)
                note = f"{short * 1e6:.2f} → {long * 1e6:.2f} µs an event"
                yield Row("linear", f"{protocol}, {kind}, {size}", long / short, "×", LINEAR, note=note)


def read_all(protocol: str, pieces: list[bytes]) -> streamkit.MessageOutput:
    """Return the message that the reads make."""
    parser, accumulator = streamkit.get_protocol(protocol).parser(), streamkit.Accumulator()
    for piece in pieces:
        for delta in parser.feed(piece):
            accumulator.feed(delta)
    for delta in parser.finish():
        accumulator.feed(delta)
    return accumulator.finish()


def _pair(protocol: str, pieces: list[bytes]) -> tuple[float, float]:
    gc.collect()
    return _time(lambda: floor(protocol, pieces)), _time(lambda: read_all(protocol, pieces))


def _best(protocol: str, kind: str, size: str) -> tuple[float, float]:
    """Seconds an event of a short and of a long stream, measured in turns."""
    workloads = [make(protocol, kind, count) for count in LENGTHS]
    pieces = [reads(workload, size) for workload in workloads]
    gc.collect()
    gc.disable()
    try:
        turns = [[_time(lambda p=p: read_all(protocol, p)) for p in pieces] for _ in range(5)]
    finally:
        gc.enable()
    short, long = (
        min(times) / len(workload.events) for times, workload in zip(zip(*turns, strict=True), workloads, strict=True)
    )
    return short, long


def _time(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start
