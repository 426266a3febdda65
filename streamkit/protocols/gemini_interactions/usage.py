"""The token counts of an interaction → snapshots.

By the types of `google-genai` 3.6.1 and recordings, checked 2026-11-30: the counts are Gemini's under other names, and
mean the same.
"""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.deltas import Delta, UsageSnapshot
from streamkit.protocols.gemini.usage import UsageReader
from streamkit.protocols.gemini_interactions.views import Counts
from streamkit.usage import Usage

__all__ = ["Snapshots"]


class Snapshots:
    """The counts so far; each change of what they say is a snapshot. `last` is what the last piece came with."""

    def __init__(self) -> None:
        self.last: Counts | None = None
        self._reader = UsageReader()
        self._told = Usage()

    def note(self, usage: Any, out: list[Delta]) -> None:
        """Take in the `usage` of an event, which may have none."""
        if isinstance(usage, dict):
            self._read(msgspec.convert(usage, Counts), out)

    def accompany(self, counts: Counts | None, out: list[Delta]) -> None:
        """Take in the counts that came with a piece."""
        if counts is not None:
            self.last = counts
            self._read(counts, out)

    def _read(self, counts: Counts, out: list[Delta]) -> None:
        self._reader.read(counts)
        if self._reader.usage != self._told:
            self._told = self._reader.usage
            out.append(UsageSnapshot(self._told))
