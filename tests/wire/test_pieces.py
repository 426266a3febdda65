"""Pieces of bytes, taken as one."""

from __future__ import annotations

import tracemalloc

import pytest

from streamkit.wire.pieces import LOOSE_PIECES, Pieces


@pytest.mark.parametrize("count", [0, 1, 5, LOOSE_PIECES - 1, LOOSE_PIECES, LOOSE_PIECES + 1, 3 * LOOSE_PIECES + 7])
def test_pieces_are_taken_in_order_as_one(count: int) -> None:
    pieces = Pieces()
    for number in range(count):
        pieces.add(b"%d," % number)
    want = b"".join(b"%d," % number for number in range(count))
    assert pieces.size == len(want)
    assert pieces.take() == want
    assert (pieces.size, pieces.take()) == (0, b"")


def test_what_is_cleared_is_gone() -> None:
    pieces = Pieces()
    for _ in range(LOOSE_PIECES + 1):
        pieces.add(b"x")
    pieces.clear()
    pieces.add(b"y")
    assert (pieces.size, pieces.take()) == (1, b"y")


def test_many_small_pieces_take_little_more_memory_than_their_bytes() -> None:
    tracemalloc.start()
    try:
        pieces = Pieces()
        for number in range(100_000):
            pieces.add(b"%05d" % number)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert pieces.size == 500_000
    assert held < 1.2 * pieces.size
