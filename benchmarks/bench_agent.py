"""Whether a turn of an agent costs the same time and memory however long the conversation is.

What a turn must take longer for is the request, which holds all of the conversation. It is measured apart, once for
each length; in the runs every request is made of the first message alone. All else is in the figure: the client behind
an http client without a network, the parser, the calls of ten tools in tasks of their own, the history.
"""

from __future__ import annotations

import asyncio
import gc
import time
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx

from benchmarks.results import Row
from streamkit import Agent, Client
from streamkit.client import Stream
from streamkit.testing import Answer, Call, render

__all__ = ["agent_turns"]

CALLS = 10
TURNS = (100, 1000)
LINEAR = 1.25
ROUNDS = 5


class _Short(Client):
    """Sends the first message alone, whatever the conversation is."""

    def stream(self, messages: Any, **options: Any) -> Stream:
        return super().stream(messages[:1], **options)


class _Scripted(httpx.AsyncBaseTransport):
    """Answers at once: so many turns with calls, then the last."""

    def __init__(self, turns: int) -> None:
        self._left = turns
        self._calls = render(Answer([Call("add", {"a": number}) for number in range(CALLS)]), "openai-chat")
        self._last = render(Answer(["Done."]), "openai-chat")

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._left -= 1
        body = self._last if self._left <= 0 else self._calls
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=_Body(body))


class _Body(httpx.AsyncByteStream):
    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body


def agent_turns() -> Iterator[Row]:
    """Yield how much more a turn costs in a run ten times as long: gc off, best of five."""
    gc.collect()
    gc.disable()
    try:
        rounds = [[asyncio.run(_run(turns)) for turns in TURNS] for _ in range(ROUNDS)]
    finally:
        gc.enable()
    short, long = (min(costs for costs, _ in each) for each in zip(*rounds, strict=True))
    made = [_making(agent) for _, agent in rounds[0]]
    note = f"{short * 1e6:.0f} → {long * 1e6:.0f} µs a turn; the last request, apart: {made[0] * 1e3:.1f} → "
    note += f"{made[1] * 1e3:.1f} ms"
    yield Row("agent", f"{TURNS[1]} turns of {CALLS} calls", long / short, "×", LINEAR, note=note)
    held = [asyncio.run(_memory(turns)) for turns in TURNS]
    note = f"{held[0] / 1024:.1f} → {held[1] / 1024:.1f} KiB a turn at the most, the history included"
    yield Row("agent", f"memory of {TURNS[1]} turns of {CALLS} calls", held[1] / held[0], "×", LINEAR, note=note)


async def _run(turns: int) -> tuple[float, Agent]:
    """CPU a turn in s, and the agent after it."""

    async def add(a: int) -> int:
        return a + 1

    async with httpx.AsyncClient(transport=_Scripted(turns)) as http:
        client = _Short("openai/m", api_key="none", base_url="http://server.test/v1", http_client=http)
        agent = Agent(client=client, tools=[add], max_turns=turns)
        start = time.process_time()
        async for _ in agent.run_stream("go"):
            pass
        took = time.process_time() - start
    assert len(agent.history) == 2 + (turns - 1) * (1 + CALLS), "every turn was run"
    return took / turns, agent


async def _memory(turns: int) -> float:
    """The most memory that a run takes, in bytes a turn."""
    tracemalloc.start()
    try:
        await _run(turns)
        return tracemalloc.get_traced_memory()[1] / turns
    finally:
        tracemalloc.stop()


def _making(agent: Agent) -> float:
    """CPU of making a request of the whole conversation, in s."""
    client = Client("openai/m", api_key="none")
    start = time.process_time()
    client.stream(agent.history)
    return time.process_time() - start
