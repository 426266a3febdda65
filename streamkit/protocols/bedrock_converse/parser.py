"""Amazon Bedrock's ConverseStream: `POST /model/{modelId}/converse-stream`.

Each message of the event stream is named by its header; its JSON is the event alone, with a member `p` of random
length that hides the sizes of tokens. Records without a name, as in JSON lines and in the chunks of Nova's
InvokeModelWithResponseStream, have the event as the value of its name. Facts:
https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html and recordings, checked
2026-11-29.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, cast, get_args

import msgspec

from streamkit.deltas import Delta, MessageEnd, MessageStart, TextDelta, UsageSnapshot
from streamkit.errors import ProtocolError, TruncatedStream
from streamkit.messages import Role
from streamkit.protocols.base import Parser, unknown
from streamkit.protocols.bedrock_converse.blocks import Blocks
from streamkit.protocols.bedrock_converse.views import NO_INDEX, decode_delta, read_finish, read_usage
from streamkit.protocols.bedrock_converse.whole import read_block
from streamkit.protocols.failures import read_failure
from streamkit.protocols.lenient import decode_lenient, decode_value, rejoin, too_deep
from streamkit.wire import Frame
from streamkit.wire.aws import EventStreamDecoder

__all__ = ["BedrockConverseParser"]

_ROLES = get_args(Role)
_DELTA = "contentBlockDelta"


class BedrockConverseParser(Parser):
    """The body of one answer of ConverseStream, or of Converse, which does not stream → deltas; see `Parser`."""

    protocol: ClassVar[str] = "bedrock-converse"
    framing: ClassVar[str] = "aws-eventstream"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._blocks = Blocks(mint=self._mint, limits=self.limits)
        self._started = False
        self._stop: dict[str, Any] | None = None
        self._metadata: dict[str, Any] | None = None

    def finish(self) -> list[Delta]:
        """Return what the end of input completes; see `Parser.finish`."""
        if self._stop is not None and not self.ended and isinstance(self._decoder, EventStreamDecoder):
            out: list[Delta] = []
            self._finish(out)  # half a message can only be of the metadata
            return out
        return super().finish()

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        blocks = self._blocks
        writer = blocks.writer
        for frame in frames:
            if self.ended:
                return
            if frame.event != _DELTA or not self._started:
                self._read_slowly(frame, out)
                continue
            try:
                event = decode_delta(frame.data)
            except (ValueError, RecursionError):
                self._read_slowly(frame, out)
                continue
            key, delta = event.index, event.delta
            # Nearly every delta is a piece of text, of thinking or of arguments for a block that is open.
            if delta is None:
                self._read_slowly(frame, out)
            elif delta.text and delta.tool is None and delta.reasoning is None:
                if key == blocks.key and writer.ready >= 0:
                    out.append(TextDelta(writer.ready, delta.text))
                else:
                    blocks.text(key, "text", delta.text, out)
            elif delta.tool is not None and delta.tool.input is not None and key in blocks.calls:
                writer.arguments(out, blocks.calls[key], delta.tool.input)
            elif (
                (reasoning := delta.reasoning) is not None
                and reasoning.text
                and reasoning.signature is None
                and reasoning.redacted is None
                and key == blocks.key
                and not blocks.is_redacted
            ):
                blocks.text(key, "thinking", reasoning.text, out)
            else:
                self._read_slowly(frame, out)

    def _end(self, out: list[Delta]) -> None:
        if self._stop is None and not (self._started and self.quirks.end_without_finish):
            where = "in the middle of the answer" if self._started else "before an answer began"
            raise TruncatedStream(f"the stream ended {where}: no messageStop came")
        self._finish(out)

    def _flush(self, out: list[Delta]) -> None:
        self._blocks.release(out)

    def _read_slowly(self, frame: Frame, out: list[Delta]) -> None:
        """Read any frame but the commonest deltas."""
        if frame.event == "error":
            raise read_failure(frame.data, provider=self.provider)
        try:
            try:
                value = decode_value(frame.data)
            except (msgspec.DecodeError, RecursionError):
                value = decode_lenient(frame.data, object)
            self._take_value(value, frame, out)
        except RecursionError:  # from what walks a value that is kept as it came
            raise too_deep(frame.data) from None

    def _take_value(self, value: Any, frame: Frame, out: list[Delta]) -> None:
        name = frame.event
        if not name:
            self._take_unnamed(value, frame, out)
        elif name in _HANDLERS:
            self._handle(name, value, frame, out)
        else:
            out.append(unknown(frame))

    def _take_unnamed(self, value: Any, frame: Frame, out: list[Delta]) -> None:
        """Read a record that has its name inside, or a body that is no stream."""
        record = value if isinstance(value, dict) else {}
        if "output" in record and not self._started:
            self._handle("output", record, frame, out)
            return
        known = [name for name in record if name in _HANDLERS and name != "output"]
        failed = next((name for name in record if isinstance(name, str) and name.endswith("Exception")), None)
        if failed is not None:
            said = record[failed] if isinstance(record[failed], dict) else {}
            raise read_failure({"type": failed, **said}, provider=self.provider)
        if not known:
            if not self._started:  # an error in a form of its own
                raise read_failure(value, provider=self.provider)
            out.append(unknown(frame))
        for name in known:
            if not self.ended:
                self._handle(name, record[name], frame, out)

    def _handle(self, name: str, value: Any, frame: Frame, out: list[Delta]) -> None:
        try:
            _HANDLERS[name](self, msgspec.convert(value, dict[str, Any]), frame, out)
        except (msgspec.ValidationError, UnicodeEncodeError) as error:  # half a character has no encoding
            raise ProtocolError(f"an event of type {name} is not of its form ({error})", frame=frame.data) from None
        except ProtocolError as error:
            error.frame = error.frame or frame.data
            raise

    # One method a type of event.

    def _message_start(self, event: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        self._begin(out, event.get("role"))

    def _block_start(self, event: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        self._begin(out)
        if not self._blocks.start(_index(event), _object(event, "start"), out):
            out.append(unknown(frame))

    def _block_delta(self, event: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        self._begin(out)
        if not self._blocks.delta(_index(event), _object(event, "delta"), out):
            out.append(unknown(frame))

    def _block_stop(self, event: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        self._begin(out)
        self._blocks.stop(_index(event), out)

    def _message_stop(self, event: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        self._begin(out)
        self._blocks.stop_all(out)
        self._stop = event
        if self._metadata is not None:
            self._finish(out)

    def _note_metadata(self, event: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        """Take the counts, which follow `messageStop`; in some recordings they come before it."""
        self._begin(out)
        if usage := read_usage(event.get("usage")):
            out.append(UsageSnapshot(usage))
        self._metadata = event
        if self._stop is not None:
            self._finish(out)

    def _whole(self, event: dict[str, Any], frame: Frame, out: list[Delta]) -> None:
        """Read an answer that was not streamed."""
        message = _object(_object(event, "output"), "message")
        self._begin(out, message.get("role"))
        for key, block in enumerate(msgspec.convert(message.get("content") or [], list[dict[str, Any]])):
            read_block(self._blocks, key, block, out)
        self._stop = event
        self._note_metadata(event, frame, out)

    # What those have in common.

    def _begin(self, out: list[Delta], role: Any = None) -> None:
        if not self._started:
            self._started = True
            known = cast(Role, role) if role in _ROLES else "assistant"
            out.append(MessageStart(known, provider=self.provider or None, protocol=self.protocol))

    def _finish(self, out: list[Delta]) -> None:
        stop, metadata = self._stop or {}, self._metadata or {}
        word = stop.get("stopReason")
        self._blocks.stop_all(out)
        reason = read_finish(
            rejoin(word) if isinstance(word, str) else None,
            calls=self._blocks.has_calls,
            fields=stop.get("additionalModelResponseFields"),
            trace=metadata.get("trace"),
        )
        out.append(MessageEnd(reason))
        self.ended = True


_HANDLERS: dict[str, Callable[[BedrockConverseParser, dict[str, Any], Frame, list[Delta]], None]] = {
    "messageStart": BedrockConverseParser._message_start,
    "contentBlockStart": BedrockConverseParser._block_start,
    "contentBlockDelta": BedrockConverseParser._block_delta,
    "contentBlockStop": BedrockConverseParser._block_stop,
    "messageStop": BedrockConverseParser._message_stop,
    "metadata": BedrockConverseParser._note_metadata,
    "output": BedrockConverseParser._whole,
}


def _index(event: dict[str, Any]) -> int:
    index = event.get("contentBlockIndex")
    if index is None:
        return NO_INDEX
    if not isinstance(index, int):
        raise msgspec.ValidationError("`contentBlockIndex` is not a number")
    return index


def _object(event: dict[str, Any], field: str) -> dict[str, Any]:
    value = event.get(field)
    if not isinstance(value, dict):
        raise msgspec.ValidationError(f"`{field}` is not an object")
    return value
