from __future__ import annotations

from typing import Any

import pytest

from streamkit import FinishReason, Message, MessageDeltaOutput, MessageOutput
from streamkit.accumulator import accumulate
from streamkit.deltas import MessageEnd, Retract, TextDelta
from streamkit.events import (
    Done,
    Event,
    Failed,
    OutputDelta,
    OutputEnd,
    RunStart,
    RunSummary,
    ToolEnd,
    ToolStart,
    TurnEnd,
    TurnStart,
)
from streamkit.interop.foundation.content import TextContent, ThinkingContent, ToolCall, UsageReport
from streamkit.interop.foundation.messages import Assistant, ToolResult, user
from streamkit.interop.foundation.records import (
    Conversation,
    FailedAction,
    Generating,
    Observation,
    Retracted,
    SessionRecord,
    Summary,
    WorkingMemory,
)
from streamkit.interop.foundation.runs import RunReader
from streamkit.interop.foundation.stream import AgentStream, Delayed, Ignore, Init, Next, Pending, Spread, Wait
from streamkit.messages import Meta
from streamkit.models import ModelId
from streamkit.parts import FunctionCall, FunctionPart, TextPart
from streamkit.usage import Usage


def say(content: Any, **fields: Any) -> AgentStream:
    return Next[SessionRecord](Conversation(Assistant(content, **fields)))


def answer(id: str, text: str, **fields: Any) -> Conversation:
    return Conversation(ToolResult(id, "f", TextContent(text), **fields))


TURN: list[AgentStream] = [
    Init(),
    Pending(Generating(ModelId("m"))),
    Wait(),
    Next(Conversation(user("Weather?"))),
    say(ThinkingContent("hm")),
    Next(WorkingMemory(facts=[])),
    say(ToolCall("a", "f", {"x": 1}), stop_reason="tool_use"),
    say(ToolCall("b", "f", {"x": 2}), stop_reason="tool_use", usage=UsageReport(1.0, 1.0, 0.0, 0.0, 2.0)),
    Delayed(5),
    Spread([answer("a", "one"), answer("b", "no", error_detail="no")]),
    Ignore(),
    say(TextContent("Cl")),
    say(TextContent("ear."), usage=UsageReport(2.0, 2.0, 0.0, 0.0, 4.0)),
    Next(Observation(observations=[])),
    Next(Summary(4, UsageReport(3.0, 3.0, 0.0, 0.0, 6.0))),
]


def read(*stream: AgentStream, mode: Any = "incremental") -> list[Event]:
    reader = RunReader(mode, "w")
    return [event for item in stream for event in reader.feed(item)] + reader.finish()


def test_a_turn_is_a_run() -> None:
    events = read(*TURN)
    marks = [event for event in events if not isinstance(event, (OutputDelta, OutputEnd))]
    failed = Message("tool", [TextPart("no")], id="b", meta=Meta(is_error=True, name="f"))
    assert marks == [
        RunStart("w"),
        TurnStart(1),
        ToolStart("a", "f", {"x": 1}),
        ToolEnd("a", "f", Message("tool", [TextPart("one")], id="a", meta=Meta(name="f"))),
        ToolStart("b", "f", {"x": 2}),
        ToolEnd("b", "f", failed, is_error=True),
        TurnEnd(1),
        TurnStart(2),
        TurnEnd(2),
        Done(RunSummary(2, FinishReason("stop", "stop"), Usage(3, 3))),
    ]


def test_the_messages_of_a_turn_are_those_that_its_deltas_make() -> None:
    events = read(*TURN)
    outputs = [event.output for event in events if isinstance(event, OutputEnd)]
    folded: list[MessageOutput] = []
    deltas = []
    for event in events:
        if isinstance(event, OutputDelta):
            deltas.append(event.output.delta)
            assert (event.output.finish_reason is not None) == isinstance(event.output.delta, MessageEnd)
            if event.output.finish_reason is not None:
                folded.append(accumulate(deltas))
                folded[-1].source_agent = "w"
                deltas = []
    assert folded == outputs
    assert not deltas
    assert [output.message.role for output in outputs] == ["assistant", "tool", "tool", "assistant"]
    assert outputs[0].message.tool_calls == [
        FunctionPart("a", FunctionCall("f", {"x": 1})),
        FunctionPart("b", FunctionCall("f", {"x": 2})),
    ]
    assert outputs[3].message.text == "Clear."


@pytest.mark.feature("3.41", "first-8")
def test_a_retraction_drops_the_answer_that_is_being_written_and_no_other() -> None:
    events = read(
        say(ToolCall("a", "f", {}), stop_reason="tool_use"),
        Next(answer("a", "one")),
        Next(Retracted(reason="late")),
        say(TextContent("wrong")),
        Next(Retracted(reason="vacuous")),
        say(TextContent("right")),
        Next(Summary(3)),
    )
    outputs = [event.output for event in events if isinstance(event, OutputEnd)]
    assert [output.message.text for output in outputs] == ["", "one", "right"]
    assert outputs[0].message.tool_calls
    retracted = [event.output.delta for event in events if isinstance(event, OutputDelta)]
    assert [delta.reason for delta in retracted if isinstance(delta, Retract)] == ["vacuous"]


def test_a_failure_is_the_end_and_keeps_what_was_said() -> None:
    events = read(say(TextContent("so far")), Next(FailedAction("Overloaded", "no capacity")), say(TextContent("x")))
    assert isinstance(events[-1], Failed)
    assert (events[-1].kind, events[-1].message) == ("Overloaded", "no capacity")
    assert events[-1].partial is not None
    assert events[-1].partial.message.text == "so far"


@pytest.mark.parametrize("size", range(len(TURN)))
def test_a_stream_that_is_cut_anywhere_fails_once(size: int) -> None:
    events = read(*TURN[:size])
    assert [type(event) for event in events if isinstance(event, (Done, Failed))] == [Failed]
    assert events[-1] == Failed("TruncatedStream", "the stream ended before the turn did", events[-1].partial)


def test_nothing_is_read_after_the_end() -> None:
    assert read(*TURN, *TURN) == read(*TURN)


def test_whole_texts_are_told_as_what_is_new() -> None:
    events = read(*(say(TextContent(text)) for text in ("a", "ab", "ab")), Next(Summary(1)), mode="cumulative")
    pieces: list[MessageDeltaOutput] = [event.output for event in events if isinstance(event, OutputDelta)]
    assert [piece.delta.text for piece in pieces if isinstance(piece.delta, TextDelta)] == ["a", "b"]
