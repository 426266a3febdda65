"""The binary event stream of AWS ↔ frames, as Bedrock sends it.

A message is: total length and length of the headers (4 bytes each, big endian), CRC-32 of these 8 bytes, headers,
payload, CRC-32 of all before it (https://smithy.io/2.0/aws/amazon-eventstream.html, checked 2026-11-29).
"""

from __future__ import annotations

from struct import Struct as Layout
from typing import Any
from zlib import crc32

import msgspec

from streamkit.errors import ProtocolError, StreamkitError, TruncatedStream
from streamkit.wire.body import BLANK, BOM, Opening, WholeBody, too_long
from streamkit.wire.frames import Frame
from streamkit.wire.pieces import Pieces

__all__ = ["EventStreamDecoder"]

PRELUDE = Layout(">III")
CHECKSUM = Layout(">I")
OVERHEAD = PRELUDE.size + CHECKSUM.size

# The limit of AWS's own decoders, in bytes.
MAX_HEADER_BYTES = 128 << 10

# The ten types of header values: two without bytes, integers, two that say their own length, time and uuid.
FIXED_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
SIZED = (6, 7)
STRING = 7

# How JSON, HTML or a text begins. As that of a length, the byte would mean a message of 150 megabytes at least.
TEXT = frozenset(BLANK + BOM[:1] + bytes(range(0x21, 0x7F)))

# A stream repeats the same few header blocks; those beyond these bounds are parsed each time.
KNOWN_BLOCKS = 32
KNOWN_BLOCK_BYTES = 512


class Chunk(msgspec.Struct):
    """What Bedrock wraps around the JSON of a model that it does not translate."""

    data: bytes = msgspec.field(name="bytes", default=b"")


decode_chunk = msgspec.json.Decoder(Chunk).decode


