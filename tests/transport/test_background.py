"""Tasks of their own, and generators closed from a destructor, with each event loop alone."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import logging
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import anyio
import pytest
import trio

from streamkit.transport.background import hold, on_trio, spawn, without_cancellations

variable: contextvars.ContextVar[int] = contextvars.ContextVar("variable")


async def counting(ended: list[str]) -> AsyncGenerator[int, None]:
    try:
        while True:
            yield 1
    finally:
        ended.append("closed")
        with anyio.CancelScope(shield=True):
            await anyio.sleep(0.01)


def run(backend: str, main: Callable[[], Awaitable[None]]) -> None:
    if backend == "trio":
        trio.run(main)
    else:
        asyncio.run(main())


BACKENDS = pytest.mark.parametrize("backend", ["asyncio", "trio"])


async def test_the_event_loop_is_known(anyio_backend_name: str) -> None:
    assert on_trio() is (anyio_backend_name == "trio")


def test_outside_any_loop_it_is_not_trio() -> None:
    assert on_trio() is False


async def test_what_is_not_a_cancellation_is_told_from_it_in_a_group_too() -> None:
    caught: list[BaseException] = []
    with anyio.CancelScope() as scope:
        scope.cancel()
        try:
            await anyio.sleep_forever()
        except BaseException as error:  # of whatever kind the event loop has
            caught.append(error)
            raise
    cancelled, fault, leaving = caught[0], ValueError(), SystemExit()
    cases: list[tuple[BaseException, list[BaseException]]] = [
        (cancelled, []),
        (fault, [fault]),
        (leaving, [leaving]),
        (BaseExceptionGroup("", [cancelled, BaseExceptionGroup("", [cancelled])]), []),
        (BaseExceptionGroup("", [cancelled, BaseExceptionGroup("", [cancelled, fault]), leaving]), [fault, leaving]),
    ]
    for error, expected in cases:
        rest = without_cancellations(error)
        assert _leaves(rest) == expected


def _leaves(error: BaseException | None) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for one in error.exceptions for leaf in _leaves(one)]
    return [] if error is None else [error]


async def test_a_task_runs_beside_its_maker_in_its_context() -> None:
    found = []
    ended = anyio.Event()

    async def work() -> None:
        await anyio.sleep(0.001)
        found.append(variable.get())
        ended.set()

    token = variable.set(7)
    spawn(work)
    variable.reset(token)
    assert found == []
    await ended.wait()
    assert found == [7]


async def test_a_generator_is_closed_in_the_background() -> None:
    ended: list[str] = []
    generator: Any = counting(ended)
    await anext(generator)
    release = hold(generator)
    del generator
    gc.collect()
    release()
    del release
    assert ended == []
    with anyio.fail_after(1):
        while not ended:  # noqa: ASYNC110 # the closing tells nobody
            await anyio.sleep(0.001)


async def test_a_generator_is_closed_from_another_thread() -> None:
    ended: list[str] = []
    generator: Any = counting(ended)
    await anext(generator)
    release = hold(generator)
    await anyio.to_thread.run_sync(release)
    del generator, release
    with anyio.fail_after(1):
        while not ended:  # noqa: ASYNC110 # the closing tells nobody
            await anyio.sleep(0.001)


@BACKENDS
def test_a_generator_is_closed_where_the_loop_ends_at_once(backend: str, caplog: pytest.LogCaptureFixture) -> None:
    ended: list[str] = []

    async def main() -> None:
        generator: Any = counting(ended)
        await anext(generator)
        hold(generator)()

    run(backend, main)
    gc.collect()
    assert ended == ["closed"]
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


@BACKENDS
def test_closing_after_the_loop_has_ended_does_nothing(backend: str) -> None:
    kept: list[Any] = []
    ended: list[str] = []

    async def main() -> None:
        generator: Any = counting(ended)
        await anext(generator)
        kept.append(hold(generator))

    run(backend, main)
    assert ended == ["closed"]  # by the loop itself
    kept[0]()
    thread = threading.Thread(target=kept[0])
    thread.start()
    thread.join()


def test_a_loop_that_was_closed_without_closing_its_generators_is_left_alone() -> None:
    generator: Any = counting([])
    loop = asyncio.new_event_loop()

    async def main() -> Callable[[], None]:
        await anext(generator)
        return hold(generator)

    release = loop.run_until_complete(main())
    loop.close()
    release()


async def test_a_generator_in_a_cycle_of_garbage_is_closed_once(caplog: pytest.LogCaptureFixture) -> None:
    class Owner:
        def __del__(self) -> None:
            self.release()

    ended: list[str] = []
    owner: Any = Owner()
    owner.me = owner
    owner.generator = counting(ended)
    await anext(owner.generator)
    owner.release = hold(owner.generator)
    del owner
    gc.collect()
    with anyio.fail_after(1):
        while not ended:  # noqa: ASYNC110 # the closing tells nobody
            await anyio.sleep(0.001)
    await anyio.sleep(0.02)
    assert ended == ["closed"]
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_an_error_while_closing_is_logged_and_goes_no_further(caplog: pytest.LogCaptureFixture) -> None:
    async def breaks() -> AsyncGenerator[int, None]:
        try:
            yield 1
        finally:
            raise ValueError("while closing")

    generator: Any = breaks()
    await anext(generator)
    with caplog.at_level(logging.WARNING, "streamkit"):
        hold(generator)()
        await anyio.wait_all_tasks_blocked()
        await anyio.sleep(0.01)
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == ["while closing"]
