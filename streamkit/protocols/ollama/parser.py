"""Ollama's `POST /api/chat` and `POST /api/generate`: one JSON object a line, the last with `done`.

There is no response id and no sentinel; calls come whole. Facts: `docs/api.md`, `api/types.go` and `server/routes.go`
of https://github.com/ollama/ollama, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from streamkit.deltas import Delta, Logprobs, MessageEnd, MessageStart, TextDelta, UsageSnapshot
from streamkit.errors import ProtocolError, TruncatedStream
from streamkit.protocols.base import Parser, unknown
from streamkit.protocols.lenient import decode_as, decode_lenient, rejoin, too_deep
from streamkit.protocols.ollama.failures import read_line_failure
from streamkit.protocols.ollama.images import read_image
from streamkit.protocols.ollama.views import Head, Last, Record, ToolCall, read_finish, read_usage
from streamkit.protocols.tagged import TaggedWriter
from streamkit.protocols.values import compact_json, scrub
from streamkit.wire import Frame

__all__ = ["OllamaParser"]

# What shows that a record belongs to the dialect.
_RECORD_KEYS = frozenset({"message", "response", "thinking", "tool_calls", "image", "done"})

_decode = msgspec.json.Decoder(Record).decode


class OllamaParser(Parser):
    """The stream of Ollama's own API, or the JSON of an answer that came at once → deltas; see `Parser`."""

    protocol: ClassVar[str] = "ollama"
    framing: ClassVar[str] = "ndjson"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._writer = TaggedWriter(0, quirks=self.quirks, mint=self._mint, limits=self.limits)
        self._started = False
        self._calls = False

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        writer = self._writer
        for frame in frames:
            if self.ended:
                return
            try:
                record = _decode(frame.data)
            except (ValueError, RecursionError):
                self._read_odd(frame, out)
                continue
            # Nearly every record is a piece of text, which is told by what is absent.
            said = record.message
            if (
                said is not None
                and writer.ready >= 0
                and said.content
                and record.done is False
                and not said.thinking
                and said.tool_calls is None
                and said.images is None
                and record.logprobs is None
                and record.error is None
            ):
                out.append(TextDelta(writer.ready, said.content))
            else:
                self._read_record(record, frame, out)

    def _end(self, out: list[Delta]) -> None:
        if not (self._started and self.quirks.end_without_finish):
            where = "in the middle of the answer" if self._started else "before an answer began"
            raise TruncatedStream(f"the stream ended {where}: no record with `done` came")
        self._finish(Last(), out)

    def _flush(self, out: list[Delta]) -> None:
        self._writer.release(out)

    def _read_odd(self, frame: Frame, out: list[Delta]) -> None:
        """Read a frame that is no valid record: broken as real servers break it, or none at all."""
        value = decode_lenient(frame.data, object)
        if isinstance(value, dict):
            self._read_record(decode_lenient(frame.data, Record), frame, out)
        else:
            out.append(unknown(frame))

    def _read_record(self, record: Record, frame: Frame, out: list[Delta]) -> None:
        if record.error:
            raise read_line_failure(decode_as(frame.data, dict), self.provider)
        said, known = record.message, record.response is not None or record.done is not None
        if said is None and not known and not (decode_as(frame.data, dict).keys() & _RECORD_KEYS):
            out.append(unknown(frame))
            return
        if not self._started:
            self._begin(frame, out)
        try:
            thinking, text = record.thinking, record.response
            calls, images = record.tool_calls, [record.image] if record.image else []
            if said is not None:
                thinking, text = said.thinking or thinking, said.content or text
                calls, images = said.tool_calls or calls, said.images or images
            self._write(thinking, text, out)
            for image in images:
                self._writer.settle(out)
                self._writer.add(out, read_image(image))
            for call in calls or ():
                if call is not None:
                    self._call(call, out)
        except ProtocolError as error:
            error.frame = error.frame or frame.data
            raise
        except RecursionError:
            raise too_deep(frame.data) from None
        if record.logprobs:
            out.append(Logprobs(scrub(record.logprobs)))
        if record.done:
            self._finish(decode_as(frame.data, Last), out)

    def _begin(self, frame: Frame, out: list[Delta]) -> None:
        self._started = True
        model = decode_as(frame.data, Head).model
        provider = self.provider or None
        name = rejoin(model) if isinstance(model, str) and model else None
        out.append(MessageStart(model=name, provider=provider, protocol=self.protocol))

    def _write(self, thinking: str | None, text: str | None, out: list[Delta]) -> None:
        if thinking:
            self._writer.settle(out)
            self._writer.write(out, "thinking", thinking)
        if text:
            self._writer.say(out, text)

    def _call(self, call: ToolCall, out: list[Delta]) -> None:
        """Add a call, which is complete as it comes."""
        function = call.function
        if function is None:
            raise ProtocolError("a tool call has no function")
        writer = self._writer
        writer.settle(out)
        self._calls = True
        id = call.id if isinstance(call.id, str) else ""
        index = writer.open_call(out, id, rejoin(function.name))
        arguments = function.arguments
        if arguments is not None:
            writer.arguments(out, index, arguments if isinstance(arguments, str) else compact_json(arguments))
        writer.close(out)

    def _finish(self, last: Last, out: list[Delta]) -> None:
        self._writer.close(out)
        usage = read_usage(last)
        if usage is not None:
            out.append(UsageSnapshot(usage))
        out.append(MessageEnd(read_finish(last, calls=self._calls)))
        self.ended = True
