"""The events of a run → AgentCore's.

Lost: what sub-agents say, hints at progress, and, but for `assistant_message_event`, which holds our own deltas, all
that messages lose (see `convert`).
"""

from __future__ import annotations

from typing import Any

from msgspec import structs

from streamkit.assembly import OpenBlock
from streamkit.deltas import (
    Delta,
    MessageStart,
    RefusalDelta,
    RefusalEnd,
    RefusalStart,
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
    OutputEnd,
    RunStart,
    ToolEnd,
    ToolStart,
    ToolUpdate,
    TurnEnd,
    TurnStart,
)
from streamkit.interop.agentcore.convert import from_answer, to_agentcore
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
    AgentMessage,
    AssistantContent,
    AssistantMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
)
from streamkit.interop.agentcore.tools import from_result
from streamkit.messages import Message, MessageOutput

__all__ = ["EventWriter"]


class EventWriter:
    """Events of one run → AgentCore's events; `AgentEndEvent` is the last, and comes whatever ended the run.

    The message of an update has the blocks that are complete; of the one that grows, only what is new is told. So an
    event costs the same however long the text is, and none is changed by what follows. A run that failed ends with
    a message that says so.
    """

    def __init__(self) -> None:
        self._messages: list[AgentMessage] = []
        self._results: list[ToolResultMessage] = []  # of this turn
        self._answer = AssistantMessage([])  # of this turn, as far as it is complete
        self._blocks: dict[int, OpenBlock] = {}  # of it, those that grow
        self._arguments: dict[str, Any] = {}  # of the calls, by id
        self._in_turn = self._is_open = self._is_result = False

    def feed(self, event: Event) -> list[AgentEvent]:
        """Return the events that one of ours makes."""
        match event:
            case RunStart():
                return [AgentStartEvent()]
            case TurnStart():
                self._in_turn, self._results = True, []
                return [TurnStartEvent()]
            case OutputDelta(output=output) if output.depth == 0:
                return self._delta(output.delta)
            case OutputEnd(output=output) if output.depth == 0:
                return self._end(output)
            case ToolStart(id=id, name=name, arguments=arguments):
                self._arguments[id] = arguments
                return [ToolExecutionStartEvent(id, name, arguments)]
            case ToolUpdate(id=id, name=name, value=value):
                return [ToolExecutionUpdateEvent(id, name, self._arguments.get(id), value)]
            case ToolEnd(id=id, name=name, message=message, is_error=failed):
                return [ToolExecutionEndEvent(id, name, from_result(message), failed)]
            case MessageAdded(message=message):
                return self._added(message)
            case TurnEnd():
                return self._end_turn()
            case Done():
                return [AgentEndEvent(list(self._messages))]
            case Failed():
                return self._fail(event)
        return []

    def _delta(self, delta: Delta) -> list[AgentEvent]:
        if isinstance(delta, MessageStart) and not delta.choice:
            self._is_result = delta.role == "tool"
            if self._is_result:
                return []
            self._blocks = {}
            empty = AssistantMessage([], delta.protocol or "", delta.provider or "", delta.model or "")
            if self._is_open:  # what was said before has been retracted
                self._answer = empty
                return [MessageUpdateEvent(self._answer, delta)]
            self._answer, self._is_open = empty, True
            return [MessageStartEvent(self._answer)]
        if self._is_result:
            return []
        if isinstance(delta, Retract):
            self._answer, self._blocks = structs.replace(self._answer, content=[]), {}
        elif not getattr(delta, "choice", 0):
            self._grow(delta)
        return [MessageUpdateEvent(self._answer, delta)]

    def _grow(self, delta: Delta) -> None:
        if isinstance(delta, (TextStart, RefusalStart)):
            self._blocks[delta.index] = OpenBlock("text")
        elif isinstance(delta, ToolCallStart):
            block = self._blocks[delta.index] = OpenBlock("tool_call")
            block.id, block.name, block.custom = delta.id, delta.name, delta.custom
        elif isinstance(delta, (TextDelta, RefusalDelta)):
            self._blocks[delta.index].pieces.append(delta.text)
        elif isinstance(delta, ToolCallDelta):
            self._blocks[delta.index].pieces.append(delta.arguments)
        elif isinstance(delta, Replace) and delta.index in self._blocks:
            self._blocks[delta.index].replace(delta.text)
        elif isinstance(delta, (TextEnd, RefusalEnd)):
            self._add(TextContent(self._blocks.pop(delta.index).text()))
        elif isinstance(delta, ToolCallEnd):
            block = self._blocks.pop(delta.index)
            block.closed = True
            call = block.function()
            self._add(ToolCall(call.id, call.function.name, call.function.arguments, call.raw_arguments))

    def _add(self, content: AssistantContent) -> None:
        self._answer = structs.replace(self._answer, content=[*self._answer.content, content])

    def _end(self, output: MessageOutput) -> list[AgentEvent]:
        if output.message.role == "tool":
            (result,) = to_agentcore([output.message])
            self._messages.append(result)
            if isinstance(result, ToolResultMessage):
                self._results.append(result)
            return [MessageStartEvent(result), MessageEndEvent(result)]
        return self._end_answer(from_answer(output))

    def _end_answer(self, message: AssistantMessage) -> list[AgentEvent]:
        start: list[AgentEvent] = [] if self._is_open else [MessageStartEvent(message)]
        self._answer, self._is_open = message, False
        self._messages.append(message)
        return [*start, MessageEndEvent(message)]

    def _added(self, message: Message) -> list[AgentEvent]:
        self._is_open = False  # what the model was saying has been retracted, and it begins anew
        added = to_agentcore([message])
        self._messages += added
        return [event for one in added for event in (MessageStartEvent(one), MessageEndEvent(one))]

    def _end_turn(self) -> list[AgentEvent]:
        if not self._in_turn:
            return []
        self._in_turn = False
        return [TurnEndEvent(self._answer, list(self._results))]

    def _fail(self, event: Failed) -> list[AgentEvent]:
        message = self._answer if self._is_open else AssistantMessage([])
        if event.partial is not None:
            message = from_answer(event.partial)
        text = f"{event.kind}: {event.message}" if event.message else event.kind
        failed = structs.replace(message, stop_reason="error", error_message=text)
        return [*self._end_answer(failed), *self._end_turn(), AgentEndEvent(list(self._messages))]
