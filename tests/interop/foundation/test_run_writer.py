from __future__ import annotations

import warnings
from typing import Any, get_args

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from streamkit import Agent, FinishReason, Message, MessageDeltaOutput, MessageOutput, accumulate
from streamkit.deltas import Delta, MessageEnd, MessageStart, Replace, Retract, TextDelta, TextStart
from streamkit.errors import APIError, HistoryWarning
from streamkit.events import (
    Done,
    Event,
    Failed,
    MessageAdded,
    OutputDelta,
    OutputEnd,
    Progress,
    RunStart,
    RunSummary,
    SubAgent,
    ToolStart,
    ToolUpdate,
    TurnStart,
)
from streamkit.interop.foundation.chunks import Mode
from streamkit.interop.foundation.content import TextContent
from streamkit.interop.foundation.messages import ToolResult
from streamkit.interop.foundation.records import (
    Conversation,
    ExecutingTools,
    FailedAction,
    Generating,
    Initializing,
    ProcessingMemory,
    Retracted,
    Steering,
    Summary,
    ToolCallRequested,
    TurnComplete,
)
from streamkit.interop.foundation.run_writer import RunWriter
from streamkit.interop.foundation.runs import RunReader
from streamkit.interop.foundation.stream import AgentStream, Init, Next, Pending, Spread, items
from streamkit.models import ModelId
from streamkit.parts import TextPart
from streamkit.protocols.values import part_text
from streamkit.testing import Answer, Call, ReplayServer, Text, Thinking, error_reply
from streamkit.testing.strategies import delta_streams


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


SCRIPT = [Answer([Thinking("hm"), Text("Let me add."), Call("add", {"a": 2, "b": 2}), Call("no", {})]), Answer(["4"])]


async def run(*script: Any) -> list[Event]:
    events: list[Event] = []
    async with ReplayServer(list(script), piece=3) as server:
        agent = Agent("anthropic/x", tools=[add], api_key="k", base_url=server.url)
        try:
            async for event in agent.run_events("What is 2 + 2?"):
                events.append(event)  # noqa: PERF401 - what came before an error counts
        except APIError:
            assert isinstance(events[-1], Failed)
    return events


def write(mode: Mode, *events: Event) -> list[AgentStream]:
    writer = RunWriter(mode, "x")
    return [item for event in events for item in writer.feed(event)]


@pytest.mark.feature("3.38")
@pytest.mark.parametrize("mode", get_args(Mode))
async def test_the_run_of_an_agent_is_the_same_after_foundations_stream(mode: Mode) -> None:
    events = await run(*SCRIPT)
    reader = RunReader(mode, "agent")
    again = [event for item in write(mode, *events) for event in reader.feed(item)] + reader.finish()
    assert said(again) == said(events)
    assert [type(event) for event in again if isinstance(event, _MARKS)] == [
        type(event) for event in events if isinstance(event, _MARKS)
    ]
    assert isinstance(again[-1], Done) and isinstance(events[-1], Done)
    assert again[-1].summary.usage == events[-1].summary.usage


_MARKS = (RunStart, TurnStart, Failed)


def said(events: list[Event]) -> list[tuple[Any, ...]]:
    """What each message says: a result's value is text, as it is for the model."""
    found = []
    for event in events:
        if isinstance(event, OutputEnd):
            message = event.output.message
            texts = [str(getattr(part, "text", getattr(part, "value", ""))) for part in message.contents]
            failed = message.meta is not None and message.meta.is_error
            found.append((message.role, message.thinking, texts, message.tool_calls, message.id, failed))
    return found


@pytest.mark.feature("3.38", "3.46", "3.47")
async def test_a_run_is_hints_records_and_its_summary_last() -> None:
    stream = write("incremental", *await run(*SCRIPT))
    assert stream[:3] == [Init(), Pending(Initializing("agent")), Pending(Generating(ModelId("x")))]
    hints = [item.progress for item in stream if isinstance(item, Pending)]
    assert [type(hint) for hint in hints].count(Generating) == 2
    assert ToolCallRequested("add") in hints
    assert [hint for hint in hints if isinstance(hint, ExecutingTools)][-1] == ExecutingTools(2, 2)
    assert isinstance(hints[-1], TurnComplete)
    *_, last = items(stream)
    assert isinstance(last, Summary)
    assert last.message_count == 4
    results = [one.message for one in items(stream) if isinstance(one, Conversation)]
    assert [message.content for message in results if isinstance(message, ToolResult)][0] == TextContent("4")


