"""What a server reports of a call while it works."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

__all__ = ["Progress"]

MAX_REPORTS = 64  # that wait to be taken


class Progress:
    """Hands on what a server reports of a call until that has ended.

    Left out is what a later report has overtaken, and what comes while `MAX_REPORTS` wait to be taken.
    """

    def __init__(self, update: Callable[[Any], Awaitable[None]]) -> None:
        self._update = update
        self._latest = float("-inf")
        self._waiting = 0
        self.ended = False

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        if self.ended or progress <= self._latest or self._waiting == MAX_REPORTS:
            return
        self._latest = progress
        self._waiting += 1
        report = {"progress": progress, "total": total, "message": message}
        try:
            await self._update({name: item for name, item in report.items() if item is not None})
        finally:
            self._waiting -= 1
