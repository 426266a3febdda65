"""Messages of the AWS event stream, written and taken apart, with real checksums.

The layout is that of `streamkit.wire.aws` (https://smithy.io/2.0/aws/amazon-eventstream.html, checked 2026-11-29).
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import pack, unpack_from
from zlib import crc32

__all__ = ["event_message", "message", "payload_of", "split_messages", "with_headers", "with_payload"]

_PRELUDE = 12  # bytes: two lengths and their checksum
_STRING = 7  # the type of a header's value


def event_message(name: str, payload: bytes) -> bytes:
    """Return the message of an event whose payload is JSON."""
    return message({":event-type": name, ":content-type": "application/json", ":message-type": "event"}, payload)


def message(headers: Mapping[str, str], payload: bytes = b"") -> bytes:
    """Return a message with these headers, all strings."""
    return _frame(b"".join(_header(name, value) for name, value in headers.items()), payload)


def with_payload(whole: bytes, payload: bytes) -> bytes:
    """Return the message with another payload."""
    return _frame(_block(whole), payload)


def with_headers(whole: bytes, block: bytes) -> bytes:
    """Return the message with more headers, given as they are encoded."""
    return _frame(_block(whole) + block, payload_of(whole))


def payload_of(whole: bytes) -> bytes:
    """Return the payload of a message."""
    return whole[_PRELUDE + len(_block(whole)) : -4]


def split_messages(body: bytes) -> list[bytes]:
    """Return the messages of a body; the last may be half a one."""
    out, at = [], 0
    while at < len(body):
        end = at + max(4, int.from_bytes(body[at : at + 4], "big"))
        out.append(body[at:end])
        at = end
    return out


def _frame(block: bytes, payload: bytes) -> bytes:
    lengths = pack(">II", _PRELUDE + len(block) + len(payload) + 4, len(block))
    head = lengths + pack(">I", crc32(lengths)) + block + payload
    return head + pack(">I", crc32(head))


def _block(whole: bytes) -> bytes:
    return whole[_PRELUDE : _PRELUDE + int(unpack_from(">I", whole, 4)[0])]


def _header(name: str, value: str) -> bytes:
    text = value.encode()
    return bytes([len(name)]) + name.encode() + bytes([_STRING]) + pack(">H", len(text)) + text
