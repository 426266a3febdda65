"""Seeded schedules of faults, limits, retries and consumers: none hangs, loses what was delivered, or ends twice."""

from __future__ import annotations

import gc
import re
import warnings
from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

import anyio
import pytest
from msgspec import Struct

from streamkit.accumulator import Accumulator
from streamkit.client import Client, Stream
from streamkit.client.retries import Retry
from streamkit.deltas import Delta, MessageEnd, Retract
from streamkit.errors import StreamkitError
from streamkit.testing import Received, ReplayServer, wires
from streamkit.testing.replies import ReplyLike
from tests.faults.harness import ANSWER, COMBINATIONS, KEY, MODELS, TEXT, TRANSPORTS, body, client_at, said, until

BODIES = {protocol: body(protocol) for protocol in MODELS}
WHOLE = f"Let me look.|{TEXT}"
HANG_S = 30.0  # what takes longer hangs; nothing here waits for more than two
AT_ONCE = 10  # so that what is late is late by its schedule, not by the load


class Left(Exception):
    """The consumer's own."""


class Schedule(Struct):
    """All that is drawn for one stream."""

    protocol: str
    replies: list[ReplyLike]
    options: dict[str, Any]
    coalesce: bool
    include_raw: bool
    consumer: str  # reads, breaks, raises, is cancelled, is closed
    at: int  # after how many deltas it breaks or raises
    after_s: float  # when it is cancelled or closed
    naps: float  # how likely it takes its time over a delta


def draw(seed: int) -> Schedule:
    random = Random(seed)
    protocol = random.choice(["openai-chat", "openai-chat", *MODELS])
    replies: list[ReplyLike] = [_reply(random, protocol) for _ in range(random.randrange(1, 5))]
    options: dict[str, Any] = {
        "retry": Retry(
            times=random.randrange(4),
            first_wait_s=random.choice([0.0, 0.005]),
            after_content=random.random() < 0.5,
        ),
        "idle_timeout_s": random.choice([None, 0.1, 0.3]),
        "first_token_timeout_s": random.choice([None, 0.3, 0.5]),
        # A server that falls silent is left only by a limit.
        "total_timeout_s": 0.1 if random.random() < 0.1 else 1.5,
    }
    return Schedule(
        protocol,
        replies,
        options,
        coalesce=random.random() < 0.4,
        include_raw=random.random() < 0.2,
        consumer=random.choice(["reads", "reads", "breaks", "raises", "is cancelled", "is closed"]),
        at=random.randrange(1, 25),
        after_s=random.uniform(0, 0.15),
        naps=random.choice([0.0, 0.0, 0.3]),
    )


def _reply(random: Random, protocol: str) -> ReplyLike:
    kind = random.random()
    if kind < 0.1:
        return wires.error(random.choice([429, 529, 503]), headers={"retry-after": "0"})
    if kind < 0.15:
        return wires.error(random.choice([429, 529]), headers={"retry-after-ms": str(random.randrange(20))})
    if kind < 0.2:
        return wires.unanswered(random.choice(["closes", "resets", "hangs"]))
    if kind < 0.25:
        return wires.compressed(BODIES[protocol], after=random.choice([None, random.randrange(1, 200)]))
    if kind < 0.3:
        return wires.wrong_length(BODIES[protocol], by=random.randrange(-300, 300))
    if kind < 0.35:
        return wires.linger(BODIES[protocol])
    return wires.scheduled(BODIES[protocol], random, stalls=0.15, protocol=protocol)


