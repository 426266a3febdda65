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

import anyio

__all__ = ["hold", "on_trio", "spawn", "without_cancellations"]

logger = logging.getLogger("streamkit")

Generator: TypeAlias = AsyncGeneratorType[Any, None]
Closer: TypeAlias = Callable[[Generator], None]

# How long an asyncio loop that cancelled the closing of a generator has to shut down, and close it so, in s.
SHUTDOWN_S = 1.0

_held: set[Generator] = set()
_tasks: set[Any] = set()  # asyncio itself holds no task


def on_trio() -> bool:
    """Whether the caller runs in trio; else, where it runs at all, it is asyncio."""
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_run())


def without_cancellations(error: BaseException) -> BaseException | None:
    """Return what of an error is not the cancellation of a task: None where it is that alone.

    A cancelled task on trio may end in a group: of cancellations, and of what was raised when it was told to end.
    """
    cancelled = anyio.get_cancelled_exc_class()
    if isinstance(error, BaseExceptionGroup):
        return error.split(cancelled)[1]
    return None if isinstance(error, cancelled) else error


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


def hold(generator: Generator) -> Callable[[], None]:
    """Keep a generator of the running event loop from the garbage collector; return what lets it go.

    That is for a destructor: where the generator has not ended, it is closed in a task first. Were it not held, Python
    would finalise it by itself when it stands in a cycle with its owner: trio would warn, and asyncio would close it
    a second time.
    """
    close = _trio_closer() if on_trio() else _asyncio_closer()
    _held.add(generator)

    def release() -> None:
        if generator.ag_frame is not None:
            close(generator)  # which holds it from here on
        _held.discard(generator)

    return release


def _trio_closer() -> Closer:
    import trio

    token = trio.lowlevel.current_trio_token()

    def close(generator: Generator) -> None:
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
                logger.debug("trio had ended before %r was closed", generator)

        if trio.lowlevel.in_trio_task() and trio.lowlevel.current_trio_token() is token:
            start()  # at once, so that trio, should it end next, waits for it
        else:
            schedule()

    return close


def _asyncio_closer() -> Closer:
    import asyncio  # noqa: TID251 # see above

    loop = asyncio.get_running_loop()

    def start(generator: Generator) -> None:
        task = loop.create_task(_close(generator))
        _tasks.add(task)

        def ended(task: asyncio.Task[None]) -> None:
            _tasks.discard(task)
            if task.cancelled() and generator.ag_frame is not None and not loop.is_closed():
                # Where asyncio.run cancelled the task before its first step, the loop will close the generator
                # itself, if it is still there by then.
                loop.call_later(SHUTDOWN_S, start, generator)

        task.add_done_callback(ended)

    def close(generator: Generator) -> None:
        if loop.is_closed():
            logger.debug("the event loop was closed before %r was", generator)
        elif asyncio._get_running_loop() is loop:
            start(generator)
        else:
            loop.call_soon_threadsafe(start, generator)

    return close


async def _close(generator: Generator) -> None:
    try:
        await generator.aclose()
    except Exception:  # nobody is left to raise it to
        logger.warning("an error while an abandoned run was closed", exc_info=True)
