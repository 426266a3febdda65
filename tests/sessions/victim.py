"""Writes to a session until it is killed: run by test_killed.py.

For each line of input (store, root, name, job, number of turns) it forks a child that opens the session and says first
its process id, then after each write how many messages are stored. That it is dead is said by `dead`.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable

import anyio
import httpx

from streamkit import Agent, Message, Sessions, TextPart, tool
from streamkit.testing import Answer, Call, ReplayTransport

# Messages of a turn: query, call, result, answer.
LENGTH = 4


@tool
async def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def text(number: int) -> str:
    """The message of this number: short, but for some that no disk takes in one piece."""
    return f"{number} " * (60_000 if number % 29 == 3 else 5)


async def write_records(sessions: Sessions, name: str, turns: int) -> None:
    """One message after the other, and each fourth time three at once."""
    async with sessions.open(name) as session:
        history = session.messages()
        for turn in range(turns):
            for _ in range(3 if turn % 4 == 3 else 1):
                history.append(Message("user", [TextPart(text(len(history)))]))
            await session.keep(history)
            say(f"{len(history)}")


async def run_agent(sessions: Sessions, name: str, turns: int) -> list[Message]:
    """A conversation with a tool, gone on with after its last whole turn."""
    async with sessions.open(name) as session:
        history = session.messages()
        done = len(history) // LENGTH
        script = [
            answer
            for turn in range(done, turns)
            for answer in (
                Answer([Call("add", {"a": turn, "b": 1}, id=f"call_{turn}")]),
                Answer([f"It is {turn + 1}. "]),
            )
        ]
        http_client = httpx.AsyncClient(transport=ReplayTransport(script))
        agent = Agent("openai/m", tools=[add], api_key="key", http_client=http_client, history=history[: done * LENGTH])
        async with agent:
            for turn in range(done, turns):
                async for _ in agent.run(f"{turn} + 1?"):
                    await session.keep(agent.history)
                    say(f"{len(agent.history)}")
        return agent.history


JOBS: dict[str, Callable[..., object]] = {"records": write_records, "agent": run_agent}


def say(line: str) -> None:
    os.write(1, line.encode() + b"\n")


def main() -> None:
    for line in sys.stdin:
        store, root, name, job, turns = line.split()
        sessions = Sessions(root, store=store, fsync=False)
        child = os.fork()
        if not child:
            try:
                say(f"{os.getpid()}")
                anyio.run(JOBS[job], sessions, name, int(turns))
                say("done")
            except BaseException:  # said to the one who kills it, who compares
                traceback.print_exc()
            while True:  # until it is killed, so that its number is its own
                signal.pause()
        os.waitpid(child, 0)
        say("dead")


if __name__ == "__main__":
    main()
