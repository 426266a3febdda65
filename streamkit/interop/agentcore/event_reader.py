"""AgentCore's events → the events of a run.

An update's `assistant_message_event` is read where it is one of our own deltas, from which the message then comes with
all that it has; of any other form it is skipped, and the message is told when it is complete. Lost: messages of users
and of an application's own, a result's usage and the tools that it added, and the kind of an error.
"""

from __future__ import annotations

from typing import Any, get_args

from streamkit.accumulator import Accumulator
from streamkit.deltas import BlockAdded, Delta, MessageDeltaOutput, MessageEnd, MessageStart
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
    ToolUpdate,
    TurnEnd,
    TurnStart,
)
from streamkit.interop.agentcore.convert import answer_deltas, from_agentcore, stop_of
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
from streamkit.interop.agentcore.messages import AssistantMessage, TextContent, ToolResultMessage
from streamkit.interop.agentcore.tools import AgentToolResult, to_result
from streamkit.messages import FinishReason, MessageOutput
from streamkit.protocols.values import value_text
from streamkit.usage import Usage

__all__ = ["EventReader"]

_DELTAS = get_args(Delta)
_RESULT_END = FinishReason("stop")


class EventReader:
    """AgentCore's events of one run → ours.

    A message whose `stop_reason` is `error` makes the run a failed one, with that as its partial answer.
    """

    def __init__(self, name: str = "agent") -> None:
        """`name` is the agent's."""
        self._name = name
        self._turn = 0
        self._message: Accumulator | None = None  # the answer that is being written
        self._said = 0  # how many of its deltas have come, the first left out
        self._usage: Usage | None = None
        self._finish = FinishReason("stop", synthesized=True)
        self._failure: Failed | None = None

    def feed(self, event: AgentEvent) -> list[Event]:
        """Return the events that one of AgentCore's makes."""
        match event:
            case AgentStartEvent():
                return [RunStart(self._name)]
            case TurnStartEvent():
                self._turn += 1
                return [TurnStart(self._turn)]
            case MessageStartEvent(message=AssistantMessage() as message):
                self._message, self._said = Accumulator(), 0
                start = MessageStart(
                    model=message.model or None, provider=message.provider or None, protocol=message.api or None
                )
                return self._tell(start)
            case MessageUpdateEvent(assistant_message_event=delta) if isinstance(delta, _DELTAS):
                self._said += 1
                return self._tell(delta)
            case MessageEndEvent(message=AssistantMessage() as message):
                return self._end(message)
            case MessageEndEvent(message=ToolResultMessage() as message):
                return self._result(message)
            case ToolExecutionStartEvent(tool_call_id=id, tool_name=name, args=args):
                return [ToolStart(id, name, args if isinstance(args, dict) else {})]
            case ToolExecutionUpdateEvent(tool_call_id=id, tool_name=name, partial_result=value):
                return [ToolUpdate(id, name, value)]
            case ToolExecutionEndEvent(tool_call_id=id, tool_name=name, result=result, is_error=failed):
                return [ToolEnd(id, name, to_result(id, name, _as_result(result), is_error=failed), failed)]
            case TurnEndEvent():
                return [] if self._failure else [TurnEnd(self._turn)]
            case AgentEndEvent():
                return [self._failure or Done(RunSummary(self._turn, self._finish, self._usage))]
        return []

    def _tell(self, delta: Delta) -> list[Event]:
        if self._message is None:
            return []
        self._message.feed(delta)
        if isinstance(delta, MessageEnd):
            usage = self._message.snapshot().usage
            return [OutputDelta(MessageDeltaOutput(delta, delta.finish_reason, usage, source_agent=self._name))]
        return [OutputDelta(MessageDeltaOutput(delta, source_agent=self._name))]

    def _end(self, message: AssistantMessage) -> list[Event]:
        deltas = answer_deltas(message)
        if self._message is None:
            self._message, self._said = Accumulator(), 0
            self._message.feed(deltas[0])
        output = self._message.snapshot()
        out: list[Event] = []
        if message.stop_reason != "error" and output.finish_reason is None:
            # Its own events were in a form that is not ours, so this is the first that is told of its blocks.
            for delta in deltas[1:] if not self._said else deltas[-1:]:
                out += self._tell(delta)
        output = self._message.finish() if out or output.finish_reason else self._cut(deltas)
        self._message = None
        output.source_agent = self._name
        if output.usage is not None:
            self._usage = self._usage + output.usage if self._usage else output.usage
        if message.stop_reason == "error" and (
            output.finish_reason is None or stop_of(output.finish_reason) != "error"
        ):
            self._failure = Failed("error", message.error_message or "", output, self._usage)
            return out
        self._finish = output.finish_reason or self._finish
        return [*out, OutputEnd(output)]

    def _cut(self, deltas: list[Delta]) -> MessageOutput:
        """What an answer that failed had by then."""
        assert self._message is not None, "an answer is being written"
        if not self._said:
            for delta in deltas[1:-1]:
                self._message.feed(delta)
        return self._message.snapshot()

    def _result(self, message: ToolResultMessage) -> list[Event]:
        (result,) = from_agentcore([message])
        deltas: list[Delta] = [MessageStart("tool", result.id, meta=result.meta)]
        deltas += (BlockAdded(index, part) for index, part in enumerate(result.contents))
        end = MessageDeltaOutput(MessageEnd(_RESULT_END), _RESULT_END, source_agent=self._name)
        return [
            *(OutputDelta(MessageDeltaOutput(delta, source_agent=self._name)) for delta in deltas),
            OutputDelta(end),
            OutputEnd(MessageOutput(result, _RESULT_END, source_agent=self._name)),
        ]


def _as_result(result: Any) -> AgentToolResult:
    """A result; what is none is its text."""
    return result if isinstance(result, AgentToolResult) else AgentToolResult([TextContent(value_text(result))])
