"""The streams of Gradio apps: of one call, and of a session's queue.

A call's stream (`GET /gradio_api/call/FUNCTION/EVENT_ID`) has events `generating`, `complete` and `error`, whose data
are the outputs of the function, whole each time. The queue's (`GET /gradio_api/queue/data?session_hash=…`) has messages
of all the session's calls, each with its `event_id`; what an app generates is whole in the first of them, and a diff
in each that follows (protocols sse_v2 and later). Facts: `gradio/routes.py`, `gradio/server_messages.py` and a running
app of gradio 6.31.0, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from streamkit.deltas import Delta
from streamkit.errors import APIError, ProtocolError
from streamkit.protocols.gradio.diffs import apply_diff
from streamkit.protocols.gradio.outputs import output_text
from streamkit.protocols.lenient import decode_lenient
from streamkit.protocols.plain_parser import PlainParser
from streamkit.wire import Frame

__all__ = ["GradioParser"]

# The messages that say where a call stands and nothing of its answer.
_QUIET = ("heartbeat", "estimation", "process_starts", "close_stream")
_FAILED = ("unexpected_error", "queue_full", "server_stopped")
_EVENTS = ("generating", "complete", "error", "heartbeat")
# What an app says that hides its errors (`show_error=False`).
_SILENT = "the app failed and does not say why"


class _Output(Struct, gc=False):
    data: list[Any] | None = None


class _Message(Struct, gc=False):
    msg: str | None = None
    event_id: str | None = None
    output: _Output | None = None
    success: Any = None


class GradioParser(PlainParser):
    """The stream of a call, or of the queue that it stands in → deltas; see `Parser`.

    `output` is the number of the output that holds the text, be it a text box's or a chat's history. `event_id` tells
    which call of a queue is followed, the first one that is named where there is none. `diffs=False` is for a queue
    that sends whole values each time (protocols sse and sse_v1). The end of a call is its end, without a reason.
    """

    protocol: ClassVar[str] = "gradio"
    modes: ClassVar[tuple[str, ...]] = ("cumulative",)
    view: ClassVar[Any] = _Message
    ending: ClassVar[str] = "the call did not complete"

    def __init__(self, *, output: int = 0, event_id: str | None = None, diffs: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self._output = output
        self._event_id = event_id
        self._diffs = diffs
        self._value: Any = None  # of the output, to which a diff applies
        self._generated = False  # whether there was a value

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        for frame in frames:
            if frame.event in _EVENTS:
                if not self.ended:
                    self._read_event(frame, out)
            else:
                super()._read([frame], out)

    def _read_event(self, frame: Frame, out: list[Delta]) -> None:
        """Read an event of one call's stream."""
        try:
            data = decode_lenient(frame.data, object)
        except ProtocolError:
            if frame.event == "error":  # of a gateway, in words
                raise self._failure(frame.data) from None
            raise
        if frame.event == "error":
            raise self._failure(data)
        if isinstance(data, list):
            self._say(self._pick(data, frame), frame, out)
        elif data is None and frame.event != "complete":
            self._pings += 1
        if frame.event == "complete":
            self._complete(out)

    def _take(self, message: _Message, frame: Frame, out: list[Delta]) -> bool:
        """Read a message of a queue."""
        kind, id = message.msg, message.event_id
        if kind is None:
            if id is not None:
                raise ProtocolError(
                    "a Gradio app answers a call with its event_id alone: its stream must be fetched from "
                    "GET …/call/FUNCTION/EVENT_ID, or the queue's",
                    frame=frame.data,
                )
            return False
        if id is not None and id != self._event_id:
            if self._event_id is not None:
                return True  # of another call
            self._event_id = id
        if kind in _FAILED:
            raise self._failure(decode_lenient(frame.data, dict))
        if kind in _QUIET:
            self._pings += 1
            return True
        if kind not in ("process_generating", "process_streaming", "process_completed"):
            return False
        if message.success is False:
            raise self._failure(decode_lenient(frame.data, dict).get("output"))
        data = message.output.data if message.output is not None else None
        if data is not None:
            whole = kind == "process_completed" or not (self._diffs and self._generated)
            self._advance(self._pick(data, frame), frame, whole=whole)
            self._say(self._value, frame, out)
        if kind == "process_completed":
            self._complete(out)
        return True

    def _advance(self, value: Any, frame: Frame, *, whole: bool) -> None:
        self._generated = True
        try:
            self._value = value if whole else apply_diff(self._value, value)
        except ProtocolError as error:
            error.frame = frame.data
            raise

    def _say(self, value: Any, frame: Frame, out: list[Delta]) -> None:
        try:
            text = output_text(value)
        except ProtocolError as error:
            error.frame = frame.data
            raise
        self._begin(0, out, id=self._event_id).say(out, text)

    def _complete(self, out: list[Delta]) -> None:
        self._begin(0, out, id=self._event_id)
        self._finish(out)

    def _pick(self, data: list[Any], frame: Frame) -> Any:
        if self._output >= len(data):
            raise ProtocolError(f"there is no output {self._output} among {len(data)}", frame=frame.data)
        return data[self._output]

    def _failure(self, body: Any) -> APIError:
        if not body or (isinstance(body, dict) and body.get("error", body) is None):
            body = {"error": _SILENT}
        return super()._failure(body if not isinstance(body, str) else {"error": body})
