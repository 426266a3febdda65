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
        self._blocks: dict[bytes, dict[str, str]] = {}

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
        self._pieces.add(data)
        if self._pieces.size < self._wanted:
            return []
        return self._read(self._pieces.take())

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
        start = 0
        try:
            while len(data) - start >= (total := self._length_at(start, data)):
                self._read_message(data[start : start + total], out)
                start += total
            self._wanted = total
            self._pieces.add(data[start:])
        except ProtocolError as error:
            self.error = error
        return out

    def _length_at(self, start: int, data: bytes) -> int:
        """Return the length of the message at `start`, or the length of what says it where that has not come."""
        prelude = data[start : start + PRELUDE.size]
        if len(prelude) < PRELUDE.size:
            return PRELUDE.size
        total, header_bytes, checksum = PRELUDE.unpack(prelude)
        if crc32(prelude[:8]) != checksum:
            raise ProtocolError("not an AWS event stream, or damaged: wrong checksum of lengths", frame=prelude)
        if total > self._limit:
            raise too_long(self._limit)
        if header_bytes > min(total - OVERHEAD, MAX_HEADER_BYTES):
            raise ProtocolError(f"a message of {total} bytes cannot have {header_bytes} bytes of headers")
        return int(total)

    def _read_message(self, message: bytes, out: list[Frame]) -> None:
        view = memoryview(message)
        _, header_bytes, _ = PRELUDE.unpack_from(message)
        payload_at, checksum_at = PRELUDE.size + header_bytes, len(message) - CHECKSUM.size
        if crc32(view[:checksum_at]) != CHECKSUM.unpack_from(message, checksum_at)[0]:
            raise ProtocolError("damaged event stream: wrong checksum of a message", frame=message)
        headers = self._read_headers(message[PRELUDE.size : payload_at])
        payload = message[payload_at:checksum_at]
        if headers.get(":message-type") in ("exception", "error"):
            out.append(Frame(failure(headers, payload), "error"))
            return
        name = headers.get(":event-type", "")
        if name != "chunk":
            out.append(Frame(payload or b"{}", name))
            return
        try:
            chunk = msgspec.json.decode(payload, type=Chunk).data
        except (msgspec.MsgspecError, RecursionError) as error:
            raise ProtocolError(f"a chunk of the event stream is not base64 in JSON ({error})", frame=payload) from None
        if chunk:
            out.append(Frame(chunk))
        else:
            self.heartbeats += 1

    def _read_headers(self, block: bytes) -> dict[str, str]:
        headers = self._blocks.get(block)
        if headers is None:
            headers = parse_headers(block)
            if len(block) <= KNOWN_BLOCK_BYTES and len(self._blocks) < KNOWN_BLOCKS:
                self._blocks[block] = headers
        return headers


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
