"""Something that happens while a task waits, at the very await that is meant."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from types import coroutine
from typing import Any, TypeVar

from streamkit.transport.background import on_trio

__all__ = ["Awaits"]

T = TypeVar("T")


class Awaits:
    """Counts how often what it watches has to wait, and does something at one of those times.

    `act` is called when number `at` (from 1 on) has just begun, before anything else goes on. Each await counts as
    often as it gives the event loop its turn, whoever wrote it: asyncio and trio hear of no others.
    """

    def __init__(self, at: int = 0, act: Callable[[], object] = lambda: None) -> None:
        self.count = 0
        self._at, self._act = at, act

    async def watch(self, awaitable: Awaitable[T]) -> T:
        """Return what `awaitable` gives."""
        result: T = await self._counted(awaitable)
        return result

    @coroutine
    def _counted(self, awaitable: Awaitable[Any]) -> Generator[Any, Any, Any]:
        steps = awaitable.__await__()
        resume: Callable[[Any], Any] = steps.send
        given: Any = None
        while True:
            try:
                trap = resume(given)
            except StopIteration as end:
                return end.value
            self.count += 1
            if self.count == self._at:
                _soon(self._act)
            try:
                resume, given = steps.send, (yield trap)
            except BaseException as error:  # a cancellation, which belongs to what waits
                resume, given = steps.throw, error


def _soon(act: Callable[[], object]) -> None:
    """Call `act` as soon as the event loop knows that the running task waits."""
    if not on_trio():
        asyncio.get_running_loop().call_soon(act)
        return
    import trio

    waiting = trio.lowlevel.current_task()

    class Once(trio.abc.Instrument):
        def after_task_step(self, task: trio.lowlevel.Task) -> None:
            if task is waiting:
                trio.lowlevel.remove_instrument(self)
                act()

    trio.lowlevel.add_instrument(Once())
