from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.interop.foundation.content import TextContent, ThinkingContent, ToolCall, UsageReport
from streamkit.interop.foundation.messages import Assistant, ToolResult
from streamkit.interop.foundation.records import (
    Conversation,
    FailedAction,
    Generating,
    Reflection,
    Retracted,
    SessionRecord,
    Summary,
)
from streamkit.interop.foundation.stream import AgentStream, Delayed, Ignore, Init, Next, Pending, Wait
from streamkit.interop.foundation.turns import (
    Done,
    Failed,
    ProgressEvent,
    Retract,
    Text,
    Thinking,
    ToolCallEvent,
    ToolResultEvent,
    TurnEvent,
    TurnReader,
    TurnSummary,
)
from streamkit.models import ModelId


def say(content: Any) -> AgentStream:
    return Next[SessionRecord](Conversation(Assistant(content)))


def read(*stream: AgentStream, mode: Any = "incremental") -> list[TurnEvent]:
    reader = TurnReader(mode)
    return [event for item in stream for event in reader.feed(item)] + reader.finish()


TURN: list[AgentStream] = [
    Init(),
    Wait(),
    Pending(Generating(ModelId("m"))),
    say(ThinkingContent("hm")),
    say(ToolCall("a", "f", {"x": 1})),
    say(ToolCall("b", "f", None)),
    Delayed(5),
    Next(Conversation(ToolResult("a", "f", TextContent("one")))),
    Next(Conversation(ToolResult("b", "f", TextContent("missing: x"), error_detail="missing: x"))),
    Next(Reflection([])),
    say(TextContent("Cl")),
    say(TextContent("ear.")),
    Ignore(),
    Next(Summary(4, UsageReport(3.0, 3.0, 0.0, 0.0, 6.0))),
]


@pytest.mark.feature("3.39", "3.46")
def test_a_turn_is_told_piece_by_piece_and_ends_once() -> None:
    assert read(*TURN) == [
        ProgressEvent(Generating(ModelId("m"))),
        Thinking("hm"),
        ToolCallEvent("a", "f", {"x": 1}),
        ToolCallEvent("b", "f", None),
        ToolResultEvent("a", "f", "one"),
        ToolResultEvent("b", "f", "missing: x", is_error=True),
        Text("Cl"),
        Text("ear."),
        Done(TurnSummary("Clear.", 4, UsageReport(3.0, 3.0, 0.0, 0.0, 6.0))),
    ]


@pytest.mark.feature("3.39")
@pytest.mark.parametrize("size", range(len(TURN)))
def test_a_turn_that_is_cut_anywhere_has_failed(size: int) -> None:
    events = read(*TURN[:size])
    ends = [event for event in events if isinstance(event, (Done, Failed))]
    assert ends == [events[-1]] == [Failed("TruncatedStream", "the stream ended before the turn did")]


def test_nothing_is_told_after_the_end() -> None:
    failed = Next[SessionRecord](FailedAction("Overloaded", "no capacity"))
    assert read(failed, Pending(Generating(ModelId("m"))), *TURN) == [Failed("Overloaded", "no capacity")]


def test_whole_texts_are_told_as_what_is_new() -> None:
    events = read(say(TextContent("a")), say(TextContent("ab")), say(TextContent("ab")), mode="cumulative")
    assert events[:-1] == [Text("a"), Text("b")]


@pytest.mark.feature("3.41")
def test_what_was_retracted_is_told_and_the_rest_stays() -> None:
    events = read(say(TextContent("wrong")), Next(Retracted(reason="vacuous")), say(TextContent("right")), TURN[-1])
    assert events[:-1] == [Text("wrong"), Retract("vacuous"), Text("right")]
    assert events[-1] == Done(TurnSummary("right", 1, UsageReport(3.0, 3.0, 0.0, 0.0, 6.0)))


def test_a_text_that_was_revised_is_told_anew() -> None:
    stream = [say(ThinkingContent("hm")), say(TextContent("No")), say(TextContent("Yes")), say(TextContent("Yes."))]
    assert read(*stream, mode="cumulative")[:-1] == [
        Thinking("hm"),
        Text("No"),
        Retract("the text was revised"),
        Thinking("hm"),
        Text("Yes"),
        Text("."),
    ]


@pytest.mark.parametrize("event", read(*TURN), ids=lambda event: type(event).__name__)
def test_an_event_is_decoded_as_it_was(event: TurnEvent) -> None:
    again = msgspec.json.decode(msgspec.json.encode(event), type=TurnEvent)
    if isinstance(event, ProgressEvent):
        event = ProgressEvent(msgspec.to_builtins(event.progress))
    assert again == event
