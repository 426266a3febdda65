"""The blocks of an interaction that grow, by the index of their step."""

from __future__ import annotations

from collections.abc import Callable

from streamkit.protocols.anthropic.blocks import StreamedBlock

__all__ = ["Shelf"]


class Shelf:
    """What the steps of one answer share: `open` blocks, of which each step has one at a time, and their numbers."""

    def __init__(self, limit: int, mint: Callable[[], str]) -> None:
        self.open: dict[int, StreamedBlock] = {}
        self.count = 0  # of the blocks that went out, which is the next dense index
        self.limit = limit  # bytes of the arguments of a call
        self.mint = mint

    def take_index(self) -> int:
        """Return the index of one more block."""
        self.count += 1
        return self.count - 1
