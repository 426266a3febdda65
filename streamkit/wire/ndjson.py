"""JSON lines ↔ frames: one event a line, no names (Ollama; logs of decoded events)."""

from __future__ import annotations

from typing import ClassVar

from streamkit.errors import ProtocolError, StreamkitError
from streamkit.wire.body import Opening, WholeBody, complete_json, too_long
from streamkit.wire.frames import Frame
from streamkit.wire.pieces import Pieces

__all__ = ["NDJSONDecoder"]


class NDJSONDecoder:
    """Lines of JSON in any cut → frames; see `Decoder`.

    Lines end with LF or CRLF. Blank ones after the first count as `heartbeats`. A last line without its end is a
    frame, unless it is JSON that was cut. A body whose first line is a bracket alone is one frame, JSON in many lines
    as gateways write errors. A line over `max_event_bytes` is a `ProtocolError`; no more than that and
    one read is ever held. `cut` is set where the end of input left half a line, of which no frame was made.
    """

    separator: ClassVar[bytes] = b"\n"

    def __init__(self, max_event_bytes: int) -> None:
        self.error: StreamkitError | None = None
        self.heartbeats = 0
        self.cut = False
        self._limit = max_event_bytes
        self._opening: Opening | None = Opening()
        self._page: WholeBody | None = None
        self._line = Pieces()  # a line whose end has not come
        self._is_first = True

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
        return self._read(data)

    def finish(self) -> list[Frame]:
        """Return the frame that the end of input completes; raises what it, or an earlier call, found wrong."""
        if self.error is not None:
            raise self.error
        if self._page is not None:
            try:
                return self._page.finish()
            except ProtocolError as error:
                self.error = error
                raise
        line = self._line.take().strip()
        if line.startswith((b"{", b"[")):
            whole = complete_json(line)
            self.cut = whole != line
            line = whole
        return [Frame(line)] if line else []

    def _read(self, data: bytes) -> list[Frame]:
        # Finding the end of a long line is twenty times as fast as splitting there.
        end = data.find(self.separator)
        if end < 0:
            if data:
                self._line.add(data)
            return self._fail([]) if self._line.size > self._limit else []
        if self._is_first:
            self._is_first = False
            if self._line.size:
                data = self._line.take() + data
                end = data.find(self.separator)
            if data[:end].strip() in (b"{", b"["):
                self._page = WholeBody(self._limit)
                self.error = self._page.feed(data)
                return []
        if end == len(data) - 1 <= self._limit and not self._line.size and (line := data[:-1].strip()):
            return [Frame(line)]
        lines = data.split(self.separator)
        tail = lines.pop()
        if lines and self._line.size:
            self._line.add(lines[0])
            lines[0] = self._line.take()
        if tail:
            self._line.add(tail)
        out: list[Frame] = []
        for line in lines:
            if len(line) > self._limit:
                return self._fail(out)
            line = line.strip()
            if line:
                out.append(Frame(line))
            else:
                self.heartbeats += 1
        return self._fail(out) if self._line.size > self._limit else out

    def _fail(self, out: list[Frame]) -> list[Frame]:
        self.error = too_long(self._limit)
        self._line.clear()
        return out
