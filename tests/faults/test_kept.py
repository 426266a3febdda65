"""Answers that a provider keeps, over connections that break anywhere: each goes on, or begins anew, and never both."""

from __future__ import annotations

import re
from collections import Counter
from random import Random
from typing import Any

import anyio
import pytest

from streamkit.client import Client
from streamkit.client.retries import Retry
from streamkit.deltas import MessageStart, Retract
from streamkit.testing import Received, ReplayServer, Reply, wires
from streamkit.testing.mutations import split_frames
from streamkit.testing.replies import ReplyLike
from tests.faults.harness import KEY, body, until
from tests.faults.test_fuzz import Reader, Schedule

# Of generators that httpx and httpcore leave to the garbage collector; trio tells of them.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning")  # see above

EVENTS = split_frames(body("openai-responses"))
OTHER = body("anthropic")


def draw(seed: int) -> Schedule:
    random = Random(seed)
    policy = Retry(times=random.randrange(6), first_wait_s=0, after_content=random.random() < 0.5)
    options: dict[str, Any] = {
        "retry": policy,
        "idle_timeout_s": random.choice([None, 0.1]),
        "total_timeout_s": 2,
    }
    consumer = random.choice(["reads", "reads", "reads", "breaks", "is cancelled", "is closed"])
    return Schedule(
        protocol="openai-responses",
        replies=[],
        options=options,
        coalesce=random.random() < 0.4,
        include_raw=random.random() < 0.2,
        consumer=consumer,
        at=random.randrange(1, 25),
        after_s=random.uniform(0, 0.15),
        naps=random.choice([0.0, 0.2]),
    )


def reply_to(request: Received, random: Random) -> ReplyLike:
    """What is left of the answer, for as far as it gets."""
    if request.path.endswith("/messages"):  # the other model
        return wires.scheduled(OTHER, random, protocol="anthropic")
    after = request.path.partition("starting_after=")[2]
    data = b"".join(EVENTS[int(after) + 1 if after else 0 :])
    match random.randrange(8):
        case 0:
            return wires.error(503)
        case 1:
            return Reply(body=b"", ends="drops")
        case 2:
            return wires.stall(data, after=random.randrange(len(data) + 1), for_s=random.choice([0.02, 0.3]))
        case 3 | 4:
            return wires.close(data, after=random.randrange(len(data) + 1), whole=random.random() < 0.5)
        case 5:
            return wires.reset(data, after=random.randrange(len(data) + 1))
        case _:
            return Reply(body=data)


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(1000, 3000), marks=pytest.mark.soak)], ids=["few", "many"]
)
async def test_an_answer_that_is_kept_comes_once_whatever_breaks(seeds: range) -> None:
    ends: Counter[str] = Counter()
    anew = 0
    randoms = {seed: Random(-seed) for seed in seeds}
    owners: dict[str, int] = {}
    limiter = anyio.CapacityLimiter(10)

    def reply(request: Received) -> ReplyLike:
        found = re.search(rb"seed-(\d+)\.", request.body)
        if found is not None:
            seed = int(found[1])
        else:
            seed = owners[request.headers["x-seed"]]
        return reply_to(request, randoms[seed])

    async with ReplayServer(reply) as server:

        async def one(seed: int) -> None:
            nonlocal anew
            owners[str(seed)] = seed
            async with limiter:
                schedule = draw(seed)
                address = {"api_key": KEY, "base_url": server.url}
                other = Client("anthropic/m", **address, headers={"x-seed": str(seed)})
                fallback = [other] if Random(seed).random() < 0.4 else []
                client = Client(
                    "openai-responses/gpt-5",
                    **address,
                    headers={"x-seed": str(seed)},
                    fallback=fallback,
                    **schedule.options,
                )
                async with client, other:
                    reader = Reader(seed, client, schedule, background=True)
                    ends[await reader.run()] += 1
                starts = sum(isinstance(delta, MessageStart) for delta in reader.deltas)
                taken = sum(isinstance(delta, Retract) for delta in reader.deltas)
                assert starts in (taken, taken + 1), "an answer began anew and nothing was taken back"
                anew += taken

        async with anyio.create_task_group() as tasks:
            for seed in seeds:
                tasks.start_soon(one, seed)
        await until(lambda: not server.connections)
    assert ends.total() == len(seeds)
    assert ends["finish"] and anew, ends
