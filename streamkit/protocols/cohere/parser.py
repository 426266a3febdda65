"""Cohere's `POST /v2/chat`, and the lines of `/v1/chat` and `/v1/generate` before it.

Events are told apart by the JSON's `type`, by the event's name where that is missing. Facts: the types of the `cohere`
package 7.3.1, https://docs.cohere.com/v2/docs/streaming and recordings, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from streamkit.deltas import Delta, Logprobs, MessageEnd, MessageStart, TextDelta, UsageSnapshot
from streamkit.errors import ProtocolError, TruncatedStream
from streamkit.protocols.base import Parser, unknown
from streamkit.protocols.cohere.blocks import PLAN, Blocks
from streamkit.protocols.cohere.fields import (
    KINDS,
    contents_of,
    items_of,
    kind_of,
    list_of,
    message_of,
    number_of,
    object_of,
    text_of,
)
from streamkit.protocols.cohere.views import FAILED, at, decode_event, read_finish, read_usage
from streamkit.protocols.failures import read_failure
from streamkit.protocols.failures.shapes import find_failure
from streamkit.protocols.lenient import decode_lenient, decode_value, rejoin, too_deep
from streamkit.protocols.values import scrub
from streamkit.wire import Frame

__all__ = ["CohereParser"]

_CHUNK_OF_CALLS = "tool_call_delta"  # version 1 says all of it once more in `tool-calls-generation`


class CohereParser(Parser):
    """The stream of a chat, or the JSON of an answer that came at once → deltas; see `Parser`.

    With `framing="ndjson"` the stream of version 1.
    """

    protocol: ClassVar[str] = "cohere"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        plan_as_thinking = self.quirks.plan_as_thinking
        self._blocks = Blocks(plan_as_thinking=plan_as_thinking, mint=self._mint, limits=self.limits)
        self._started = False

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        contents, writer = self._blocks.contents, self._blocks.writer
        for frame in frames:
            if self.ended:
                return
            try:
                event = decode_event(frame.data)
            except (ValueError, RecursionError):
                self._read_slowly(frame, out)
                continue
            # Nearly every event is a piece of text.
            if (
                event.type == "content-delta"
                and writer.ready >= 0
                and type(event.index) is int
                and contents.get(event.index) == writer.ready
                and event.logprobs is None
                and (delta := event.delta) is not None
                and (message := delta.message) is not None
                and (content := message.content) is not None
                and content.text
                and content.thinking is None
            ):
                out.append(TextDelta(writer.ready, content.text))
            else:
                self._read_slowly(frame, out)

    def _end(self, out: list[Delta]) -> None:
        if not (self._started and self.quirks.end_without_finish):
            where = "in the middle of the answer" if self._started else "before an answer began"
            raise TruncatedStream(f"the stream ended {where}: no message-end came")
        self._finish(None, out)

    def _flush(self, out: list[Delta]) -> None:
        self._blocks.release(out)

    def _read_slowly(self, frame: Frame, out: list[Delta]) -> None:
        """Read any frame but the commonest."""
        data = frame.data.strip()
        if data.startswith(b"[DONE]"):
            if self._started:
                self._finish(None, out)
            return
        try:
            value = decode_value(data)
        except (ValueError, RecursionError):
            if "error" in frame.event:
                raise read_failure(frame.data, provider=self.provider) from None
            value = decode_lenient(data, object)
        try:
            self._read_value(value, frame, out)
        except ProtocolError as error:
            error.frame = error.frame or frame.data
            raise
        except RecursionError:  # from what walks a value that is kept as it came
            raise too_deep(frame.data) from None

    def _read_value(self, value: Any, frame: Frame, out: list[Delta]) -> None:
        event = value if isinstance(value, dict) else {}
        kind = event.get("type") or event.get("event_type") or frame.event
        if not kind and "is_finished" in event:  # version 1's `/v1/generate`
            kind = "stream-end" if event["is_finished"] else "text-generation"
        handler = _HANDLERS.get(kind) if isinstance(kind, str) else None
        if handler is not None:
            handler(self, event, out)
        elif kind == "error" or find_failure(event):
            raise read_failure(value, provider=self.provider)
        elif kind or self._started or not event:
            out.append(unknown(frame))
        elif isinstance(event.get("message"), dict):
            self._whole(event, out)
        else:  # an error is a text alone
            raise read_failure(value, provider=self.provider)

    # One method a type of event.

    def _message_start(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._begin(event.get("id"), out)

    def _content_start(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._begin(None, out)
        content = object_of(event, "content")
        kind = kind_of(content)
        if kind is not None:
            self._blocks.start(number_of(event.get("index")), kind, out)
            self._blocks.write(number_of(event.get("index")), kind, text_of(content, kind), out)
        else:
            self._blocks.keep(number_of(event.get("index")), content, out)

    def _content_delta(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._begin(None, out)
        key, content = number_of(event.get("index")), object_of(event, "content")
        if self._blocks.is_unknown(key):
            self._blocks.keep(key, content, out)
            return
        for kind in KINDS:
            if piece := text_of(content, kind):
                self._blocks.write(key, kind, piece, out)
        if isinstance(event.get("logprobs"), dict):
            out.append(Logprobs([scrub(event["logprobs"])]))

    def _content_end(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._blocks.stop(number_of(event.get("index")), out)

    def _plan_delta(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._begin(None, out)
        self._blocks.plan(text_of(message_of(event), PLAN), out)

    def _call_start(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._begin(None, out)
        for key, call in items_of(event, "tool_calls"):
            self._blocks.start_call(key, call, out)

    def _call_delta(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._begin(None, out)
        for key, call in items_of(event, "tool_calls"):
            self._blocks.write_call(key, at(call, "function", "arguments"), out)

    def _call_end(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._blocks.stop_call(number_of(event.get("index")), out)

    def _citation(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._begin(None, out)
        for _, citation in items_of(event, "citations"):
            self._blocks.cite(citation, out)

    def _message_end(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._close(event.get("delta"), out)

    def _nothing(self, event: dict[str, Any], out: list[Delta]) -> None:
        """An event that says nothing of the answer."""

    def _whole(self, answer: dict[str, Any], out: list[Delta]) -> None:
        """Read an answer that was not streamed."""
        self._begin(answer.get("id"), out)
        message = answer["message"]
        self._blocks.plan(text_of(message, PLAN), out)
        for key, content in enumerate(contents_of(message.get("content"))):
            kind = kind_of(content) if isinstance(content, dict) else None
            if kind is not None:
                self._blocks.start(key, kind, out)
                self._blocks.write(key, kind, text_of(content, kind), out)
            elif isinstance(content, dict):
                self._blocks.keep(key, content, out)
            self._blocks.stop(key, out)
        for citation in list_of(message.get("citations")):
            if isinstance(citation, dict):
                self._blocks.cite(citation, out)
        for key, call in enumerate(list_of(message.get("tool_calls"))):
            if isinstance(call, dict):
                self._blocks.start_call(key, call, out)
        self._close(answer, out)

    # The events of version 1.

    def _v1_start(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._begin(event.get("generation_id"), out)

    def _v1text_of(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._begin(None, out)
        self._blocks.write(0, "text", text_of(event, "text"), out)

    def _v1_plan(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._begin(None, out)
        if event.get(_CHUNK_OF_CALLS) is None:
            self._blocks.plan(text_of(event, "text"), out)

    def _v1_calls(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._begin(None, out)
        for key, call in enumerate(list_of(event.get("tool_calls"))):
            function = {"name": at(call, "name"), "arguments": at(call, "parameters")}
            self._blocks.start_call(key, {"function": function}, out)
            self._blocks.stop_call(key, out)

    def _v1_citations(self, event: dict[str, Any], out: list[Delta]) -> None:
        self._begin(None, out)
        for citation in list_of(event.get("citations")):
            if isinstance(citation, dict):
                self._blocks.cite(citation, out)

    def _v1_end(self, event: dict[str, Any], out: list[Delta]) -> None:
        """The end; its `response` says the whole text once more."""
        meta = at(event, "response", "meta")
        error = event.get("error") or event.get("err")
        end = {"finish_reason": event.get("finish_reason"), "usage": meta, "error": error}
        self._close(end, out)

    # What those have in common.

    def _begin(self, id: Any, out: list[Delta]) -> None:
        if not self._started:
            self._started = True
            name = (rejoin(id) or None) if isinstance(id, str) else None
            out.append(MessageStart(id=name, provider=self.provider or None, protocol=self.protocol))

    def _close(self, end: Any, out: list[Delta]) -> None:
        """End the answer, or raise what it reports in place of an end."""
        self._begin(None, out)
        word, error = at(end, "finish_reason"), at(end, "error")
        if isinstance(word, str) and word.upper() in FAILED:
            self._tell_usage(end, out)
            said = error if isinstance(error, str) and error else f"the answer ended with {word}"
            type = at(end, "error_type")
            raise read_failure({"message": said, "error_type": type or word}, provider=self.provider)
        self._finish(end, out)

    def _finish(self, end: Any, out: list[Delta]) -> None:
        self._blocks.close(out)
        self._tell_usage(end, out)
        out.append(MessageEnd(read_finish(_clean(at(end, "finish_reason")), calls=self._blocks.any_calls)))
        self.ended = True

    def _tell_usage(self, end: Any, out: list[Delta]) -> None:
        usage = read_usage(at(end, "usage"))
        if usage:
            out.append(UsageSnapshot(usage))


_HANDLERS: dict[str, Callable[[CohereParser, dict[str, Any], list[Delta]], None]] = {
    "message-start": CohereParser._message_start,
    "content-start": CohereParser._content_start,
    "content-delta": CohereParser._content_delta,
    "content-end": CohereParser._content_end,
    "tool-plan-delta": CohereParser._plan_delta,
    "tool-call-start": CohereParser._call_start,
    "tool-call-delta": CohereParser._call_delta,
    "tool-call-end": CohereParser._call_end,
    "citation-start": CohereParser._citation,
    "citation-end": CohereParser._nothing,
    "message-end": CohereParser._message_end,
    "debug": CohereParser._nothing,
    "stream-start": CohereParser._v1_start,
    "text-generation": CohereParser._v1text_of,
    "tool-calls-chunk": CohereParser._v1_plan,
    "tool-calls-generation": CohereParser._v1_calls,
    "citation-generation": CohereParser._v1_citations,
    "stream-end": CohereParser._v1_end,
    "stream-error": CohereParser._v1_end,
}


def _clean(word: Any) -> Any:
    return rejoin(word) if isinstance(word, str) else word
