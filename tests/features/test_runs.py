"""What a user says to a run, and what a run is made of, by agents."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from streamkit.deltas import TextDelta
from streamkit.events import Done, ToolStart
from streamkit.messages import Message
from streamkit.testing import Answer, Call
from streamkit.tools import ToolContext
from tests.features.agents import agent_on, run

FINE = Answer(["Fine."])


def said(agent: Any) -> list[str]:
    """What the user said."""
    return [message.text for message in agent.history if message.role == "user"]


@pytest.mark.feature("0.23", "0.24")
async def test_each_piece_names_the_innermost_agent_that_said_it_and_its_depth() -> None:
    inner, _ = agent_on([Answer(["Third street."])], name="guide")
    script = [Answer([Call("guide", {"query": "Where?"})]), Answer(["The third."])]
    outer, _ = agent_on(script, name="host", tools=[inner.as_tool(description="Knows the town.")])
    pieces = [piece async for piece in outer.run_stream("Where to?")]
    texts = {(piece.source_agent, piece.depth) for piece in pieces if isinstance(piece.delta, TextDelta)}
    assert texts == {("host", 0), ("guide", 1)}


# the mode, and what the user had said at each request
DRAINED: list[tuple[Any, list[list[str]]]] = [
    ("all", [["go"], ["go", "a", "b"]]),
    ("one-at-a-time", [["go"], ["go", "a"], ["go", "a", "b"]]),
]


@pytest.mark.feature("4.3")
@pytest.mark.parametrize("queue", ["steering_mode", "follow_up_mode"])
@pytest.mark.parametrize(("mode", "heard"), DRAINED, ids=[case[0] for case in DRAINED])
async def test_a_queue_is_drained_whole_or_by_one_message_a_time(queue: str, mode: Any, heard: list[list[str]]) -> None:
    async def work() -> None:
        for text in "ab":
            agent.steer(text) if queue == "steering_mode" else agent.follow_up(text)

    script = [Answer([Call("work")])] if queue == "steering_mode" else [FINE]
    agent, transport = agent_on([*script, *[FINE] * 3], tools=[work], **{queue: mode})
    if queue == "follow_up_mode":
        await work()
    await run(agent)
    asked = [[m["content"] for m in request.json["messages"] if m["role"] == "user"] for request in transport.requests]
    assert asked == heard


@pytest.mark.feature("4.21", "4.42")
async def test_a_tool_sees_that_the_run_is_aborted_and_the_run_ends_at_once() -> None:
    seen: list[bool] = []

    async def work(context: ToolContext) -> None:
        seen.append(context.aborted)
        try:
            await anyio.sleep_forever()
        finally:
            seen.append(context.aborted)

    agent, transport = agent_on([Answer([Call("work")]), FINE], tools=[work])
    events = []
    with anyio.fail_after(5):
        async for event in agent.run_events("go"):
            events.append(event)
            if isinstance(event, ToolStart):
                await anyio.wait_all_tasks_blocked()
                agent.abort()
    assert seen == [False, True]
    assert isinstance(events[-1], Done)
    assert events[-1].summary.finish_reason.type == "aborted"
    assert [message.role for message in agent.history] == ["user", "assistant", "tool"]
    assert (await run(agent, "on"))[-1].message.text == "Fine."
    assert len(transport.requests) == 2


@pytest.mark.feature("4.37")
async def test_context_conversion_model_tools_and_history_come_in_that_order() -> None:
    steps: list[str] = []

    def transform(messages: list[Message]) -> list[Message]:
        steps.append(f"transform {len(messages)}")
        return messages

    def convert(messages: list[Message]) -> list[Message]:
        steps.append(f"convert {len(messages)}")
        return messages

    def model(request: Any) -> Answer:
        steps.append(f"model {len(request.json['messages'])}")
        return FINE if len(request.json["messages"]) > 1 else Answer([Call("work")])

    async def work() -> None:
        steps.append(f"tool {len(agent.history)}")

    agent, _ = agent_on(model, tools=[work], transform_context=transform, convert_to_llm=convert)
    await run(agent)
    assert steps == ["transform 1", "convert 1", "model 1", "tool 2", "transform 3", "convert 3", "model 3"]
    assert [message.role for message in agent.history] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.feature("D: bobbit#360")
async def test_what_is_said_to_a_run_that_is_then_aborted_is_heard_by_the_next() -> None:
    async def work() -> None:
        agent.steer("Use the other file.")
        agent.abort()
        await anyio.sleep_forever()

    agent, _ = agent_on([Answer([Call("work")]), FINE, FINE], tools=[work])
    with anyio.fail_after(5):
        await run(agent)
        assert [*said(agent), *(message.text for message in agent.queued)] == ["go", "Use the other file."]
        await run(agent, "Go on.")
    assert sorted(said(agent)) == ["Go on.", "Use the other file.", "go"]


@pytest.mark.feature("D: pi#5895")
async def test_a_hint_wakes_no_agent_that_is_done() -> None:
    agent, transport = agent_on([FINE, FINE])
    await run(agent)
    agent.steer("Prefer the other tool.")
    await anyio.wait_all_tasks_blocked()
    assert len(transport.requests) == 1
    await run(agent, "And now?")
    assert len(transport.requests) == 2
    assert "Prefer the other tool." in transport.requests[1].body.decode()
