"""An agent whose process is killed at any moment goes on from its session as if nothing had been."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import anyio
import msgspec
import pytest

from streamkit.messages import Message
from streamkit.sessions import Sessions
from streamkit.testing import Answer, Call, Received, ReplayServer

ROOT = Path(__file__).parents[2]
TURNS = 200

# Says what is missing of the turns, one query after the other; `TURNS` and the rest come by argument.
CHILD = """
import sys
import anyio
from streamkit import Agent, Sessions

root, store, url, turns = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])


def double(number: int) -> int:
    return 2 * number


async def main() -> None:
    async with Sessions(root, store=store, fsync=False).open("long") as session:
        history = session.messages()
        while history and history[-1].role != "user" and not (
            history[-1].role == "assistant" and not history[-1].tool_calls
        ):
            history.pop()  # an exchange that was not whole is begun anew
        agent = Agent("openai/m", tools=[double], history=history, api_key="key", base_url=url)
        print("open", flush=True)
        async with agent:
            while True:
                asked = sum(message.role == "user" for message in agent.history)
                if agent.history and agent.history[-1].role == "user":
                    run = agent.run()
                elif asked < turns:
                    run = agent.run(f"turn {asked + 1}")
                else:
                    break
                async for _ in run:
                    await session.keep(agent.history)
                await session.keep(agent.history)
    print("done", flush=True)


anyio.run(main)
"""


def reply(request: Received) -> Answer:
    """What the conversation so far asks for: every other turn calls a tool twice."""
    messages = request.json["messages"]
    asked = sum(message["role"] == "user" for message in messages)
    if messages[-1]["role"] == "tool" or asked % 2:
        return Answer([f"Answer {asked}."])
    return Answer([Call("double", {"number": asked}), Call("double", {"number": asked + 1})])


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server in a thread of its own, which outlives every child."""
    found: list[str] = []
    started, over = threading.Event(), threading.Event()

    async def serve() -> None:
        async with ReplayServer(reply) as server:
            found.append(server.url + "/v1")
            started.set()
            while not over.is_set():  # noqa: ASYNC110 # it is set in another thread
                await anyio.sleep(0.02)

    thread = threading.Thread(target=anyio.run, args=(serve,))
    thread.start()
    started.wait(10)
    yield found[0]
    over.set()
    thread.join()


def start(root: Path, store: str, url: str, turns: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", CHILD, str(root), store, url, str(turns)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
    assert child.stdout is not None
    assert child.stdout.readline() == b"open\n"
    return child


async def kept(root: Path, store: Any) -> list[Message]:
    async with Sessions(root, store=store).open("long") as session:
        return session.messages()


async def assert_survives(root: Path, store: Any, url: str, turns: int, kills: int, life_s: float) -> int:
    """Kill a session so often, and begin another whenever one has come to its end; return how many ended."""
    random, ended, number = Random(kills), 0, 0
    child = start(root / "whole", store, url, turns)
    assert child.communicate()[0] == b"done\n"
    whole = await kept(root / "whole", store)
    assert sum(message.role == "user" for message in whole) == turns
    before = 0
    for _ in range(kills):
        place = root / str(number)
        child = start(place, store, url, turns)
        try:
            child.wait(random.uniform(0, life_s))
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
        child.communicate()
        history = await kept(place, store)
        assert msgspec.json.encode(history) == msgspec.json.encode(whole[: len(history)])
        assert len(history) >= before - 3  # what was begun anew is the exchange that was not whole
        before = len(history)
        if child.returncode == 0:
            assert history == whole
            ended, number, before = ended + 1, number + 1, 0
    child = start(root / str(number), store, url, turns)
    assert child.communicate()[0] == b"done\n"
    assert await kept(root / str(number), store) == whole
    return ended


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("store", ["jsonl", "sqlite"])
async def test_a_session_of_an_agent_survives_kills(tmp_path: Path, url: str, store: str) -> None:
    await assert_survives(tmp_path, store, url, turns=12, kills=3, life_s=0.05)


@pytest.mark.soak
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("store", ["jsonl", "sqlite"])
async def test_a_session_of_200_turns_survives_250_kills(tmp_path: Path, url: str, store: str) -> None:
    assert await assert_survives(tmp_path, store, url, turns=TURNS, kills=250, life_s=0.5) > 0
