"""What the tests of every framing share: what comes of a body in some cut, and what decoding costs a byte."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter, thread_time

import pytest
from msgspec import Struct

from streamkit.errors import StreamkitError
from streamkit.wire import Decoder, Frame

BUSY_S = 3.0  # how long a machine may be too busy for its figures to mean anything


class Outcome(Struct):
    """Everything that a decoder tells of a body; `error` is its class and its words."""

    frames: list[Frame]
    heartbeats: int
    error: str = ""


def run(decoder: Decoder, pieces: Iterable[bytes]) -> Outcome:
    """Feed `pieces`, end the input, and check on the way that an error is told as the contract says."""
    frames: list[Frame] = []
    error = ""
    for piece in pieces:
        frames += decoder.feed(piece)
        if decoder.error is not None:
            with pytest.raises(StreamkitError) as again:
                decoder.feed(b"data: {}\n\n")
            assert again.value is decoder.error
            break
    try:
        frames += decoder.finish()
    except StreamkitError as caught:
        assert caught is decoder.error
        error = f"{type(caught).__name__}: {caught}"
    else:
        assert decoder.error is None
    return Outcome(frames, decoder.heartbeats, error)


def seconds(new_decoder: Callable[[], Decoder], inputs: Sequence[Sequence[bytes]]) -> float:
    """The CPU time of decoding each input, with all that comes of them kept."""
    decoders = [new_decoder() for _ in inputs]
    kept: list[list[Frame]] = []
    start = thread_time()
    for decoder, pieces in zip(decoders, inputs, strict=True):
        for piece in pieces:
            kept.append(decoder.feed(piece))  # noqa: PERF401 - what is measured is as plain as it can be
        kept.append(decoder.finish())
    return thread_time() - start


def growth_of_cost(new_decoder: Callable[[], Decoder], pieces: Callable[[int], Sequence[bytes]]) -> float:
    """By what a byte costs more in ten times the input: best of five, more rounds where the machine is busy.

    It is measured against ten inputs of the small size, so that both need the same memory.
    """
    small, large = [pieces(1) for _ in range(10)], [pieces(10)]
    best_small = best_large = float("inf")
    gc.collect()
    gc.disable()
    try:
        begun, done = perf_counter(), 0
        while done < 5 or (best_large >= 1.2 * best_small and (done < 30 or perf_counter() < begun + BUSY_S)):
            best_small = min(best_small, seconds(new_decoder, small))
            best_large = min(best_large, seconds(new_decoder, large))
            done += 1
    finally:
        gc.enable()
    return best_large / best_small


@pytest.fixture(scope="session")
def decode() -> Callable[[Decoder, Iterable[bytes]], Outcome]:
    return run


@pytest.fixture(scope="session")
def growth() -> Callable[[Callable[[], Decoder], Callable[[int], Sequence[bytes]]], float]:
    return growth_of_cost
