"""The stream of a turn of foundation's agent → the events of a run; `run_writer` does it the other way.

Lost on the way from foundation: what users say in the middle, memory records and hints (see `turns` for these), when
a tool started (it is told with its result), and where one answer ends and another begins with no result between them.
Lost on the way to it: progress of tools, what sub-agents say, frames, log probabilities while they stream, and the
partial answer of a run that failed.
"""

from __future__ import annotations

from streamkit.accumulator import Accumulator
from streamkit.deltas import BlockAdded, Delta, MessageDeltaOutput, MessageEnd, MessageStart, Retract
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
from streamkit.interop.foundation.chunks import ChunkReader, Mode
from streamkit.interop.foundation.content import to_usage
from streamkit.interop.foundation.convert import from_foundation
from streamkit.interop.foundation.messages import Assistant, Messages, ToolResult
from streamkit.interop.foundation.records import (
    Conversation,
    FailedAction,
    Retracted,
    SessionRecord,
    Summary,
)
from streamkit.interop.foundation.stream import AgentStream, Next, Spread
from streamkit.messages import FinishReason, Message, MessageOutput
from streamkit.parts import FunctionPart

__all__ = ["RunReader"]

_RESULT_END = FinishReason("stop")
_CUT = "the stream ended before the turn did"


class RunReader:
    """Items of the stream of one turn → events.

    A retraction holds for the answer that is being written only: earlier ones have results already. After the end of
    the turn nothing more is read; one that `finish` finds without an end has failed.
    """

    def __init__(self, mode: Mode, name: str = "agent") -> None:
        """`mode` is that of the chunks, see `chunks`; `name` is the agent's."""
        self._mode: Mode = mode
        self._name = name
        self._turn = 0
        self._answer: ChunkReader | None = None  # the one that is being written
        self._message: Accumulator | None = None  # what it is so far
        self._calls: dict[str, FunctionPart] = {}  # without a result
        self._results: list[ToolResult] = []  # the parts of one result
        self._end = FinishReason("stop", synthesized=True)
        self._started = self._ended = False

    def feed(self, item: AgentStream) -> list[Event]:
        """Return what an item says."""
        if self._ended:
            return []
        out: list[Event] = []
        if not self._started:
            self._started = True
            out.append(RunStart(self._name))
        records = [item.item] if isinstance(item, Next) else item.items if isinstance(item, Spread) else []
        for record in records:
            if not self._ended:
                self._record(record, out)
        return out

    def finish(self) -> list[Event]:
        """Return the failure of a turn that has not ended."""
        return self.feed(Next(FailedAction("TruncatedStream", _CUT)))

    def _record(self, record: SessionRecord, out: list[Event]) -> None:
        if isinstance(record, Conversation):
            self._said(record.message, out)
        elif isinstance(record, Retracted):
            if self._answer is not None:
                self._tell(out, Retract(record.reason))
                self._answer = ChunkReader(self._mode)
        elif isinstance(record, FailedAction):
            partial = self._message.snapshot() if self._message is not None else None
            self._ended = True
            out.append(Failed(record.error, record.message, partial))
        elif isinstance(record, Summary):
            self._close(out)
            if self._turn:
                out.append(TurnEnd(self._turn))
            self._ended = True
            out.append(Done(RunSummary(self._turn, self._end, to_usage(record.usage))))

    def _said(self, message: Messages, out: list[Event]) -> None:
        if isinstance(message, ToolResult):
            self._close_answer(out)
            if self._results and self._results[0].tool_call_id != message.tool_call_id:
                self._close_result(out)
            self._results.append(message)
            return
        if not isinstance(message, Assistant):
            self._close(out)
            return
        self._close_result(out)
        if self._answer is None:
            if self._turn:
                out.append(TurnEnd(self._turn))
            self._turn += 1
            out.append(TurnStart(self._turn))
            self._answer, self._message = ChunkReader(self._mode), Accumulator()
        self._tell(out, *self._answer.feed(message))

    def _tell(self, out: list[Event], *deltas: Delta) -> None:
        assert self._message is not None, "an answer is being written"
        for delta in deltas:
            self._message.feed(delta)
            end = delta.finish_reason if isinstance(delta, MessageEnd) else None
            usage = self._message.snapshot().usage if end else None
            out.append(OutputDelta(MessageDeltaOutput(delta, end, usage, source_agent=self._name)))

    def _close(self, out: list[Event]) -> None:
        self._close_answer(out)
        self._close_result(out)

    def _close_answer(self, out: list[Event]) -> None:
        if self._answer is None or self._message is None:
            return
        self._tell(out, *self._answer.finish())
        output = self._message.finish()
        output.source_agent = self._name
        self._answer = self._message = None
        self._end = output.finish_reason or self._end
        self._calls = {call.id: call for call in output.message.tool_calls or []}
        out.append(OutputEnd(output))

    def _close_result(self, out: list[Event]) -> None:
        if not self._results:
            return
        (message,) = from_foundation(self._results)
        self._results = []
        id, name, failed = message.id or "", "", False
        if message.meta is not None:
            name, failed = message.meta.name or "", message.meta.is_error
        call = self._calls.pop(id, None)
        out.append(ToolStart(id, name, call.function.arguments if call else {}))
        out.append(ToolEnd(id, name, message, failed))
        self._tell_result(message, out)

    def _tell_result(self, message: Message, out: list[Event]) -> None:
        deltas: list[Delta] = [MessageStart("tool", message.id, meta=message.meta)]
        deltas += (BlockAdded(index, part) for index, part in enumerate(message.contents))
        out += (OutputDelta(MessageDeltaOutput(delta, source_agent=self._name)) for delta in deltas)
        out.append(OutputDelta(MessageDeltaOutput(MessageEnd(_RESULT_END), _RESULT_END, source_agent=self._name)))
        out.append(OutputEnd(MessageOutput(message, _RESULT_END, source_agent=self._name)))
