"""Google's Interactions API: `POST /v1beta/interactions`.

Events are told apart by the JSON's `event_type`, by the event's name where that is missing. Since May 2026 an answer is
a list of steps (`step.start` …), before it was one of contents (`content.start` …); both are read. Facts: the types of
`google-genai` 3.6.1 and 1.69.0 and recordings, checked 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from streamkit.deltas import (
    Delta,
    MessageEnd,
    MessageStart,
)
from streamkit.errors import APIError, ConfigError, ProtocolError, TruncatedStream
from streamkit.protocols.base import unknown
from streamkit.protocols.event_parser import EventParser
from streamkit.protocols.failures import read_failure
from streamkit.protocols.gemini_interactions.finish import FAILED, is_end, read_finish
from streamkit.protocols.gemini_interactions.request import encode_resume
from streamkit.protocols.gemini_interactions.steps import Steps
from streamkit.protocols.gemini_interactions.usage import Snapshots
from streamkit.protocols.gemini_interactions.views import decode_event, piece_of
from streamkit.protocols.lenient import decode_value
from streamkit.protocols.openai_responses.views import listed, mapping, number, text
from streamkit.protocols.request import EncodedRequest
from streamkit.protocols.values import scrub
from streamkit.wire import Frame

__all__ = ["InteractionsParser"]

_PIECES = ("step.delta", "content.delta")


class InteractionsParser(EventParser):
    """The body of one interaction, streamed or not, in any cut → deltas.

    Where the connection broke, an interaction that is stored can be gone on with: `resume`, then feed the body that
    answers the request which that returns. `continuation_token` is what the provider gave to go on with an answer that
    it stopped at the limit of one request, None where it gave none.
    """

    protocol = "gemini-interactions"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.last_event_id: str | None = None
        self.continuation_token: str | None = None
        self._steps = Steps(self.limits.max_argument_bytes, self._mint)
        self._start: MessageStart | None = None
        self._status: str | None = None  # the last one that an update gave
        self._usage = Snapshots()

    @classmethod
    def claims(cls, frame: Frame) -> bool:
        """Say whether `frame` is an event with an `event_type` of the dialect, or a whole interaction."""
        try:
            value = decode_value(frame.data)
        except (msgspec.DecodeError, RecursionError):
            return False
        record = value if isinstance(value, dict) else {}
        return str(record.get("event_type")) in _HANDLERS or record.get("object") == "interaction"

    @property
    def response_id(self) -> str | None:
        """The interaction's id, None while it is not known, and where the provider does not store it."""
        return self._start.id if self._start else None

    def resume(self) -> EncodedRequest:
        """Make ready to read on from another connection; return the request for what has not come yet.

        What is left of a cut event is dropped. Raises `ConfigError` where the interaction has no id, has ended, was
        ended by an error of the provider's, or has events without ids, of which none could be named as the last.
        """
        if self.ended and not isinstance(self._error, TruncatedStream):
            raise ConfigError("the interaction has ended: there is nothing to go on with")
        if self.last_event_id is None and self._steps.any:
            raise ConfigError("the events have no ids: the interaction can be streamed again only from its start")
        request = encode_resume(self.response_id or "", self.last_event_id, version=self.quirks.gemini_version)
        self._reopen()
        return request

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        # Nearly every event is a piece of a block that is open.
        open_blocks, last = self._steps.shelf.open, None
        for frame in frames:
            try:
                event = decode_event(frame.data)
            except (msgspec.DecodeError, RecursionError):
                pass
            else:
                delta, block = event.delta, open_blocks.get(event.index)
                if (
                    delta is not None
                    and block is not None
                    and block.fast == delta.type
                    and event.event_type in _PIECES
                    and (piece := piece_of(delta))
                ):
                    if block.limit:
                        block.count(piece)
                    out.append(block.piece(block.index, piece))
                    last = event.event_id or last
                    if event.metadata is not None and event.metadata.total_usage != self._usage.last:
                        self._usage.accompany(event.metadata.total_usage, out)
                    continue
            self.last_event_id, last = last or self.last_event_id, None
            self._read_slowly(frame, out)
            if self.ended:
                return
        self.last_event_id = last or self.last_event_id

    def _end(self, out: list[Delta]) -> None:
        if not is_end(self._status) and not (self.quirks.end_without_finish and self._start):
            where = "in the middle of the answer" if self._start else "before an answer began"
            raise TruncatedStream(f"the stream ended {where}: no event came that ends an interaction")
        self._terminate({}, None, out)

    def _flush(self, out: list[Delta]) -> None:
        self._steps.flush(out)

    def _done(self, out: list[Delta]) -> None:
        if self._start:
            self._terminate({}, None, out)

    def _cleaned(self, value: Any) -> Any:
        """Scrub `value` but for its piece of text, where the other half of a pair may come with the next."""
        clean = scrub(value)
        delta = value.get("delta") if isinstance(value, dict) else None
        if isinstance(delta, dict):
            clean["delta"] |= {name: delta[name] for name in ("text", "arguments") if isinstance(delta.get(name), str)}
            content = delta.get("content")
            if isinstance(content, dict) and isinstance(content.get("text"), str):
                clean["delta"]["content"]["text"] = content["text"]
        return clean

    def _take_record(self, value: Any, frame: Frame, out: list[Delta]) -> None:
        record = value if isinstance(value, dict) else {}
        name = frame.event if frame.event != "message" else ""  # which is every event's that has none
        kind = record.get("event_type") or name
        handler = _HANDLERS.get(kind) if isinstance(kind, str) else None
        if "error" in (kind, name) or (handler is None and record.get("error")):
            raise read_failure(value, provider=self.provider)
        if handler is None and not self._start:
            if record.get("object") == "interaction" or record.keys() & {"steps", "outputs"}:
                handler = InteractionsParser._whole
            elif not (kind or record.get("type")) and value != {}:  # an error in a form of its own
                raise read_failure(value, provider=self.provider)
        try:
            named = record if record.get("event_type") else record | {"event_type": kind}
            if handler is None or not handler(self, named, out):
                out.append(unknown(frame))
            self.last_event_id = text(record, "event_id") or self.last_event_id
        except msgspec.ValidationError as error:
            raise ProtocolError(f"an event of type {kind} is not of its form ({error})", frame=frame.data) from None
        except ProtocolError as error:
            error.frame = error.frame or frame.data
            raise

    # One method a type of event; each says whether it knew what came.

    def _created(self, record: dict[str, Any], out: list[Delta]) -> bool:
        self._begin(mapping(record, "interaction"), out)
        return True

    def _status_update(self, record: dict[str, Any], out: list[Delta]) -> bool:
        self._begin({"id": record.get("interaction_id")}, out)
        self._status = text(record, "status") or text(record, "event_type").removeprefix("interaction.")
        self._note(record, out)
        return True

    def _step_start(self, record: dict[str, Any], out: list[Delta]) -> bool:
        self._begin({}, out)
        self._steps.start(number(record, "index"), mapping(record, "step"), out)
        return True

    def _content_start(self, record: dict[str, Any], out: list[Delta]) -> bool:
        self._begin({}, out)
        self._steps.start(number(record, "index"), mapping(record, "content"), out)
        return True

    def _delta(self, record: dict[str, Any], out: list[Delta]) -> bool:
        self._begin({}, out)
        known = self._steps.delta(number(record, "index"), mapping(record, "delta"), out)
        metadata = record.get("metadata")
        if isinstance(metadata, dict):
            self._usage.note(metadata.get("total_usage"), out)
        return known

    def _stop(self, record: dict[str, Any], out: list[Delta]) -> bool:
        self._steps.stop(number(record, "index"), out)
        self._usage.note(record.get("usage"), out)
        return True

    def _completed(self, record: dict[str, Any], out: list[Delta]) -> bool:
        interaction = record if record.get("interaction") is None else mapping(record, "interaction")
        self._begin(interaction, out)
        self._terminate(interaction, text(record, "event_type").removeprefix("interaction."), out)
        return True

    def _whole(self, record: dict[str, Any], out: list[Delta]) -> bool:
        """Read an interaction that was not streamed; one that still runs in the background is no answer yet."""
        self._begin(record, out)
        if is_end(text(record, "status") or "completed"):
            self._terminate(record, "completed", out)
        return True

    # What those have in common.

    def _begin(self, interaction: dict[str, Any], out: list[Delta]) -> None:
        if self._start is None:
            id, model = text(interaction, "id"), text(interaction, "model") or text(interaction, "agent")
            provider = self.provider or None
            self._start = MessageStart("assistant", id or None, model or None, provider, self.protocol)
            out.append(self._start)

    def _terminate(self, interaction: dict[str, Any], word: str | None, out: list[Delta]) -> None:
        """End the answer as `interaction` says; `word` is its status where no other is known that is an end."""
        self._begin({}, out)
        self._note(interaction, out)
        if not self._steps.any:
            for key, step in enumerate(listed(interaction, "steps") or listed(interaction, "outputs")):
                self._steps.start(key, step, out)
                self._steps.stop(key, out)
        known = (text(interaction, "status"), self._status, word)
        status = next((each for each in known if is_end(each)), None)
        if status == FAILED:
            raise self._failure(interaction)
        self._steps.stop_all(out)
        said = text(self._steps.error or {}, "message") or None
        out.append(MessageEnd(read_finish(status, calls=self._steps.has_calls, reason=said)))
        self.ended = True

    def _note(self, holder: dict[str, Any], out: list[Delta]) -> None:
        self.continuation_token = text(holder, "continuation_token") or self.continuation_token
        self._usage.note(holder.get("usage"), out)

    def _failure(self, interaction: dict[str, Any]) -> APIError:
        error = next(iter(listed(interaction, "errors")), None) or self._steps.error
        told = {"code": FAILED, "message": "the interaction failed; the provider did not say why"}
        return read_failure({"error": error or told}, provider=self.provider)


_HANDLERS: dict[str, Callable[[InteractionsParser, dict[str, Any], list[Delta]], bool]] = {
    "interaction.created": InteractionsParser._created,
    "interaction.start": InteractionsParser._created,
    "interaction.status_update": InteractionsParser._status_update,
    "interaction.in_progress": InteractionsParser._status_update,
    "interaction.requires_action": InteractionsParser._status_update,
    "step.start": InteractionsParser._step_start,
    "step.delta": InteractionsParser._delta,
    "step.stop": InteractionsParser._stop,
    "content.start": InteractionsParser._content_start,
    "content.delta": InteractionsParser._delta,
    "content.stop": InteractionsParser._stop,
    "interaction.completed": InteractionsParser._completed,
    "interaction.complete": InteractionsParser._completed,
    "interaction.cancelled": InteractionsParser._completed,
}
