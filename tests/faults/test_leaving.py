"""Seeded runs in worlds full of faults, left, aborted, steered or broken at one of their awaits or items."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import anyio
import anyio.to_thread
import pytest

from streamkit.agent.loop import ABORTED
from streamkit.errors import ConfigError, StreamkitError
from streamkit.events import Done, Failed, OutputDelta
from streamkit.testing import ReplayServer
from tests.faults.awaits import Awaits
from tests.faults.harness import until
from tests.faults.worlds import World, assert_kept, assert_whole

# Of generators that httpx and httpcore leave to the garbage collector; trio tells of them.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning")  # see above

HANG_S = 20.0
FAULTS = 0.2
SAMPLE, ALL = 34, 2_500
SIDE_BY_SIDE = 5
# Those that anyio keeps for later, and those of tools that were left behind.
THREADS = 60

# What comes from outside at one of the awaits, and what the consumer does at one of the items.
AT_AWAITS = ["cancel", "deadline", "task", "abort", "steer", "say", "close"]
AT_ITEMS = ["aborts", "steers", "breaks", "bare break", "raises", "acloses", "lets the loop end"]
WAYS = [*AT_AWAITS, *AT_ITEMS, "hook raises", "reads"]


class Left(Exception):
    """The consumer's own, or a hook's."""


class Leaving:
    """One run that is left in its seed's way; `run` is gone where it was to be forgotten."""

    def __init__(self, seed: int, world: World, url: str) -> None:
        self.random = Random(f"leave {seed}")
        self.way = WAYS[seed % len(WAYS)]
        self.form = self.random.choice(["run", "run_stream", "run_events"])
        self.at = self.random.randrange(1, self.random.choice([10, 40, 160]))  # of up to some two hundred
        self.items: list[Any] = []
        self.ended = ""
        self.agent = world.agent(url, limit_s=0.3)
        self._awaits = Awaits(self.at if self.way in AT_AWAITS else 0, lambda: self._cut())
        self._cut: Callable[[], object] = lambda: None
        world.waits = self._awaits.watch
        if self.way == "hook raises":
            world.hook = partial(_raise_at, iter(range(self.at % 5)))
        self._run: Any = getattr(self.agent, self.form)("First.")

    async def take_its_way(self, backend: str) -> None:
        """Read the run until it is left, aborted, or over."""
        try:
            match self.way:
                case "bare break":
                    await self._read_and_forget()
                    gc.collect(0)
                case "lets the loop end":
                    await anyio.to_thread.run_sync(partial(anyio.run, self._read_and_forget, backend=backend))
                case "acloses":
                    await self._read()
                    await self._run.aclose()
                case "task" if backend == "asyncio":
                    task = asyncio.ensure_future(self._awaits.watch(self._read_closing()))
                    self._cut = task.cancel
                    await asyncio.wait([task])
                    if not task.cancelled():
                        task.result()
                case _:
                    async with anyio.create_task_group() as others:
                        with anyio.CancelScope() as scope:
                            self._cut = partial(self._cut_off, scope, others)
                            try:
                                await self._awaits.watch(self._read_closing())
                            except StreamkitError as error:  # the group would wrap it
                                self.ended = type(error).__name__
                            except Left:
                                self.ended = "left"
        except StreamkitError as error:
            self.ended = type(error).__name__

    async def _read_and_forget(self) -> None:
        await self._read()
        self._run = None

    async def _read_closing(self) -> None:
        async with self._run:
            await self._read()

    async def _read(self) -> None:
        async for item in self._run:
            self.items.append(item)
            if len(self.items) < self.at:
                continue
            match self.way:
                case "aborts":
                    self.agent.abort()
                case "steers" if len(self.items) == self.at:
                    self.agent.steer("Wait.", interrupt=self.random.random() < 0.7)
                case "breaks" | "bare break" | "acloses" | "lets the loop end":
                    return
                case "raises":
                    raise Left

    def _cut_off(self, scope: anyio.CancelScope, others: anyio.abc.TaskGroup) -> None:
        match self.way:
            case "cancel" | "task":
                scope.cancel()
            case "deadline":
                scope.deadline = float("-inf")
            case "abort":
                self.agent.abort()
            case "steer" | "say":
                self.agent.steer("Wait.", interrupt=self.way == "steer")
            case "close":
                others.start_soon(self._close)

    async def _close(self) -> None:
        """Who does not read the run may not close it, unless it is at an item or over."""
        try:
            await self._run.aclose()
        except ConfigError as error:
            assert "read by another task" in str(error)

    def check(self) -> None:
        """What was shown is kept; a run that was read to its end has told how it ended, once."""
        history = self.agent.history
        assert_whole(history)
        if self.form == "run":
            shown = [o.message for o in self.items if not o.depth and o.finish_reason != ABORTED]
            kept = [message for message in history if message.role in ("assistant", "tool")]
            assert [message for message in kept if message in shown][: len(shown)] == shown
            return
        events = self.form == "run_events"
        pieces = [item.output if events else item for item in self.items if not events or isinstance(item, OutputDelta)]
        assert_kept(pieces, history)
        if events and self.way in ("reads", "aborts", "abort", "steers", "steer", "say", "hook raises"):
            ends = [event for event in self.items if isinstance(event, (Done, Failed))]
            assert ends == self.items[-1:]
            assert isinstance(ends[0], Failed if self.ended else Done)


def _raise_at(calls: Any) -> None:
    if next(calls, None) is None:
        raise Left


async def leave(seed: int, backend: str) -> str:
    """Leave the run of a seed; check what is left, and that the agent goes on; return the way and how it ended."""
    world = World(seed, faults=FAULTS, settled=False)
    async with ReplayServer(world.reply) as server:
        leaving = Leaving(seed, world, server.url)
        await leaving.take_its_way(backend)
        await until(lambda: not leaving.agent.state.is_streaming and not server.connections, 3)
        leaving.check()
        world.hook = lambda: None
        leaving.agent.clear_queues()
        for again in range(4):  # the server may still break the next one
            try:
                outputs = [output async for output in leaving.agent.run("Say it plainly.")]
                assert outputs[-1].message.text == "Fine."
                break
            except StreamkitError:
                assert again < 3
        await until(lambda: not server.connections, 3)
    return f"{leaving.way}, {leaving.ended or 'ended'}"


async def leave_many(seeds: range, backend: str) -> Counter[str]:
    found: Counter[str] = Counter()
    waiting = iter(seeds)
    before = {task.id for task in anyio.get_running_tasks()}

    async def work() -> None:
        for seed in waiting:
            with anyio.fail_after(HANG_S):
                try:
                    found[await leave(seed, backend)] += 1
                except BaseException as error:  # whatever it is, it is raised with its seed
                    error.add_note(f"seed {seed}")
                    raise

    async with anyio.create_task_group() as tasks:
        for _ in range(SIDE_BY_SIDE):
            tasks.start_soon(work)
    gc.collect()
    await until(lambda: {task.id for task in anyio.get_running_tasks()} <= before, 1)
    assert threading.active_count() < THREADS
    return found


async def test_runs_that_are_left_anywhere_leave_the_history_whole_and_nothing_open(anyio_backend_name: str) -> None:
    found = await leave_many(range(SAMPLE), anyio_backend_name)
    assert found.total() == SAMPLE
    assert {how.partition(",")[0] for how in found} == set(WAYS)


@pytest.mark.soak
async def test_many_runs_that_are_left_anywhere(anyio_backend_name: str) -> None:
    found = await leave_many(range(SAMPLE, SAMPLE + ALL), anyio_backend_name)
    assert found.total() == ALL
