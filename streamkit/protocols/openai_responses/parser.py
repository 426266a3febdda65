"""OpenAI's Responses: `POST /v1/responses` and the servers that speak like it.

Events are told apart by the JSON's `type`, by the event's name where that is missing. Facts: the types of the `openai`
package 3.57.0 and recordings of Azure, GitHub Copilot, OpenRouter, xAI, DeepSeek, LM Studio, llama.cpp and
transformers, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from streamkit.deltas import Delta, Logprobs, MessageEnd, MessageStart, UsageSnapshot
from streamkit.errors import APIError, ConfigError, ProtocolError, TruncatedStream
from streamkit.protocols.base import unknown
from streamkit.protocols.event_parser import EventParser
from streamkit.protocols.failures import read_failure
from streamkit.protocols.failures.shapes import find_failure
from streamkit.protocols.lenient import decode_value
from streamkit.protocols.openai_chat.media import read_base64
from streamkit.protocols.openai_responses import events
from streamkit.protocols.openai_responses.blocks import NO_BLOCK
from streamkit.protocols.openai_responses.finish import UNFINISHED, incomplete_reason, read_finish
from streamkit.protocols.openai_responses.items import Items
from streamkit.protocols.openai_responses.request import encode_resume
from streamkit.protocols.openai_responses.usage import read_usage
from streamkit.protocols.openai_responses.views import (
    NO_INDEX,
    EventView,
    decode_event,
    listed,
    mapping,
    number,
    text,
)
from streamkit.protocols.request import EncodedRequest
from streamkit.protocols.values import scrub
from streamkit.wire import Frame

__all__ = ["ResponsesParser"]


class ResponsesParser(EventParser):
    """The body of one response of the Responses API, streamed or not, in any cut → deltas.

    Where the connection broke, a response that is stored (`background`, `store`) can be gone on with: `resume`, then
    feed the body that answers the request which that returns.
    """

    protocol = "openai-responses"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._last = EventView()  # the last event of the commonest kind
        self._highest = NO_INDEX  # the highest number of the others
        server_custom_tools = self.quirks.server_custom_tools
        self._items = Items(self.limits.max_argument_bytes, self._mint, server_custom_tools=server_custom_tools)
        self._start: MessageStart | None = None
        self._skipping = False  # whether events may come that came before

    @classmethod
    def claims(cls, frame: Frame) -> bool:
        """Say whether `frame` is an event named `response.…`, or a whole response that was not streamed."""
        try:
            value = decode_value(frame.data)
        except (msgspec.DecodeError, RecursionError):
            value = None
        record = value if isinstance(value, dict) else {}
        return str(record.get("type") or frame.event).startswith("response.") or record.get("object") == "response"

    @property
    def response_id(self) -> str | None:
        """The response's id, None while it is not known."""
        return self._start.id if self._start else None

    @property
    def last_sequence(self) -> int:
        """The highest number of an event, -1 where events have none."""
        return max(self._highest, self._last.sequence_number)

    def resume(self) -> EncodedRequest:
        """Make ready to read on from another connection; return the request for what has not come yet.

        What is left of a cut event is dropped, and so are events that came before. Raises `ConfigError` where the
        response has no id, has ended, or was ended by an error of the provider's.
        """
        if self.ended and not isinstance(self._error, TruncatedStream):
            raise ConfigError("the response has ended: there is nothing to go on with")
        request = encode_resume(self.response_id or "", self.last_sequence)
        self._reopen()
        self._skipping = True
        self._items.newest = NO_BLOCK
        return request

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        # Nearly every event is more of the block that grew last: what tells so is kept in local names.
        block = self._items.newest
        takes, place, content = block.takes, block.place, block.content
        summary, index, piece = block.summary, block.index, block.piece
        keep, limit = block.keep, block.limit
        last = None  # the last event that was read here
        for frame in frames:
            try:
                event = decode_event(frame.data)
            except (msgspec.DecodeError, RecursionError):
                pass
            else:
                delta = event.delta
                if (
                    event.type == takes
                    and event.output_index == place
                    and event.content_index == content
                    and event.summary_index == summary
                    and delta
                    and not event.logprobs
                ):
                    if limit:
                        block.count(delta)
                    keep(delta)
                    out.append(piece(index, delta))
                    last = event
                    continue
            self._read_slowly(frame, out)
            if self.ended:
                return
            block = self._items.newest
            takes, place, content = block.takes, block.place, block.content
            summary, index, piece = block.summary, block.index, block.piece
            keep, limit = block.keep, block.limit
        if last is not None and last.sequence_number >= 0:
            self._last = last

    def _end(self, out: list[Delta]) -> None:
        if not (self.quirks.end_without_finish and self._start):
            where = "in the middle of the answer" if self._start else "before an answer began"
            raise TruncatedStream(f"the stream ended {where}: no event came that ends a response")
        self._finish({}, None, out)

    def _flush(self, out: list[Delta]) -> None:
        self._items.flush(out)

    def _done(self, out: list[Delta]) -> None:
        if self._start:
            self._finish({}, None, out)

    def _cleaned(self, value: Any) -> Any:
        clean = scrub(value)
        if isinstance(value, dict) and isinstance(value.get("delta"), str):
            clean["delta"] = value["delta"]  # the other half of a pair may come with the next piece
        return clean

    def _take_record(self, value: Any, frame: Frame, out: list[Delta]) -> None:
        record = value if isinstance(value, dict) else {}
        event = frame.event if frame.event != "message" else ""  # which is every event's name that has none
        kind = record.get("type") or event
        handler = _HANDLERS.get(kind) if isinstance(kind, str) else None
        ours = str(kind).startswith("response.") or record.get("object") == "response"
        if "error" in (kind, event) or (not ours and find_failure(record)):
            raise read_failure(value, provider=self.provider)
        if handler is None:
            if record.get("object") == "response" and not self._start:
                handler = ResponsesParser._response
            elif not (kind or self._start) and value != {}:  # a body that is no stream: an error in a form of its own
                raise read_failure(value, provider=self.provider)
        try:
            if self._came_before(record):
                return
            if handler is not None:
                handler(self, record if record.get("type") else record | {"type": kind}, out)
            elif not (isinstance(kind, str) and events.is_progress(kind)):
                out.append(unknown(frame))
        except msgspec.ValidationError as error:
            raise ProtocolError(f"an event of type {kind} is not of its form ({error})", frame=frame.data) from None
        except ProtocolError as error:
            error.frame = frame.data
            raise

    def _came_before(self, record: dict[str, Any]) -> bool:
        """Note the number of an event; True where it came over the connection that broke."""
        at = record.get("sequence_number")
        if not isinstance(at, int) or isinstance(at, bool):
            return False
        if self._skipping and at <= self.last_sequence:
            return True
        self._highest, self._skipping = max(self._highest, at), False
        return False

    # One method a type of event.

    def _opening(self, record: dict[str, Any], out: list[Delta]) -> None:
        self._begin(mapping(record, "response"), out)

    def _response(self, record: dict[str, Any], out: list[Delta]) -> None:
        """Read a response that was not streamed; one that still runs in the background is no answer yet."""
        self._begin(record, out)
        if record.get("status") not in UNFINISHED:
            self._terminate(record, "completed", out)

    def _item_added(self, record: dict[str, Any], out: list[Delta]) -> None:
        self._begin({}, out)
        self._items.announce(number(record, "output_index"), mapping(record, "item"), out)

    def _item_done(self, record: dict[str, Any], out: list[Delta]) -> None:
        self._begin({}, out)
        self._items.finish(number(record, "output_index"), mapping(record, "item"), out)

    def _piece(self, record: dict[str, Any], out: list[Delta]) -> None:
        event, piece = record["type"], text(record, "delta")
        self._begin({}, out)
        if piece:
            self._items.grow(event, *_place(record, event), piece, out)
        logprobs = record.get("logprobs")
        if logprobs and isinstance(logprobs, list):
            out.append(Logprobs(logprobs))

    def _whole_text(self, record: dict[str, Any], out: list[Delta]) -> None:
        event, field = events.WHOLE[record["type"]]
        self._begin({}, out)
        if whole := text(record, field):
            self._items.fill(event, *_place(record, event), whole, out)

    def _part(self, record: dict[str, Any], out: list[Delta]) -> None:
        """Read a part that begins, and may have text already, or one that ends and has all of it."""
        part = mapping(record, "part")
        known = events.PARTS.get(text(part, "type"))
        self._begin({}, out)
        if known and (whole := text(part, known[1])):
            self._items.fill(known[0], *_place(record, known[0]), whole, out)

    def _annotation(self, record: dict[str, Any], out: list[Delta]) -> None:
        self._begin({}, out)
        self._items.cite(*_place(record, events.TEXT), mapping(record, "annotation"), out)

    def _sound(self, record: dict[str, Any], out: list[Delta]) -> None:
        self._begin({}, out)
        self._items.audio(out, data=read_base64(text(record, "delta")))

    def _transcript(self, record: dict[str, Any], out: list[Delta]) -> None:
        self._begin({}, out)
        self._items.audio(out, transcript=text(record, "delta"))

    def _terminal(self, record: dict[str, Any], out: list[Delta]) -> None:
        response = {} if record.get("response") is None else mapping(record, "response")
        self._begin(response, out)
        self._terminate(response, record["type"].removeprefix("response."), out)

    # What those have in common.

    def _begin(self, response: dict[str, Any], out: list[Delta]) -> None:
        if self._start is None:
            id, model = text(response, "id") or None, text(response, "model") or None
            self._start = MessageStart("assistant", id, model, provider=self.provider or None, protocol=self.protocol)
            out.append(self._start)

    def _terminate(self, response: dict[str, Any], word: str, out: list[Delta]) -> None:
        """End the answer as `response` says; `word` is its status where it names none, or one that is no end."""
        status = text(response, "status")
        status = word if not status or status in UNFINISHED else status
        if "failed" in (status, word):
            self._note_usage(response, out)
            raise self._failure(response)
        self._items.settle(listed(response, "output"), out)
        self._finish(response, status, out)

    def _finish(self, response: dict[str, Any], status: str | None, out: list[Delta]) -> None:
        items = self._items
        items.close(out, cut=status == "incomplete")
        self._note_usage(response, out)
        reason = incomplete_reason(response)
        out.append(MessageEnd(read_finish(status, reason, calls=items.has_calls, refused=items.refused)))
        self.ended = True

    def _note_usage(self, response: dict[str, Any], out: list[Delta]) -> None:
        usage = read_usage(response.get("usage"))
        if usage:
            out.append(UsageSnapshot(usage))

    def _failure(self, response: dict[str, Any]) -> APIError:
        error = response.get("error")
        if error:
            return read_failure({"error": error}, provider=self.provider)
        told = {"type": "response.failed", "message": "the response failed; the provider did not say why"}
        return read_failure(told, provider=self.provider)