class EventStreamDecoder:
    """The binary event stream of AWS in any cut → frames; see `Decoder`.

    An event's frame is its payload, named by its `:event-type`; a `chunk` of InvokeModelWithResponseStream is the
    JSON that it wraps, without a name. Exceptions and errors are frames named `error`, a JSON object with `type` and
    whatever came. A checksum that does not fit, a malformed message, or one over `max_event_bytes` is a
    `ProtocolError`; the end of input inside a message is `TruncatedStream`.
    """

    def __init__(self, max_event_bytes: int) -> None:
        self.error: StreamkitError | None = None
        self.heartbeats = 0
        self._limit = max_event_bytes
        self._pieces = Pieces()
        self._wanted = PRELUDE.size  # that much must have come for anything to be read
        self._started = False
        self._opening: Opening | None = None
        self._body: WholeBody | None = None
        self._blocks: dict[bytes, dict[str, str]] = {}  # the headers of those that came before
        self._names: dict[bytes, str] = {}  # the names of the events that are no more than that

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames that `data` completes; raises the error that an earlier call met."""
        if self.error is not None:
            raise self.error
        if data and not self._started:
            self._started = True
            if data[0] in TEXT:
                self._body, self._opening = WholeBody(self._limit), Opening()
        if self._body is not None:
            self._feed_body(self._body, data)
            return []
        if self._pieces.size:
            self._pieces.add(data)
            if self._pieces.size < self._wanted:
                return []
            data = self._pieces.take()
        return self._read(data)

    def finish(self) -> list[Frame]:
        """Return what the end of input completes; raises what it, or an earlier call, found wrong."""
        if self.error is not None:
            raise self.error
        try:
            if self._body is not None:
                return self._body.finish()
            if self._pieces.size:
                raise TruncatedStream(f"the event stream ended {self._pieces.size} bytes into a message")
        except ProtocolError as error:
            self.error = error
            raise
        return []

    def _feed_body(self, body: WholeBody, data: bytes) -> None:
        if self._opening is not None:
            data = self._opening.feed(data)
            if not data:
                return
            self._opening = None
        self.error = body.feed(data)

    def _read(self, data: bytes) -> list[Frame]:
        out: list[Frame] = []
        start, size = 0, len(data)
        names, view = self._names, memoryview(data)
        try:
            while True:
                head_at = start + PRELUDE.size
                if head_at > size:
                    self._wanted = PRELUDE.size
                    break
                total, header_bytes, checksum = PRELUDE.unpack_from(data, start)
                if crc32(data[start : start + 8]) != checksum:
                    raise ProtocolError(
                        "not an AWS event stream, or damaged: wrong checksum of lengths", frame=data[start:head_at]
                    )
                if total > self._limit or header_bytes > total - OVERHEAD or header_bytes > MAX_HEADER_BYTES:
                    raise self._misfit(total, header_bytes)
                end = start + total
                if end > size:
                    self._wanted = total
                    break
                payload_at, checksum_at = head_at + header_bytes, end - CHECKSUM.size
                if crc32(view[start:checksum_at]) != CHECKSUM.unpack_from(data, checksum_at)[0]:
                    raise ProtocolError("damaged event stream: wrong checksum of a message", frame=data[start:end])
                block = data[head_at:payload_at]
                name = names.get(block)
                if name is None:
                    self._take(block, data[payload_at:checksum_at], out)
                else:
                    out.append(Frame(data[payload_at:checksum_at] or b"{}", name))
                start = end
            self._pieces.add(data[start:] if start else data)
        except ProtocolError as error:
            self.error = error
        return out

    def _misfit(self, total: int, header_bytes: int) -> ProtocolError:
        if total > self._limit:
            return too_long(self._limit)
        return ProtocolError(f"a message of {total} bytes cannot have {header_bytes} bytes of headers")

    def _take(self, block: bytes, payload: bytes, out: list[Frame]) -> None:
        """Read a message whose headers have not come before, or that is more than an event with a name."""
        headers = self._blocks.get(block)
        if headers is None:
            headers = parse_headers(block)
            if len(block) <= KNOWN_BLOCK_BYTES and len(self._blocks) < KNOWN_BLOCKS:
                self._blocks[block] = headers
        if headers.get(":message-type") in ("exception", "error"):
            out.append(Frame(failure(headers, payload), "error"))
            return
        name = headers.get(":event-type", "")
        if name != "chunk":
            if block in self._blocks:
                self._names[block] = name
            out.append(Frame(payload or b"{}", name))
            return
        try:
            chunk = decode_chunk(payload).data
        except (msgspec.MsgspecError, RecursionError) as error:
            raise ProtocolError(f"a chunk of the event stream is not base64 in JSON ({error})", frame=payload) from None
        if chunk:
            out.append(Frame(chunk))
        else:
            self.heartbeats += 1


def parse_headers(block: bytes) -> dict[str, str]:
    """Return the headers of a message that are strings, as all that Bedrock sends are.

    Raises `ProtocolError` for an unknown type, a length that does not fit, or a name that comes twice.
    """
    headers: dict[str, str] = {}
    names: set[str] = set()
    at = 0
    try:
        while at < len(block):
            start = at + 1
            at = start + block[at]
            name = block[start:at].decode()
            kind = block[at]
            at += 1
            if kind in SIZED:
                size = block[at] << 8 | block[at + 1]
                at += 2
            else:
                size = FIXED_SIZES[kind]
            value = block[at : at + size]
            at += size
            if name in names or at > len(block):
                raise ValueError(name)
            names.add(name)
            if kind == STRING:
                headers[name] = value.decode()
    except (IndexError, KeyError, ValueError):
        raise ProtocolError("malformed headers in the event stream", frame=block) from None
    return headers


def failure(headers: dict[str, str], payload: bytes) -> bytes:
    """Return the JSON of an exception or error: its payload, with what only the headers say added."""
    kind = headers.get(":exception-type") or headers.get(":error-code") or "error"
    said: dict[str, Any] = {"type": kind}
    if message := headers.get(":error-message"):
        said["message"] = message
    body: dict[str, Any] = {}
    try:
        if payload:
            body = msgspec.json.decode(payload, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError):
        body["message"] = payload.decode("utf-8", "replace")
    return msgspec.json.encode({**said, **body})
