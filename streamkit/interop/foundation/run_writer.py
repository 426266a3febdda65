"""The events of a run → the stream of a turn of foundation's agent; what is lost is said in `runs`."""

from __future__ import annotations

from streamkit.deltas import MessageStart, Retract
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
    ToolEnd,
    ToolStart,
    TurnStart,
)
from streamkit.interop.foundation.chunk_writer import ChunkWriter
from streamkit.interop.foundation.chunks import Mode
from streamkit.interop.foundation.content import to_usage_report
from streamkit.interop.foundation.convert import to_foundation
from streamkit.interop.foundation.records import (
    Conversation,
    ExecutingTools,
    FailedAction,
    Generating,
    Initializing,
    ProcessingMemory,
    Retracted,
    SessionRecord,
    Steering,
    Summary,
    ToolCallRequested,
    TurnComplete,
)
from streamkit.interop.foundation.stream import AgentStream, Init, Next, Pending, Spread
from streamkit.messages import Message
from streamkit.models import ModelId

__all__ = ["RunWriter"]


class RunWriter:
    """Events of one run → items of a stream, with chunks in the given mode; `model` is named in hints.

    The `Summary` or the `FailedAction` is the last item.
    """

    def __init__(self, mode: Mode, model: str = "") -> None:
        self._mode: Mode = mode
        self._model = ModelId(model)
        self._chunks = ChunkWriter(mode)
        self._is_result = False  # whether the deltas are those of a tool's message
        self._messages = self._tools = self._completed = 0

    def feed(self, event: Event) -> list[AgentStream]:
        """Return the items that an event makes."""
        match event:
            case RunStart(source_agent=name):
                return [Init(), Pending(Initializing(name))]
            case TurnStart():
                self._tools = self._completed = 0
                return [Pending(Generating(self._model))]
            case OutputDelta(output=output) if output.depth == 0:
                return self._delta(event)
            case OutputEnd(output=output) if output.depth == 0:
                return self._message(event)
            case MessageAdded(message=message, source=source):
                self._messages += 1
                return [Pending(Steering(source)), *_conversation(message)]
            case Progress(kind="compacting"):
                return [Pending(ProcessingMemory("compaction"))]
            case ToolStart(name=name):
                self._tools += 1
                return [Pending(ToolCallRequested(name))]
            case ToolEnd():
                self._completed += 1
                return [Pending(ExecutingTools(self._tools, self._completed))]
            case Done(summary=RunSummary(usage=usage)):
                report = to_usage_report(usage)
                return [Pending(TurnComplete(report)), Next[SessionRecord](Summary(self._messages, report))]
            case Failed(kind=kind, message=message):
                return [Next[SessionRecord](FailedAction(kind, message))]
        return []

    def _delta(self, event: OutputDelta) -> list[AgentStream]:
        delta = event.output.delta
        if isinstance(delta, MessageStart) and not delta.choice:
            self._is_result = delta.role == "tool"
            self._chunks = ChunkWriter(self._mode)
        if self._is_result:
            return []
        if isinstance(delta, Retract):
            self._chunks.feed(delta)
            return [Next[SessionRecord](Retracted(reason=delta.reason))]
        return [Next[SessionRecord](Conversation(chunk)) for chunk in self._chunks.feed(delta)]

    def _message(self, event: OutputEnd) -> list[AgentStream]:
        self._messages += 1
        message = event.output.message
        return _conversation(message) if message.role == "tool" else []


def _conversation(message: Message) -> list[AgentStream]:
    records: list[SessionRecord] = [Conversation(one) for one in to_foundation([message])]
    return [Next(records[0])] if len(records) == 1 else [Spread(records)]
