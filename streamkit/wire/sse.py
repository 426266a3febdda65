"""Server-sent events ↔ frames.

The rules are those of https://html.spec.whatwg.org/multipage/server-sent-events.html (checked 2026-11-29), applied to
bytes, since every split of text ends lines where the standard does not. Servers of models depart from them in ways
that lose an answer, so the decoder departs with them:

- An event that the end of input left without its blank line counts if its JSON is complete.
- Data that is empty or blank, sent to keep the connection alive, is no event.
- A field `error`, as llama.cpp sent until late 2025, is an event of that name.
- A line that is no field but starts an object (after an empty `data:`, or alone, as Gemini sends errors) is data.
- A body that is JSON or HTML from its first byte on is not read as events at all.
"""

from __future__ import annotations

from streamkit.errors import ConfigError, ProtocolError, StreamkitError
from streamkit.wire.body import Opening, WholeBody, complete_json, too_long
from streamkit.wire.frames import Frame
from streamkit.wire.pieces import Pieces

__all__ = ["SSEDecoder", "encode_sse"]

LF, CR = b"\n\r"

# A stream repeats a handful of names; those beyond these bounds are decoded each time.
KNOWN_NAMES = 64
KNOWN_NAME_BYTES = 64


class SSEDecoder:
    """Server-sent events in any cut → frames; see `Decoder`.

    Lines of one event's data are joined with LF. Comments and events without data count as `heartbeats`. An event,
    or a line, over `max_event_bytes` is a `ProtocolError`; no more than that and one read is ever held.
    """

    def __init__(self, max_event_bytes: int) -> None:
        self.error: StreamkitError | None = None
        self.heartbeats = 0
        self._limit = max_event_bytes
        self._opening: Opening | None = Opening()
        self._body: WholeBody | None = None
        self._idle = False  # between two events with nothing held, which is all that the hot path asks
        self._skip_lf = False  # the last read ended with CR, which ended its line: a LF now belongs to it
        self._line = Pieces()  # a line whose end has not come
        self._data = bytearray()  # the data lines of an event whose end has not come, each with LF
        self._event = ""
        self._unprefixed = False  # its data are lines that are no fields
        self._names: dict[bytes, str] = {}  # by the line that gives it
        self._lead = b"data: {"  # what the last event began with, up to its data, which began at `_lead_size`
        self._lead_size = 6
        self._lead_event = ""
        self._heads: dict[bytes, str] = {b"": ""}  # by what stands before the data

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames that `data` completes; raises the error that an earlier call met."""
        if self._idle:
            if data[-2:] == b"\n\n" and len(data) <= self._limit:
                if data.startswith(self._lead) or self._is_led(data):
                    text = data[self._lead_size : -2]
                    if LF not in text and CR not in text:
                        return [Frame(text, self._lead_event)]
        else:
            data = self._enter(data)
            if not data:
                return []
        return self._read(data)

    def _is_led(self, data: bytes) -> bool:
        """Whether nothing but a known name stands before the data; noted, as most events begin as the last did."""
        at = data.find(b"data: {")
        event = self._heads.get(data[:at]) if at >= 0 else None
        if event is None:
            return False
        self._lead, self._lead_size, self._lead_event = data[: at + 7], at + 6, event
        return True

    def finish(self) -> list[Frame]:
        """Return the frame that the end of input completes; raises what it, or an earlier call, found wrong."""
        if self.error is not None:
            raise self.error
        if self._body is not None:
            try:
                return self._body.finish()
            except ProtocolError as error:
                self.error = error
                raise
        out: list[Frame] = []
        if self._line.size:
            self._take(self._line.take(), out)
        data = complete_json(bytes(self._data[:-1]))
        if data:
            out.append(Frame(data, self._event))
        self._data.clear()
        return out

    def _enter(self, data: bytes) -> bytes:
        """Return what of `data` is to be read as events, in every state but between two of them."""
        if self.error is not None:
            raise self.error
        if self._opening is not None:
            data = self._opening.feed(data)
            if not data:
                return b""
            self._opening = None
            if WholeBody.starts(data):
                self._body = WholeBody(self._limit)
        if self._body is not None:
            self.error = self._body.feed(data)
            return b""
        if self._skip_lf and data:
            self._skip_lf = False
            return data.removeprefix(b"\n")
        return data

    def _read(self, data: bytes) -> list[Frame]:
        if CR in data:
            lines = data.splitlines()  # of bytes, it splits at CR, LF and CRLF alone
            last = data[-1]
            self._skip_lf = last == CR
            tail = b"" if last == CR or last == LF else lines.pop()
        else:
            lines = data.split(b"\n")
            tail = lines.pop()
        room = self._limit
        if not self._idle:
            room -= self._line.size + len(self._data) + len(self._event)
            if lines and self._line.size:
                self._line.add(lines[0])
                lines[0] = self._line.take()
        if tail:
            self._line.add(tail)
        out: list[Frame] = []
        try:
            if len(data) <= room:
                self._take_quickly(lines, out)
            else:
                for line in lines:
                    self._take(line, out)
                if self._line.size and self._line.size + len(self._data) + len(self._event) > self._limit:
                    raise too_long(self._limit)
            self._idle = not (self._line.size or self._data or self._event or self._skip_lf)
        except ProtocolError as error:
            self.error = error
            self._line.clear()
            self._data.clear()
            self._idle = False
        return out

    def _take_quickly(self, lines: list[bytes], out: list[Frame]) -> None:
        """Do what `_take` does for each of `lines`, none of which can go over the limit.

        The commonest event, a known name or none and one line of JSON, is put together here.
        """
        names = self._names
        free = not (self._data or self._event)
        data, event = b"", ""
        for line in lines:
            if data:
                if not line:
                    out.append(Frame(data, event))
                    data, event = b"", ""
                    continue
            elif free:
                if line[:7] == b"data: {":
                    data = line[6:]
                    continue
                if line in names:
                    event = names[line]
                    continue
            if data or event:
                self._hold(data, event)
                data, event = b"", ""
            self._take(line, out)
            free = not (self._data or self._event)
        if data or event:
            self._hold(data, event)

    def _hold(self, data: bytes, event: str) -> None:
        if data:
            self._data += data
            self._data += b"\n"
        if event:
            self._event = event

    def _take(self, line: bytes, out: list[Frame]) -> None:
        if not line:
            self._dispatch(out)
            return
        if len(line) + len(self._data) + len(self._event) > self._limit:
            raise too_long(self._limit)
        if line[:5] == b"data:" or line == b"data":
            if self._unprefixed:
                self._dispatch(out)
            self._add(line[6:] if line[5:6] == b" " else line[5:])
            return
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"event":
            self._event = self._read_name(line, value)
        elif name == b"error":
            if self._data:
                self._dispatch(out)
            self._event = "error"
            self._add(value)
        elif not name:
            self.heartbeats += 1
        elif self._unprefixed:
            self._add(line)
        elif line.lstrip(b" ").startswith(b"{") and len(self._data) <= 1:
            self._unprefixed = True
            self._data.clear()
            self._add(line)

    def _add(self, value: bytes) -> None:
        self._data += value
        self._data += b"\n"

    def _read_name(self, line: bytes, value: bytes) -> str:
        name = value.decode("utf-8", "replace")
        if len(line) <= KNOWN_NAME_BYTES and len(self._names) < KNOWN_NAMES:
            self._names[line] = name
            self._heads[line + b"\n"] = name
        return name

    def _dispatch(self, out: list[Frame]) -> None:
        had_lines = bool(self._data)
        del self._data[-1:]
        data = bytes(self._data)
        if data and not data.isspace():
            out.append(Frame(data, self._event))
        elif had_lines or self._event:
            self.heartbeats += 1
        self._data.clear()
        self._event = ""
        self._unprefixed = False


def encode_sse(data: bytes | str, event: str = "", id: str = "") -> bytes:
    """Return one server-sent event, its blank line included.

    Data of several lines becomes several `data` fields. Raises `ConfigError` for a name or an id that cannot be sent:
    a line break in either, NUL in an id.
    """
    raw = data.encode() if isinstance(data, str) else data
    if set(event) & set("\r\n") or set(id) & set("\r\n\0"):
        raise ConfigError(f"an SSE event name or id cannot hold a line break or NUL: {event!r}, {id!r}")
    fields = [b"id: " + id.encode()] if id else []
    if event:
        fields.append(b"event: " + event.encode())
    lines = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    fields += [b"data: " + line for line in lines]
    return b"\n".join(fields) + b"\n\n"
