"""Decompression in bounded steps, for servers that compress although they were asked not to.

255 KB of gzip can hold 64 MiB, so the output comes in pieces, each small enough for the limits of the decoder behind.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress

from streamkit.errors import ProtocolError, TransportError, TruncatedStream

__all__ = ["Inflater", "new_inflater"]

PIECE = 64 << 10  # bytes of output a step, the size of a read

_GZIP = zlib.MAX_WBITS | 16
_WINDOWS = {"gzip": _GZIP, "x-gzip": _GZIP, "deflate": zlib.MAX_WBITS}


class Inflater:
    """The compressed bytes of one body, in any cut → the bytes of the body, in pieces of at most 64 KiB."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._window = _WINDOWS[encoding]
        self._head: bytes | None = b"" if encoding == "deflate" else None
        self._stream = zlib.decompressobj(self._window)
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what `data` completes; raises `ProtocolError` where it is not of this encoding."""
        self._begun = self._begun or bool(data)
        if self._head is not None:
            data = self._head + data
            if len(data) < 2:
                self._head = data
                return
            self._head = None
            self._stream = zlib.decompressobj(self._window if _is_zlib(data) else -self._window)
        try:
            yield from self._inflate(data)
        except zlib.error as error:
            raise ProtocolError(f"the body is not the {self._encoding} that its headers say ({error})") from None

    def finish(self) -> None:
        """Raise `TruncatedStream` where the compressed stream was not ended."""
        if self._begun and not self._stream.eof:
            raise TruncatedStream(f"the connection was cut in the middle of a {self._encoding} body")

    def _inflate(self, data: bytes) -> Iterator[bytes]:
        while True:
            if self._stream.eof:
                data = data.lstrip(b"\0")  # padding between the members of a gzip file
                if not data or self._encoding == "deflate":
                    return
                self._stream = zlib.decompressobj(self._window)
            before = self._stream.copy()
            try:
                piece = self._stream.decompress(data, PIECE)
            except zlib.error:
                yield from _to_the_fault(before, data)
                raise
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            if piece:
                yield piece
            if not data and (len(piece) < PIECE or self._stream.eof):
                return


def new_inflater(content_encoding: str) -> Inflater | None:
    """Return what decodes a body with this header, None where it is not compressed.

    Raises `TransportError` for an encoding that cannot be decoded in bounded steps with the standard library.
    """
    names = [name for part in content_encoding.lower().split(",") if (name := part.strip()) not in ("", "identity")]
    if not names:
        return None
    if len(names) > 1 or names[0] not in _WINDOWS:
        raise TransportError(
            f"the body is encoded as {', '.join(names)!r}, although none was asked for, and only gzip or deflate can "
            "be read; turn off compression of event streams in the gateway"
        )
    return Inflater(names[0])


def _to_the_fault(stream: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """Yield what `data` held before the byte that is at fault, which zlib drops where it comes in one read with it."""
    with suppress(zlib.error):  # the fault itself is told by who found it
        for at in range(len(data)):
            if piece := stream.decompress(data[at : at + 1]):
                yield piece


def _is_zlib(head: bytes) -> bool:
    """Whether a deflate body has the header that the standard wants; some servers leave it out (RFC 1950, 2.2)."""
    return head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
