from __future__ import annotations

from typing import Any

from streamkit import FinishReason, Message, MessageOutput, accumulate
from streamkit.deltas import MessageEnd
from streamkit.events import (
    Done,
    Event,
    Failed,
    OutputDelta,
    OutputEnd,
    RunStart,
    ToolEnd,
    ToolStart,
    ToolUpdate,
)
from streamkit.interop.agentcore.event_reader import EventReader
from streamkit.interop.agentcore.event_writer import EventWriter
from streamkit.interop.agentcore.events import (
    AgentEndEvent,
    AgentEvent,
    AgentStartEvent,
    MessageEndEvent,
    MessageStartEvent,
    MessageUpdateEvent,
    ToolExecutionEndEvent,
    TurnEndEvent,
    TurnStartEvent,
)
from streamkit.interop.agentcore.messages import (
    AssistantMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from streamkit.messages import Meta
from streamkit.parts import TextPart
from streamkit.testing import error_reply
from tests.interop.agentcore.runs import SCRIPT, run


def read(*events: AgentEvent) -> list[Event]:
    reader = EventReader()
    return [made for event in events for made in reader.feed(event)]


def outputs(events: list[Event]) -> list[MessageOutput]:
    return [event.output for event in events if isinstance(event, OutputEnd)]


def folded(events: list[Event]) -> list[MessageOutput]:
    """What the deltas between two finish reasons make."""
    found, deltas = [], []
    for event in events:
        if isinstance(event, OutputDelta):
            deltas.append(event.output.delta)
            if event.output.finish_reason is not None:
                found.append(accumulate(deltas))
                found[-1].source_agent = "agent"
                deltas = []
    return found


def known(output: MessageOutput) -> tuple[Any, ...]:
    """What comes back: a result's value is text, and the provider's id is lost."""
    message = output.message
    texts = [str(getattr(part, "text", getattr(part, "value", ""))) for part in message.contents]
    flat = (message.role, message.thinking, message.signature, message.tool_calls, message.id, message.blocks)
    return (*flat, texts, output.finish_reason, output.usage, output.model, output.provider)


async def test_a_run_comes_back_with_thinking_and_signatures() -> None:
    events = await run(*SCRIPT)
    writer = EventWriter()
    again = read(*(made for event in events for made in writer.feed(event)))
    assert [type(event) for event in again] == [type(event) for event in events]
    assert [known(output) for output in outputs(again)] == [known(output) for output in outputs(events)]
    assert folded(again) == outputs(again)
    assert outputs(again)[0].message.signature == "c2ln"
    assert again[-1] == events[-1]
    kinds = (RunStart, ToolStart, ToolUpdate)
    assert [event for event in again if isinstance(event, kinds)] == [e for e in events if isinstance(e, kinds)]


CALL = AssistantMessage([TextContent("Look."), ToolCall("c", "f", {"x": 1})], "a", "p", "m", Usage(3, 4, 0, 0, 7))
RESULT = ToolResultMessage("c", "f", [TextContent("no")], is_error=True)
DONE = AssistantMessage([TextContent("Done.")], usage=Usage(1, 1, 0, 0, 2))


def test_events_of_another_form_are_told_when_their_message_is_complete() -> None:
    events = read(
        AgentStartEvent(),
        TurnStartEvent(),
        MessageStartEvent(UserMessage([TextContent("Hi")])),
        MessageEndEvent(UserMessage([TextContent("Hi")])),
        MessageStartEvent(AssistantMessage([], "a", "p", "m")),
        MessageUpdateEvent(CALL, {"type": "text_delta", "delta": "Look."}),
        MessageEndEvent(CALL),
        ToolExecutionEndEvent("c", "f", {"odd": 1}, True),
        MessageStartEvent(RESULT),
        MessageEndEvent(RESULT),
        TurnEndEvent(CALL, [RESULT]),
        TurnStartEvent(),
        MessageEndEvent(DONE),
        TurnEndEvent(DONE, []),
        AgentEndEvent([CALL, RESULT, DONE]),
    )
    first, result, last = outputs(events)
    assert folded(events) == [first, result, last]
    assert (first.message.text, first.finish_reason) == ("Look.", FinishReason("tool_call", "done"))
    assert first.message.tool_calls
    assert result.message == Message("tool", [TextPart("no")], id="c", meta=Meta(is_error=True, name="f"))
    assert last.message.text == "Done."
    (end,) = [event for event in events if isinstance(event, ToolEnd)]
    assert end.message == Message("tool", [TextPart('{"odd":1}')], id="c", meta=Meta(is_error=True, name="f"))
    assert isinstance(events[-1], Done)
    summary = events[-1].summary
    assert (summary.turns, summary.finish_reason) == (2, FinishReason("stop", "done"))
    assert summary.usage is not None
    assert summary.usage.total_tokens == 9
    assert len([e for e in events if isinstance(e, OutputDelta) and isinstance(e.output.delta, MessageEnd)]) == 3


async def test_a_run_that_failed_comes_back_as_one() -> None:
    events = await run(error_reply(400, "anthropic"))
    writer = EventWriter()
    *_, last = read(*(made for event in events for made in writer.feed(event)))
    assert isinstance(last, Failed)
    assert last.message.startswith("InvalidRequest: ")


def test_an_answer_that_failed_is_the_partial_one() -> None:
    failed = AssistantMessage([TextContent("so far")], stop_reason="error", error_message="no capacity")
    events = read(
        AgentStartEvent(), TurnStartEvent(), MessageStartEvent(DONE), MessageEndEvent(failed), AgentEndEvent([])
    )
    assert isinstance(events[-1], Failed)
    assert events[-1].partial is not None
    assert events[-1].partial.message.text == "so far"
    assert (events[-1].message, events[-1].partial.finish_reason) == ("no capacity", None)
    assert outputs(events) == []


async def test_a_run_that_fails_after_any_event_ends_in_one_failure() -> None:
    events = await run(*SCRIPT)
    for count in range(1, len(events)):
        writer = EventWriter()
        failed: list[Event] = [*events[:count], Failed("ServerError", "gone")]
        back = read(*(event for one in failed for event in writer.feed(one)))
        assert [event for event in back if isinstance(event, (Done, Failed))] == back[-1:]
        assert isinstance(back[-1], Failed)
