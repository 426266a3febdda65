"""What an answer of one choice rests on: each source once, with the text that it belongs to."""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.deltas import Delta
from streamkit.protocols.writer import BlockWriter

__all__ = ["Sources"]


class Sources:
    """Sources as they come → citations; they wait until there is text that they can belong to."""

    def __init__(self, writer: BlockWriter) -> None:
        self._writer = writer
        self._cited: set[bytes] = set()
        self._waiting: list[Any] = []

    def __bool__(self) -> bool:
        """Whether any wait."""
        return bool(self._waiting)

    def add(self, sources: list[Any], out: list[Delta]) -> None:
        """Take in sources, of which those that came before say nothing."""
        for source in sources:
            key = msgspec.json.encode(source, order="deterministic")
            if key not in self._cited:
                self._cited.add(key)
                self._waiting.append(source)
        if self._writer.kind == "text":
            self.release(out)

    def release(self, out: list[Delta]) -> None:
        """Give out those that wait."""
        for source in self._waiting:
            self._writer.cite(out, source)
        self._waiting.clear()