class Reader:
    """A consumer that does as its schedule says, and then checks what it got."""

    def __init__(self, seed: int, client: Client, schedule: Schedule, **params: Any) -> None:
        self.random = Random(seed + 1)
        self.schedule = schedule
        self.deltas: list[Delta] = []
        self.error: StreamkitError | None = None
        self.left = ""  # how the consumer left, where it did
        self.stream: Stream = client.stream(
            f"seed-{seed}.", max_tokens=50, coalesce=schedule.coalesce, include_raw=schedule.include_raw, **params
        )

    async def run(self) -> str:
        """Read, and return how it ended: finish, the error's name, or how the consumer left."""
        with anyio.fail_after(HANG_S):
            match self.schedule.consumer:
                case "is cancelled":
                    with anyio.move_on_after(self.schedule.after_s) as scope:
                        await self._read()
                    self.left = "cancelled" if scope.cancelled_caught else ""
                case "is closed":
                    async with anyio.create_task_group() as tasks:
                        tasks.start_soon(self._close)
                        await self._read()
                        tasks.cancel_scope.cancel()
                case _:
                    await self._read()
        return self._end()

    async def _close(self) -> None:
        await anyio.sleep(self.schedule.after_s)
        self.left = "closed"
        await self.stream.aclose()

    async def _read(self) -> None:
        try:
            async with self.stream as stream:
                async for delta in stream:
                    self.deltas.append(delta)
                    if self.random.random() < self.schedule.naps:
                        await anyio.sleep(self.random.uniform(0, 0.004))
                    if len(self.deltas) == self.schedule.at and self.schedule.consumer in ("breaks", "raises"):
                        self.left = self.schedule.consumer
                        if self.left == "raises":
                            raise Left
                        break
        except StreamkitError as error:
            self.error = error
        except Left:
            pass

    def _end(self) -> str:
        shadow = Accumulator()
        for delta in self.deltas:
            shadow.feed(delta)
        folded, output = shadow.snapshot(), self.stream.output
        assert folded.message == output.message, "what was delivered is not what is kept"
        assert folded.usage == output.usage
        assert WHOLE.startswith(said(folded.message).removesuffix("|")), "text came twice, or not in order"
        since = max((at for at, delta in enumerate(self.deltas) if isinstance(delta, Retract)), default=-1)
        ends = [at for at, delta in enumerate(self.deltas) if isinstance(delta, MessageEnd)]
        assert all(at > since for at in ends) and len(ends) <= 1
        models = 1 + len(self.stream._first.fallback)
        assert len(self.stream.retried) < models * (1 + self.schedule.options["retry"].times)
        if self.error is not None:
            assert not ends, "it ended in a finish and in an error"
            assert self.error.provider and KEY not in f"{self.error!r}{vars(self.error)!r}"
            if self.error.partial is None:
                assert not self.deltas, "what was delivered is not in the error"
            else:
                assert self.error.partial.message == folded.message, "what was delivered is not in the error"
            return type(self.error).__name__
        if ends and ends[0] == len(self.deltas) - 1:
            assert said(folded.message) == WHOLE
            return "finish"
        assert self.left, "it ended without a finish, an error or the consumer's leave"
        return self.left


async def run(seeds: Iterable[int], library: str) -> Counter[str]:
    """Run the schedules of all seeds over one server, many at a time, and count how they ended."""
    ends: Counter[str] = Counter()
    asked: Counter[int] = Counter()
    schedules: dict[int, Schedule] = {}
    failures: list[Exception] = []
    limiter = anyio.CapacityLimiter(AT_ONCE)

    def reply(request: Received) -> ReplyLike:
        found = re.search(rb"seed-(\d+)\.", request.body)
        assert found is not None
        seed = int(found[1])
        asked[seed] += 1
        replies = schedules[seed].replies
        return replies[min(asked[seed], len(replies)) - 1]

    async with ReplayServer(reply) as server:
        await anyio.wait_all_tasks_blocked()
        before = len(anyio.get_running_tasks())
        async with TRANSPORTS[library](verify=False, trust_env=False) as http:

            async def one(seed: int) -> None:
                async with limiter:
                    schedule = schedules[seed] = draw(seed)
                    client = client_at(server, schedule.protocol, http_client=http, **schedule.options)
                    try:
                        ends[await Reader(seed, client, schedule).run()] += 1
                    except Exception as error:  # of any schedule: all of them run, and then it is raised
                        error.add_note(f"seed {seed}: {schedule.consumer}, {schedule.options}")
                        failures.append(error)

            async with anyio.create_task_group() as tasks:
                for seed in seeds:
                    tasks.start_soon(one, seed)
            assert (await client_at(server, http_client=http).send(f"seed-{_healthy(schedules)}.")).message.text == TEXT
        if failures:
            raise ExceptionGroup(f"{len(failures)} schedules", failures[:3])
        await until(lambda: not server.connections)
        await until(lambda: len(anyio.get_running_tasks()) <= before)
    return ends


def _healthy(schedules: dict[int, Schedule]) -> int:
    """Another seed, which is answered."""
    seed = -min(schedules, default=0) + 10**9
    schedules[seed] = Schedule("openai-chat", [ANSWER], {}, False, False, "reads", 0, 0, 0)
    return seed


async def check(seeds: Iterable[int], library: str) -> Counter[str]:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        ends = await run(seeds, library)
        gc.collect()
    theirs = "Async generator 'http"  # that httpx and httpcore left to the garbage collector, which trio tells of
    assert not [str(warning.message) for warning in warned if theirs not in str(warning.message)]
    return ends


@pytest.mark.parametrize(("anyio_backend", "library"), COMBINATIONS)
async def test_no_schedule_hangs_loses_what_was_delivered_or_ends_twice(anyio_backend: str, library: str) -> None:
    seeds = range(60) if library == "httpx" else range(60, 100)
    ends = await check(seeds, library)
    assert ends.total() == len(seeds)
    assert len(ends) > 2, ends


SHARES = [2500, 2500, 1800, 1800, 1400]  # of 10,000


@pytest.mark.soak
@pytest.mark.parametrize(
    ("anyio_backend", "library", "first", "count"),
    [(*each, 1000 + sum(SHARES[:at]), SHARES[at]) for at, each in enumerate(COMBINATIONS)],
)
async def test_ten_thousand_schedules(
    anyio_backend: str, library: str, first: int, count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = await check(range(first, first + count), library)
    with capsys.disabled():
        print(f"\n{anyio_backend} {library}: {ends.total()} schedules: {dict(ends.most_common())}")  # noqa: T201 - the figures
    assert ends.total() == count
