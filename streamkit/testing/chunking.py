"""Ways to cut the bytes of a body into the pieces in which a network may deliver them.

Whatever the cut, the deltas are the same once coalesced, and so are the message and the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

__all__ = ["CHUNKINGS", "bytewise", "linewise", "splits", "two_parts", "whole"]


def whole(data: bytes) -> list[bytes]:
    """Return all of it as one piece."""
    return [data]


def bytewise(data: bytes) -> list[bytes]:
    """Return one piece a byte: every character, every CRLF and every number is cut."""
    return [data[at : at + 1] for at in range(len(data))]


def linewise(data: bytes) -> list[bytes]:
    """Return one piece a line, its end included, so that no piece but a blank line ends an event."""
    return data.splitlines(keepends=True)


def splits(data: bytes, seed: int = 0, count: int = 10) -> Iterator[list[bytes]]:
    """Yield `count` random cuts, the same ones for the same seed; from a few large pieces to many tiny ones.

    A piece may be empty, as a read may be.
    """
    random = Random(seed)
    for _ in range(count):
        cuts = random.randint(1, max(1, len(data) // random.choice((2, 10, 100, 1000))))
        places = [0, *sorted(random.randint(0, len(data)) for _ in range(cuts)), len(data)]
        yield [data[a:b] for a, b in zip(places, places[1:], strict=False)]


def two_parts(data: bytes) -> Iterator[list[bytes]]:
    """Yield every cut into two pieces, the empty ones at both ends included."""
    for at in range(len(data) + 1):
        yield [data[:at], data[at:]]


# The cuts that need no further argument, by name.
CHUNKINGS: dict[str, Callable[[bytes], list[bytes]]] = {"whole": whole, "bytewise": bytewise, "linewise": linewise}