@pytest.mark.feature("3.45")
async def test_a_run_that_failed_ends_so() -> None:
    events = await run(error_reply(400, "anthropic"))
    *_, last = items(write("incremental", *events))
    assert last == FailedAction(events[-1].kind, events[-1].message)


def test_what_was_shown_can_be_retracted() -> None:
    deltas = [MessageStart(), TextStart(0), TextDelta(0, "a"), Retract("again"), MessageStart(), TextStart(0)]
    stream = write("cumulative", *(OutputDelta(MessageDeltaOutput(delta)) for delta in [*deltas, TextDelta(0, "b")]))
    first, retracted, second = items(stream)
    assert isinstance(retracted, Retracted)
    assert retracted.reason == "again"
    texts = [one.message.content for one in (first, second) if isinstance(one, Conversation)]
    assert texts == [TextContent("a"), TextContent("b")]


def test_a_result_of_several_parts_is_spread() -> None:
    result = Message("tool", [TextPart("one"), TextPart("two")], id="c")
    (spread,) = write("incremental", OutputEnd(MessageOutput(result, FinishReason("stop"))))
    assert isinstance(spread, Spread)
    assert [one.message.content for one in spread.items if isinstance(one, Conversation)] == [
        TextContent("one"),
        TextContent("two"),
    ]


def test_what_has_no_place_makes_no_item() -> None:
    below = OutputDelta(MessageDeltaOutput(TextDelta(0, "a"), depth=1))
    assert write("incremental", ToolUpdate("c", "f", 50), below) == []
    assert write("incremental", ToolStart("c", "f")) == [Pending(ToolCallRequested("f"))]
    assert not [item for item in write("incremental", below) if isinstance(item, Next)]


def text_of(message: Message) -> str:
    return "".join(filter(None, map(part_text, message.contents)))


@settings(max_examples=25)
@given(delta_streams(), st.integers(0, 30), st.sampled_from(get_args(Mode)))
def test_the_text_of_any_answer_comes_back_with_others_beside_it_and_after_a_retraction(
    deltas: list[Delta], retracted: int, mode: Mode
) -> None:
    assume(mode == "cumulative" or not any(isinstance(delta, Replace) for delta in deltas))
    cut = [delta for delta in deltas[:retracted] if not isinstance(delta, MessageEnd)]
    told = [*cut, Retract("no"), *deltas] if cut else deltas
    output = accumulate(told)
    writer, reader = RunWriter(mode), RunReader(mode)
    written: list[Event] = [RunStart("a"), TurnStart(1), *(OutputDelta(MessageDeltaOutput(delta)) for delta in told)]
    written += [OutputEnd(output), Done(RunSummary(1, output.finish_reason or FinishReason("stop")))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HistoryWarning)  # of parts that have no place there
        items = [item for event in written for item in writer.feed(event)]
    back = [event for item in items for event in reader.feed(item)]
    (end,) = [event.output.message for event in back if isinstance(event, OutputEnd)]
    order: Any = str if mode == "cumulative" else sorted  # of blocks that grow at once the pieces come as they came
    for one, other in [(text_of(end), text_of(output.message)), (end.thinking or "", output.message.thinking or "")]:
        assert order(one) == order(other)


def test_what_a_user_says_meanwhile_is_a_record_after_a_hint() -> None:
    hint, record = write("incremental", MessageAdded(Message("user", ["No."]), "steering"))
    assert hint == Pending(Steering("steering"))
    assert isinstance(record, Next)
    assert record.item.message.content.content == "No."
    done = Done(RunSummary(1, FinishReason("stop")))
    *_, summary = write("incremental", MessageAdded(Message("user", ["No."]), "follow_up"), done)
    assert isinstance(summary, Next)
    assert summary.item.message_count == 1


def test_making_a_conversation_shorter_is_work_on_the_memory() -> None:
    assert write("incremental", Progress("compacting", {"messages": 9})) == [Pending(ProcessingMemory("compaction"))]
    assert write("incremental", Progress("compacted"), SubAgent("c", "ask", TurnStart(1))) == []
