"""Bodies that are not the stream that was asked for, and the first and last bytes of those that are.

A gateway may answer with plain JSON or with an HTML page where a stream was due, whatever its status and its content
type say. The first byte that is not blank tells.
"""

from __future__ import annotations

import re

from streamkit.errors import ProtocolError, TruncatedStream
from streamkit.wire.frames import Frame
from streamkit.wire.pieces import Pieces

__all__ = ["Opening", "WholeBody", "complete_json", "too_long"]

BOM = b"\xef\xbb\xbf"
BLANK = b" \t\r\n"

# How much of a page or a text an error keeps, in bytes.
PAGE_EXCERPT = 500

# An unclosed string reaches to the end of the text, so that no quote inside it is tried as the start of another.
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*(?:"|\\?\Z)', re.DOTALL)


class Opening:
    """The front of a body: one byte order mark, and blanks, which say nothing."""

    def __init__(self) -> None:
        self._bom: bytes | None = b""  # what came of it; None once the body is past it

    def feed(self, data: bytes) -> bytes:
        """Return what there is from the first byte that matters; empty while that has not come."""
        if self._bom is not None:
            data = self._bom + data
            if len(data) < len(BOM) and BOM.startswith(data):
                self._bom = data
                return b""
            self._bom = None
            data = data.removeprefix(BOM)
        return data.lstrip(BLANK)


class WholeBody:
    """A body that is no stream: JSON, one frame at the end of input, or an HTML page or a text, which are errors."""

    def __init__(self, max_event_bytes: int) -> None:
        self._limit = max_event_bytes
        self._body = Pieces()
        self._is_prose = False

    @staticmethod
    def starts(data: bytes) -> bool:
        """Say whether a body that starts with `data` is JSON or HTML."""
        return data[:1] in (b"{", b"[", b"<")

    def feed(self, data: bytes) -> ProtocolError | None:
        """Keep `data`; returns the error that ends the body."""
        if not self._body.size:
            self._is_prose = data[:1] not in (b"{", b"[")
        self._body.add(data)
        if self._is_prose:
            return self._prose() if self._body.size >= PAGE_EXCERPT else None
        if self._body.size > self._limit:
            self._body.clear()
            return too_long(self._limit)
        return None

    def finish(self) -> list[Frame]:
        """Return the body as one frame; raises `ProtocolError` for a page or a text.

        Half a JSON is `TruncatedStream`.
        """
        if self._is_prose:
            raise self._prose()
        body = self._body.take()
        complete = complete_json(body)
        if not complete:
            raise TruncatedStream("the body is JSON, not a stream, and was cut short", frame=body)
        return [Frame(complete)]

    def _prose(self) -> ProtocolError:
        text = self._body.take()[:PAGE_EXCERPT]
        what = "an HTML page" if text.startswith(b"<") else "a text"
        return ProtocolError(f"{what} came instead of a stream: check the base URL and any proxy", frame=text)


def complete_json(data: bytes) -> bytes:
    """Return what the end of input leaves of `data`: all of it, or all but a last line that was cut, or nothing.

    Complete is JSON whose brackets close, alone or one a line, and `[DONE]`; whether it is valid is not asked, so
    that broken JSON reaches those who can report it.
    """
    if _closes(data):
        return data
    data = data.rpartition(b"\n")[0]
    return data if _closes(data) else b""


def too_long(max_event_bytes: int) -> ProtocolError:
    """Return the error for an event over the limit; it quotes nothing, for what has come depends on the cuts."""
    return ProtocolError(
        f"an event of the stream is over the limit max_event_bytes = {max_event_bytes} bytes; "
        "set a higher Limits.max_event_bytes if the provider does send such events"
    )


def _closes(data: bytes) -> bool:
    data = data.strip(BLANK)
    if data.startswith(b"[DONE]"):
        return True
    if data[:1] not in (b"{", b"["):
        return False
    bare = STRING.sub(b"", data)
    return bare.count(b"{") == bare.count(b"}") and bare.count(b"[") == bare.count(b"]")
