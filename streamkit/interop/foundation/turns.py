"""What a reader of a turn sees: text, thinking, calls, results and hints, then one end."""

from __future__ import annotations

from typing import Any, TypeAlias, Union

from msgspec import Struct

from streamkit import events as ours
from streamkit.deltas import Delta, MessageStart, RefusalDelta, Replace, TextDelta, ThinkingDelta
from streamkit.deltas import Retract as RetractDelta
from streamkit.events import Event, OutputDelta, OutputEnd, ToolEnd
from streamkit.interop.foundation.chunks import Mode
from streamkit.interop.foundation.content import UsageReport, to_usage_report
from streamkit.interop.foundation.runs import RunReader
from streamkit.interop.foundation.stream import AgentStream, Pending
from streamkit.messages import Message
from streamkit.protocols.values import part_text

__all__ = [
    "Done",
    "Failed",
    "ProgressEvent",
    "Retract",
    "Text",
    "Thinking",
    "ToolCallEvent",
    "ToolResultEvent",
    "TurnEvent",
    "TurnReader",
    "TurnSummary",
]


_REVISED = "the text was revised"


class Text(Struct, tag="text"):
    """More text of the answer."""

    text: str


class Thinking(Struct, tag="thinking"):
    """More thinking."""

    text: str


class ToolCallEvent(Struct, tag="tool_call"):
    """The model asks for a tool; `arguments` is None where they were no JSON object."""

    id: str
    name: str
    arguments: dict[str, Any] | None = None


class ToolResultEvent(Struct, tag="tool_result"):
    """What a tool gave, as text, or why it failed."""

    id: str
    name: str
    content: str
    is_error: bool = False


class Retract(Struct, tag="retract"):
    """Drop the text and the thinking of this answer."""

    reason: str


class ProgressEvent(Struct, tag="progress"):
    """A hint at how far the turn is."""

    progress: Any


class Failed(Struct, tag="failed"):
    """The turn failed; nothing follows."""

    error: str
    message: str = ""


class TurnSummary(Struct):
    """A turn that is over: its last answer's text, how many messages it made, what it used."""

    text: str = ""
    message_count: int = 0
    usage: UsageReport = UsageReport()


class Done(Struct, tag="done"):
    """The turn is over; nothing follows."""

    summary: TurnSummary


TurnEvent: TypeAlias = Union[Text, Thinking, ToolCallEvent, ToolResultEvent, Retract, ProgressEvent, Failed, Done]


class TurnReader:
    """Items of the stream of one turn → turn events: memory records and signals of the scheduler are skipped.

    Exactly one `Done` or `Failed` comes, last: by `finish` at the latest. Text is what is new in either mode; calls
    come when their answer is complete. Where a backend revises what it said, a `Retract` comes, and then the text and
    the thinking of the answer once more.
    """

    def __init__(self, mode: Mode) -> None:
        self._run = RunReader(mode)
        self._said: dict[int, tuple[type[Text] | type[Thinking], list[str]]] = {}  # of this answer, by block
        self._summary = TurnSummary()
        self._ended = False

    def feed(self, item: AgentStream) -> list[TurnEvent]:
        """Return what an item says."""
        if self._ended:
            return []
        if isinstance(item, Pending):
            return [ProgressEvent(item.progress)]
        return self._events(self._run.feed(item))

    def finish(self) -> list[TurnEvent]:
        """Return the failure of a turn that has not ended."""
        return [] if self._ended else self._events(self._run.finish())

    def _events(self, events: list[Event]) -> list[TurnEvent]:
        out: list[TurnEvent] = []
        for event in events:
            match event:
                case OutputDelta(output=output):
                    self._delta(output.delta, out)
                case ToolEnd(id=id, name=name, message=message, is_error=failed):
                    texts = (part_text(part) for part in message.contents)
                    out.append(ToolResultEvent(id, name, "".join(text for text in texts if text), failed))
                case OutputEnd(output=output):
                    self._message(output.message, out)
                case ours.Failed(kind=kind, message=why):
                    self._ended = True
                    out.append(Failed(kind, why))
                case ours.Done(summary=ours.RunSummary(usage=usage)):
                    self._ended = True
                    self._summary.usage = to_usage_report(usage)
                    out.append(Done(self._summary))
        return out

    def _delta(self, delta: Delta, out: list[TurnEvent]) -> None:
        if isinstance(delta, (TextDelta, RefusalDelta)):
            out.append(self._say(Text, delta.index, delta.text))
        elif isinstance(delta, ThinkingDelta):
            out.append(self._say(Thinking, delta.index, delta.text))
        elif isinstance(delta, RetractDelta):
            self._said.clear()
            out.append(Retract(delta.reason))
        elif isinstance(delta, Replace):
            self._said[delta.index][1][:] = [delta.text]
            out.append(Retract(_REVISED))
            out += (kind("".join(pieces)) for kind, pieces in self._said.values())
        elif isinstance(delta, MessageStart):
            self._said.clear()

    def _say(self, kind: type[Text] | type[Thinking], index: int, piece: str) -> Text | Thinking:
        self._said.setdefault(index, (kind, []))[1].append(piece)
        return kind(piece)

    def _message(self, message: Message, out: list[TurnEvent]) -> None:
        self._summary.message_count += 1
        if message.role == "assistant":
            self._summary.text = message.text
            for call in message.tool_calls or ():
                arguments = None if call.error else call.function.arguments
                out.append(ToolCallEvent(call.id, call.function.name, arguments))