_HANDLERS: dict[str, Callable[[ResponsesParser, dict[str, Any], list[Delta]], None]] = {
    "response.created": ResponsesParser._opening,
    "response.queued": ResponsesParser._opening,
    "response.in_progress": ResponsesParser._opening,
    "response.output_item.added": ResponsesParser._item_added,
    "response.output_item.done": ResponsesParser._item_done,
    "response.content_part.added": ResponsesParser._part,
    "response.content_part.done": ResponsesParser._part,
    "response.reasoning_part.added": ResponsesParser._part,  # vLLM
    "response.reasoning_part.done": ResponsesParser._part,
    "response.reasoning_summary_part.added": ResponsesParser._part,
    "response.reasoning_summary_part.done": ResponsesParser._part,
    "response.output_text.annotation.added": ResponsesParser._annotation,
    "response.audio.delta": ResponsesParser._sound,
    "response.audio.transcript.delta": ResponsesParser._transcript,
    "response.completed": ResponsesParser._terminal,
    "response.incomplete": ResponsesParser._terminal,
    "response.failed": ResponsesParser._terminal,
    "response.cancelled": ResponsesParser._terminal,
    **dict.fromkeys(
        (events.TEXT, events.REFUSAL, events.REASONING, events.SUMMARY, events.ARGUMENTS, events.INPUT),
        ResponsesParser._piece,
    ),
    **dict.fromkeys(events.WHOLE, ResponsesParser._whole_text),
}


def _place(record: dict[str, Any], event: str) -> tuple[int, str, int]:
    """Of which item an event is, and of which part of it."""
    part = "summary_index" if event == events.SUMMARY else "content_index"
    return number(record, "output_index"), text(record, "item_id"), number(record, part)
