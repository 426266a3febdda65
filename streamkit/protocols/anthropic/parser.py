"""Anthropic's Messages API: `POST /v1/messages` and the servers that speak like it.

Records are told apart by the JSON's `type`, by the event's name where that is missing. Facts: the types of the
`anthropic` package 2.14.0 and https://docs.claude.com/en/docs/build-with-claude/streaming, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast, get_args

import msgspec

from streamkit.deltas import (
    Delta,
    MessageEnd,
    MessageStart,
    Retract,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    UsageSnapshot,
)
from streamkit.errors import ProtocolError, TruncatedStream
from streamkit.messages import Role
from streamkit.protocols.anthropic.blocks import TEXT_FIELDS, Blocks
from streamkit.protocols.anthropic.views import (
    NO_INDEX,
    OF_THE_WHOLE,
    MessageView,
    StopView,
    decode_event,
    read_finish,
    read_metrics,
    read_usage,
    successor,
)
from streamkit.protocols.base import unknown
from streamkit.protocols.event_parser import EventParser
from streamkit.protocols.failures import read_failure
from streamkit.protocols.failures.shapes import find_failure
from streamkit.protocols.values import scrub
from streamkit.usage import Usage
from streamkit.wire import Frame

__all__ = ["AnthropicParser"]

_ROLES = get_args(Role)
_PIECES = {**TEXT_FIELDS, "text": "text", "thinking": "thinking"}  # where a delta, or a block that starts, has text
_WHOLE = -2  # the number of a block that comes whole, in no stream
_METRICS = "amazon-bedrock-invocationMetrics"


class AnthropicParser(EventParser):
    """The body of one response of the Messages API, streamed or not, in any cut → deltas."""

    protocol = "anthropic"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._blocks = Blocks(self.limits.max_argument_bytes, self._mint)
        self._start: MessageStart | None = None
        self._stop = StopView()
        self._usage = Usage()
        self._model: str | None = None  # that took over from the one of the start
        self._extra: dict[str, Any] = {}

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        open_blocks = self._blocks.open
        for frame in frames:
            if self.ended:
                return
            try:
                event = decode_event(frame.data)
            except (msgspec.DecodeError, RecursionError):
                self._read_slowly(frame, out)
                continue
            delta = event.delta
            if delta is None or event.type != "content_block_delta":
                self._read_slowly(frame, out)
                continue
            block = open_blocks.get(event.index)
            kind = delta.type
            if block is None or block.fast != kind:
                self._read_slowly(frame, out)
            elif kind == "text_delta" and delta.text:
                out.append(TextDelta(block.index, delta.text))
            elif kind == "thinking_delta" and delta.thinking:
                out.append(ThinkingDelta(block.index, delta.thinking))
            elif kind == "input_json_delta" and delta.partial_json:
                block.count(delta.partial_json)
                out.append(ToolCallDelta(block.index, delta.partial_json))
            else:
                self._read_slowly(frame, out)

    def _end(self, out: list[Delta]) -> None:
        if not self._stop.stop_reason and not (self.quirks.end_without_finish and self._start):
            where = "in the middle of the answer" if self._start else "before an answer began"
            raise TruncatedStream(f"the stream ended {where}: neither a stop reason nor message_stop came")
        self._finish(out)

    def _flush(self, out: list[Delta]) -> None:
        self._blocks.flush(out)

    def _read_broken(self, frame: Frame, out: list[Delta]) -> None:
        if frame.event == "ping" and not frame.data.strip().startswith(b"[DONE]"):
            self._pings += 1
            return
        super()._read_broken(frame, out)

    def _done(self, out: list[Delta]) -> None:
        if self._start:
            self._finish(out)

    def _cleaned(self, value: Any) -> Any:
        """Scrub `value` but for its text, where the other half of a pair may come with the next record."""
        clean = scrub(value)
        for holder in ("delta", "content_block"):
            given = value.get(holder) if isinstance(value, dict) else None
            if isinstance(given, dict) and isinstance(given.get("type"), str):
                field = _PIECES.get(given["type"])
                if field in given:
                    clean[holder][field] = given[field]
        return clean

    def _take_record(self, value: Any, frame: Frame, out: list[Delta]) -> None:
        record = value if isinstance(value, dict) else {}
        event = frame.event if frame.event != "message" else ""  # which is every event's name that has none
        kind = record.get("type") or event
        handler = _HANDLERS.get(kind) if isinstance(kind, str) else None
        if "error" in (kind, event) or (handler is None and find_failure(record)):
            raise read_failure(value, provider=self.provider)
        if handler is None:
            if not (kind or self._start) and value != {}:  # a body that is no stream: an error in a form of its own
                raise read_failure(value, provider=self.provider)
            out.append(unknown(frame))
            return
        try:
            handler(self, msgspec.convert(value, dict[str, Any]), frame, out)
        except msgspec.ValidationError as error:
            raise ProtocolError(f"a record of type {kind} is not of its form ({error})", frame=frame.data) from None

    # One method a type of record.

    def _ping(self, record: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        self._pings += 1

    def _message_start(self, record: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        self._open(msgspec.convert(record.get("message"), MessageView), out)
        self._note_extra(record["message"])

    def _message(self, record: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        """Read an answer that was not streamed."""
        if self._start:
            out.append(unknown(frame))
        else:
            self._open(msgspec.convert(record, MessageView), out)
            self._note_extra(record)
            self._finish(out)

    def _block_start(self, record: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        self._begin(MessageView(), out)
        block = _object(record, "content_block")
        self._blocks.start(_index(record), block, out)
        self._model = successor(block) or self._model

    def _block_delta(self, record: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        self._begin(MessageView(), out)
        if not self._blocks.delta(_index(record), _object(record, "delta"), out):
            out.append(unknown(frame))

    def _block_stop(self, record: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        self._blocks.stop(_index(record), out)

    def _message_delta(self, record: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        self._begin(MessageView(), out)
        self._note_stop(msgspec.convert(record.get("delta") or {}, StopView))
        self._note_extra(record | (record.get("delta") or {}))
        self._note_usage(read_usage(record.get("usage")), out)

    def _message_stop(self, record: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        if not self._usage:
            self._note_usage(read_metrics(record.get(_METRICS)), out)
        self._finish(out)

    # What those have in common.

    def _open(self, message: MessageView, out: list[Delta]) -> None:
        """Begin the answer with all that `message` says of it; its blocks are there where it was not streamed."""
        if self._start and self._blocks.count and message.id not in (None, self._start.id):
            out.append(Retract("the server began another answer in place of this one"))
            self._start, self._stop, self._usage = None, StopView(), Usage()
            self._model, self._extra = None, {}
            self._blocks.reset()
        repeated = self._start is not None
        self._begin(message, out)
        self._note_usage(read_usage(message.usage), out)
        self._note_stop(StopView(message.stop_reason, message.stop_sequence, message.stop_details))
        if message.content and not repeated:
            for block in message.content:
                self._blocks.start(_WHOLE, block, out)
                self._blocks.stop(_WHOLE, out)
                self._model = successor(block) or self._model

    def _begin(self, message: MessageView, out: list[Delta]) -> None:
        if self._start is None:
            role = cast(Role, message.role) if message.role in _ROLES else "assistant"
            provider = self.provider or None
            self._start = MessageStart(role, message.id, message.model, provider=provider, protocol=self.protocol)
            out.append(self._start)

    def _note_stop(self, stop: StopView) -> None:
        if stop.stop_reason:
            self._stop = stop

    def _note_extra(self, holder: dict[str, Any]) -> None:
        self._extra |= {name: value for name in OF_THE_WHOLE if (value := holder.get(name))}

    def _note_usage(self, usage: Usage, out: list[Delta]) -> None:
        if not usage:
            return
        merged = self._usage.merge(usage)
        if merged != self._usage:
            self._usage = merged
            out.append(UsageSnapshot(merged))

    def _finish(self, out: list[Delta]) -> None:
        self._begin(MessageView(), out)
        self._blocks.stop_all(out)
        reason = read_finish(self._stop, self._blocks.has_calls)
        out.append(MessageEnd(reason, model=self._model, extra=self._extra or None))
        self.ended = True


_HANDLERS: dict[str, Callable[[AnthropicParser, dict[str, Any], Frame, list[Delta]], None]] = {
    "ping": AnthropicParser._ping,
    "message_start": AnthropicParser._message_start,
    "content_block_start": AnthropicParser._block_start,
    "content_block_delta": AnthropicParser._block_delta,
    "content_block_stop": AnthropicParser._block_stop,
    "message_delta": AnthropicParser._message_delta,
    "message_stop": AnthropicParser._message_stop,
    "message": AnthropicParser._message,
}


def _index(record: dict[str, Any]) -> int:
    """The wire's number of a block; a server with no numbers has one block open at a time."""
    index = record.get("index")
    if index is None:
        return NO_INDEX
    if not isinstance(index, int):
        raise msgspec.ValidationError("`index` is not a number")
    return index


def _object(record: dict[str, Any], field: str) -> dict[str, Any]:
    value = record.get(field)
    if not isinstance(value, dict):
        raise msgspec.ValidationError(f"`{field}` is not an object")
    return value
