from __future__ import annotations

import msgspec
import pytest

from streamkit import MessageDeltaOutput
from streamkit.deltas import (
    MessageStart,
    Replace,
    Retract,
    TextDelta,
    TextEnd,
    TextStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from streamkit.events import (
    Done,
    Event,
    Failed,
    MessageAdded,
    OutputDelta,
    Progress,
    RunStart,
    RunSummary,
    SubAgent,
    TurnStart,
)
from streamkit.interop.agentcore.event_writer import EventWriter
from streamkit.interop.agentcore.events import (
    AgentEndEvent,
    AgentEvent,
    AgentStartEvent,
    MessageEndEvent,
    MessageStartEvent,
    MessageUpdateEvent,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
    TurnEndEvent,
    TurnStartEvent,
)
from streamkit.interop.agentcore.messages import (
    AssistantMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from streamkit.interop.agentcore.tools import AgentToolResult
from streamkit.messages import FinishReason, Message
from streamkit.testing import error_reply
from tests.interop.agentcore.runs import SCRIPT, run


def write(*events: Event) -> list[AgentEvent]:
    writer = EventWriter()
    return [made for event in events for made in writer.feed(event)]


def told(*deltas: object) -> list[AgentEvent]:
    return write(*(OutputDelta(MessageDeltaOutput(delta)) for delta in deltas))


@pytest.mark.feature("4.23", "4.24", "4.25")
async def test_a_run_has_its_turns_its_messages_and_its_tools() -> None:
    events = write(*await run(*SCRIPT))
    assert [type(event) for event in events if not isinstance(event, MessageUpdateEvent)] == [
        AgentStartEvent,
        TurnStartEvent,
        MessageStartEvent,
        MessageEndEvent,
        *_tools(events),
        TurnEndEvent,
        TurnStartEvent,
        MessageStartEvent,
        MessageEndEvent,
        TurnEndEvent,
        AgentEndEvent,
    ]
    ends = [event.message for event in events if isinstance(event, MessageEndEvent)]
    assert isinstance(events[-1], AgentEndEvent)
    assert events[-1].messages == ends
    first, added, missing, last = ends
    assert isinstance(first, AssistantMessage)
    assert first.content == [
        TextContent("Let me add."),
        ToolCall("call_0", "add", {"a": 2, "b": 2}),
        ToolCall("call_1", "no"),
    ]
    assert (first.provider, first.model, first.usage.total_tokens) == ("anthropic", "scripted-model", 19)
    assert isinstance(added, ToolResultMessage)
    assert (added.tool_call_id, added.tool_name, added.content) == ("call_0", "add", [TextContent("4")])
    assert isinstance(missing, ToolResultMessage)
    assert missing.is_error
    assert isinstance(last, AssistantMessage)
    assert last.content == [TextContent("4")]
    turns = [event for event in events if isinstance(event, TurnEndEvent)]
    assert [(turn.message, turn.tool_results) for turn in turns] == [(first, [added, missing]), (last, [])]


def _tools(events: list[AgentEvent]) -> list[type]:
    """The events of tools and results, whatever their order, which the tests below look at."""
    kinds = (ToolExecutionStartEvent, ToolExecutionUpdateEvent, ToolExecutionEndEvent)
    start = next(at for at, event in enumerate(events) if isinstance(event, kinds))
    end = next(at for at, event in enumerate(events) if isinstance(event, TurnEndEvent))
    return [type(event) for event in events[start:end]]


@pytest.mark.feature("4.19", "4.26")
async def test_a_tool_starts_reports_and_ends() -> None:
    events = write(*await run(*SCRIPT))
    arguments = {"a": 2, "b": 2}
    assert [event for event in events if getattr(event, "tool_name", "") == "add"] == [
        ToolExecutionStartEvent("call_0", "add", arguments),
        ToolExecutionUpdateEvent("call_0", "add", arguments, "adding"),
        ToolExecutionUpdateEvent("call_0", "add", arguments, "4"),
        ToolExecutionEndEvent("call_0", "add", AgentToolResult([TextContent("4")])),
    ]


@pytest.mark.feature("first-7")
async def test_an_event_is_not_changed_by_what_follows() -> None:
    writer, kept = EventWriter(), []
    for event in await run(*SCRIPT):
        kept += [(made, msgspec.json.encode(made)) for made in writer.feed(event)]
    assert all(msgspec.json.encode(made) == encoded for made, encoded in kept)


@pytest.mark.feature("4.25")
def test_an_update_has_the_blocks_that_are_complete() -> None:
    events = told(
        MessageStart(),
        TextStart(0),
        TextDelta(0, "No"),
        Replace(0, "Ye"),
        TextDelta(0, "s"),
        TextEnd(0),
        ToolCallStart(1, "c", "f"),
        ToolCallDelta(1, '{"x":'),
        ToolCallDelta(1, "1}"),
        ToolCallEnd(1),
    )
    contents = [event.message.content for event in events if isinstance(event, MessageUpdateEvent)]
    yes, call = TextContent("Yes"), ToolCall("c", "f", {"x": 1})
    assert contents == [[], [], [], [], [yes], [yes], [yes], [yes], [yes, call]]
    assert events[2].assistant_message_event == TextDelta(0, "No")


def test_what_was_retracted_is_gone_and_the_message_goes_on() -> None:
    text = (TextStart(0), TextDelta(0, "a"), TextEnd(0))
    events = told(MessageStart(), *text, Retract("again"), MessageStart(), *text)
    assert [type(event) for event in events].count(MessageStartEvent) == 1
    contents = [event.message.content for event in events[1:]]
    a = TextContent("a")
    assert contents == [[], [], [a], [], [], [], [], [a]]


@pytest.mark.feature("D: oh-my-pi#5538")
async def test_a_run_that_fails_before_its_answer_still_has_a_message() -> None:
    events = write(*await run(error_reply(400, "anthropic")))
    assert [type(event) for event in events] == [
        AgentStartEvent,
        TurnStartEvent,
        MessageStartEvent,
        MessageEndEvent,
        TurnEndEvent,
        AgentEndEvent,
    ]
    message = events[3].message
    assert message.stop_reason == "error"
    assert message.error_message.startswith("InvalidRequest: ")


def test_a_run_that_fails_within_its_answer_keeps_what_was_said() -> None:
    deltas = (MessageStart(), TextStart(0), TextDelta(0, "a"), TextEnd(0))
    shown = [OutputDelta(MessageDeltaOutput(delta)) for delta in deltas]
    *_, end, turn, last = write(RunStart("a"), TurnStart(1), *shown, Failed("Overloaded", "no capacity"))
    assert isinstance(end, MessageEndEvent)
    assert isinstance(end.message, AssistantMessage)
    assert end.message.content == [TextContent("a")]
    assert end.message.error_message == "Overloaded: no capacity"
    assert turn == TurnEndEvent(end.message, [])
    assert last == AgentEndEvent([end.message])


async def test_a_run_with_too_many_turns_ends_outside_of_one() -> None:
    events = write(*await run(*SCRIPT, max_turns=1))
    assert [type(event) for event in events[-4:]] == [TurnEndEvent, MessageStartEvent, MessageEndEvent, AgentEndEvent]


@pytest.mark.parametrize("delta", [TextStart(0), TextDelta(0, "a")])
def test_other_answers_and_sub_agents_change_no_message(delta: TextStart | TextDelta) -> None:
    other = msgspec.structs.replace(delta, choice=1)
    (update,) = told(MessageStart(), other)[1:]
    assert update == MessageUpdateEvent(AssistantMessage([]), other)
    assert write(OutputDelta(MessageDeltaOutput(delta, depth=1))) == []


def test_what_a_user_says_while_the_model_speaks_is_a_message_after_which_it_begins_anew() -> None:
    deltas = (MessageStart(), TextStart(0), TextDelta(0, "a"), Retract("the user said something"))
    shown = [OutputDelta(MessageDeltaOutput(delta)) for delta in deltas]
    again = OutputDelta(MessageDeltaOutput(MessageStart()))
    said, added = UserMessage([TextContent("No.")]), MessageAdded(Message("user", ["No."]), "steering")
    *_, start, end, begun = write(*shown, added, again)
    assert (start, end) == (MessageStartEvent(said), MessageEndEvent(said))
    assert begun == MessageStartEvent(AssistantMessage([]))
    assert write(*shown, added, Done(RunSummary(1, FinishReason("stop"))))[-1] == AgentEndEvent([said])


def test_hints_and_what_sub_agents_do_are_left_out() -> None:
    assert write(Progress("retrying"), SubAgent("c", "ask", TurnStart(1))) == []
