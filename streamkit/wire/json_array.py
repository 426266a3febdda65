"""A JSON array that is streamed → frames: one an element, as soon as it closes.

Gemini answers so where a request does not ask for server-sent events (`alt=sse`):
https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent, checked 2026-11-29. Its errors may
stand alone in place of the array, so objects outside of one are frames as well.
"""

from __future__ import annotations

import re

from streamkit.errors import ProtocolError, StreamkitError, TruncatedStream
from streamkit.wire.body import BLANK, Opening, WholeBody, too_long
from streamkit.wire.frames import Frame
from streamkit.wire.pieces import Pieces

__all__ = ["JSONArrayDecoder"]

# From inside a value to its next bracket, or to a string that the data do not close; whole strings are passed over.
# No byte can be read in two ways, so none is tried more than twice. (Groups are not possessive, which Python 3.11.4 and
# those before it match wrongly: https://github.com/python/cpython/issues/106052.)
_INSIDE = re.compile(rb'[^"{}\[\]]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*"[^"{}\[\]]*+)*(["{}\[\]])', re.DOTALL)
# The same between two values, where commas count as well.
_BETWEEN = re.compile(rb'[^"{}\[\],]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*"[^"{}\[\],]*+)*(["{}\[\],])', re.DOTALL)
# The rest of a string that earlier data opened: up to its quote, or all there is, a lone backslash at the end left out.
_REST = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*("?)', re.DOTALL)


class JSONArrayDecoder:
    """The elements of a JSON array in any cut → frames; see `Decoder`.

    White space and commas between them are left out; what else stands there is a frame of its own, since it is the
    reader's to judge. An element over `max_event_bytes` is a `ProtocolError`, one that the end of input cuts short a
    `TruncatedStream`; no more than the limit and one read is ever held. `heartbeats` stays 0: nothing in the framing
    is one.
    """

    def __init__(self, max_event_bytes: int) -> None:
        self.error: StreamkitError | None = None
        self.heartbeats = 0
        self._limit = max_event_bytes
        self._opening: Opening | None = Opening()
        self._page: WholeBody | None = None
        self._in_array = False
        self._depth = 0  # of brackets inside the element that is being read, 0 between elements
        self._in_string = False
        self._escaped = False  # the last byte was a backslash inside a string
        self._held = Pieces()  # what has come of an element, or of what stands between two

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames that `data` completes; raises the error that an earlier call met."""
        if self.error is not None:
            raise self.error
        if self._opening is not None:
            data = self._opening.feed(data)
            if not data:
                return []
            self._opening = None
            if data.startswith(b"<"):
                self._page = WholeBody(self._limit)
        if self._page is not None:
            self.error = self._page.feed(data)
            return []
        out: list[Frame] = []
        try:
            self._read(data, out)
        except ProtocolError as error:
            self.error = error
            self._held.clear()
        return out

    def finish(self) -> list[Frame]:
        """Return what the end of input completes; raises what it, or an earlier call, found wrong."""
        if self.error is not None:
            raise self.error
        try:
            if self._page is not None:
                return self._page.finish()
            rest = self._held.take().strip(BLANK)
            if self._depth or self._in_string:
                raise TruncatedStream("the JSON array of the stream was cut short within an element", frame=rest)
        except ProtocolError as error:
            self.error = error
            raise
        return [Frame(rest)] if rest else []

    def _read(self, data: bytes, out: list[Frame]) -> None:
        start = at = 0  # where what is held goes on in `data`, and up to where it is read
        while True:
            if self._in_string:
                at = self._leave_string(data, at)
            found = None if self._in_string else (_INSIDE if self._depth else _BETWEEN).match(data, at)
            if found is None:
                break
            at = found.end()
            mark = found[1]
            if mark == b'"':  # its end has not come
                self._in_string = True
            elif not self._depth:
                start = self._between(mark, data, start, at, out)
            elif mark in b"{[":
                self._depth += 1
            else:
                self._depth -= 1
                if not self._depth:
                    self._hold(data[start:at])
                    out.append(Frame(self._held.take()))
                    start = at
        self._hold(data[start:])

    def _leave_string(self, data: bytes, at: int) -> int:
        """Pass over what `data` have of the string that is open, from `at` on; returns where that ends."""
        if self._escaped and at < len(data):
            self._escaped = False
            at += 1
        found = _REST.match(data, at)
        end = found.end() if found else at
        self._in_string = not (found and found[1])
        self._escaped = self._escaped or (self._in_string and end < len(data))
        return end

    def _between(self, mark: bytes, data: bytes, start: int, at: int, out: list[Frame]) -> int:
        """Take a mark between two elements, which ends at `at`; returns where the next thing to hold begins."""
        if mark == b"}":
            return start  # belongs to what is wrong here
        self._hold(data[start : at - 1])
        stray = self._held.take().strip(BLANK)
        if stray:
            out.append(Frame(stray))
        if mark == b"[" and not self._in_array:
            self._in_array = True
        elif mark == b"]":
            self._in_array = False
        elif mark != b",":
            self._depth = 1
            return at - 1
        return at

    def _hold(self, piece: bytes) -> None:
        if not (self._depth or self._in_string or self._held.size):
            piece = piece.lstrip(BLANK)
        if piece:
            self._held.add(piece)
            if self._held.size > self._limit:
                raise too_long(self._limit)
