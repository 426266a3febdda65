"""Tasks that outlive the call that starts them, on asyncio and on trio.

An async generator cannot hold a task group open while it yields, so what has to run between two of its items is a
task of its own. anyio has none, so this is the one module that asks which of the two it is on.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from types import AsyncGeneratorType
from typing import Any, TypeAlias

__all__ = ["Closer", "closer", "on_trio", "spawn"]

_Generator: TypeAlias = AsyncGeneratorType[Any, None]
Closer: TypeAlias = Callable[[_Generator], None]

logger = logging.getLogger("streamkit")

# How long an asyncio loop that cancelled the closing of a generator has to shut down, and close it so, in s.
SHUTDOWN_S = 1.0

_tasks: set[Any] = set()  # asyncio itself holds no task


def on_trio() -> bool:
    """Whether the caller runs in trio; else, where it runs at all, it is asyncio."""
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_run())


def spawn(function: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run `function` in a task of its own, in the caller's context; it must let no error out."""
    if on_trio():
        import trio

        trio.lowlevel.spawn_system_task(function, context=copy_context())
        return
    import asyncio  # noqa: TID251 # anyio starts tasks in task groups only

    task = asyncio.get_running_loop().create_task(function())
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


def closer() -> Closer:
    """Return what closes a generator of the running event loop from a destructor, in a task; to be made beforehand."""
    return _trio_closer() if on_trio() else _asyncio_closer()


def _trio_closer() -> Closer:
    import trio

    token = trio.lowlevel.current_trio_token()

    def close(generator: _Generator) -> None:
        def start() -> None:
            if generator.ag_frame is None:
                return
            try:
                trio.lowlevel.spawn_system_task(_close, generator)
            except RuntimeError:  # trio is ending and takes no more tasks: it closes what generators are left then
                schedule()

        def schedule() -> None:
            try:
                token.run_sync_soon(start)
            except trio.RunFinishedError:
                logger.debug("trio has ended before %r was closed", generator)

        schedule()

    return close


def _asyncio_closer() -> Closer:
    import asyncio  # noqa: TID251 # see above

    loop = asyncio.get_running_loop()

    def start(generator: _Generator) -> None:
        task = loop.create_task(_close(generator))
        _tasks.add(task)

        def ended(task: asyncio.Task[None]) -> None:
            _tasks.discard(task)
            if task.cancelled() and generator.ag_frame is not None and not loop.is_closed():
                # Where asyncio.run cancelled the task before its first step, the loop will close the generator
                # itself, if it is still there by then.
                loop.call_later(SHUTDOWN_S, start, generator)

        task.add_done_callback(ended)

    def close(generator: _Generator) -> None:
        if loop.is_closed():
            return  # with its sockets; nothing can be awaited any more
        if asyncio._get_running_loop() is loop:
            start(generator)
        else:
            loop.call_soon_threadsafe(start, generator)

    return close


async def _close(generator: _Generator) -> None:
    try:
        await generator.aclose()
    except Exception:
        logger.warning("an error while an abandoned run was closed", exc_info=True)
