"""Runs of an agent that the tests of events share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from streamkit import Agent, StreamkitError
from streamkit.events import Event, Failed
from streamkit.testing import Answer, Call, ReplayServer, Text, Thinking

__all__ = ["SCRIPT", "run"]


async def add(a: int, b: int) -> AsyncIterator[str]:
    """Add two numbers."""
    yield "adding"
    yield str(a + b)


SCRIPT = [
    Answer([Thinking("hm", "c2ln"), Text("Let me add."), Call("add", {"a": 2, "b": 2}), Call("no", {})]),
    Answer(["4"]),
]


async def run(*script: Any, max_turns: int = 9) -> list[Event]:
    """Return the events of a run that is answered by `script`."""
    events: list[Event] = []
    async with ReplayServer(list(script), piece=3) as server:
        agent = Agent("anthropic/x", tools=[add], api_key="k", base_url=server.url, max_turns=max_turns)
        try:
            async for event in agent.run_events("What is 2 + 2?"):
                events.append(event)  # noqa: PERF401 - what came before an error counts
        except StreamkitError:
            assert isinstance(events[-1], Failed)
    return events
