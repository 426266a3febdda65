"""The binary event stream of AWS in any cut, whole and damaged."""

from __future__ import annotations

import json
import re
import struct
import tracemalloc
from base64 import b64encode
from collections.abc import Callable
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.errors import ProtocolError, TruncatedStream
from streamkit.testing.chunking import bytewise, splits, two_parts
from streamkit.wire import Frame
from streamkit.wire.aws import EventStreamDecoder, parse_headers

LIMIT = 1 << 20

# Made by botocore's rules and checked with its decoder: contentBlockStop, {"contentBlockIndex":0}.
VECTOR = bytes.fromhex(
    "0000007d00000056e6680fd60b3a6576656e742d74797065070010636f6e74656e74426c6f636b53746f700d3a636f6e74656e742d7479706507"
    "00106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b22636f6e74656e74426c6f636b496e6465"
    "78223a307db32e4d34"
)
STOP = Frame(b'{"contentBlockIndex":0}', "contentBlockStop")


def header(name: str, kind: int, value: bytes) -> bytes:
    return bytes([len(name)]) + name.encode() + bytes([kind]) + value


def text(value: str) -> bytes:
    return struct.pack(">H", len(value.encode())) + value.encode()


def prelude(total: int, header_bytes: int) -> bytes:
    lengths = struct.pack(">II", total, header_bytes)
    return lengths + struct.pack(">I", crc32(lengths))


def raw_message(headers: bytes, payload: bytes = b"") -> bytes:
    body = prelude(16 + len(headers) + len(payload), len(headers)) + headers + payload
    return body + struct.pack(">I", crc32(body))


def message(payload: bytes = b"", **headers: str) -> bytes:
    names = {name: f":{name.replace('_', '-')}" for name in headers}
    return raw_message(b"".join(header(names[name], 7, text(value)) for name, value in headers.items()), payload)


def event(name: str, payload: bytes) -> bytes:
    return message(payload, event_type=name, content_type="application/json", message_type="event")


def chunk(inner: bytes) -> bytes:
    return event("chunk", json.dumps({"bytes": b64encode(inner).decode(), "p": "abcd"}).encode())


def exception(name: str, payload: bytes) -> bytes:
    return message(payload, exception_type=name, content_type="application/json", message_type="exception")


def error(data: bytes) -> list[Frame]:
    return [Frame(data, "error")]


# name, body, frames
CASES: list[tuple[str, bytes, list[Frame]]] = [
    ("nothing", b"", []),
    ("a message made elsewhere", VECTOR, [STOP]),
    ("two messages", VECTOR + event("messageStop", b'{"stopReason":"end_turn"}'),
     [STOP, Frame(b'{"stopReason":"end_turn"}', "messageStop")]),
    ("an empty payload", event("messageStart", b"") + VECTOR, [Frame(b"{}", "messageStart"), STOP]),
    ("no headers", raw_message(b"", b'{"a":1}'), [Frame(b'{"a":1}')]),
    ("an unknown event", event("somethingNew", b'{"p":"x"}'), [Frame(b'{"p":"x"}', "somethingNew")]),
    ("a chunk is what it wraps", chunk(b'{"type":"message_stop"}'), [Frame(b'{"type":"message_stop"}')]),
    ("a chunk that wraps no JSON", chunk(b"\xffoops"), [Frame(b"\xffoops")]),
    ("an exception", VECTOR + exception("throttlingException", b'{"message":"wait"}'),
     [STOP, *error(b'{"type":"throttlingException","message":"wait"}')]),
    ("an exception that names its type", exception("modelStreamErrorException", b'{"message":"m","type":"own"}'),
     error(b'{"type":"own","message":"m"}')),
    ("an exception with numbers", exception("x", b'{"originalStatusCode":400,"n":123456789012345678901234567890}'),
     error(b'{"type":"x","originalStatusCode":400,"n":123456789012345678901234567890}')),
    ("an exception without payload", exception("internalServerException", b""),
     error(b'{"type":"internalServerException"}')),
    ("an exception in plain text", exception("x", b"it \xff broke"),
     error('{"type":"x","message":"it \ufffd broke"}'.encode())),
    ("an exception that is a list", exception("x", b"[1]"), error(b'{"type":"x","message":"[1]"}')),
    ("an exception without a type", message(b"{}", message_type="exception"), error(b'{"type":"error"}')),
    ("an error in headers alone",
     message(error_code="InternalError", error_message="it \u00e9 \"broke\"", message_type="error"),
     error('{"type":"InternalError","message":"it \u00e9 \\"broke\\""}'.encode())),
    ("a JSON body", b'{"message":"no"}', [Frame(b'{"message":"no"}')]),
]  # fmt: skip

DEEP = b'{"p":' + b"[" * 100_000 + b"]" * 100_000 + b"}"

# name, body, limit, frames, class, words
ERRORS: list[tuple[str, bytes, int, list[Frame], type[ProtocolError], str]] = [
    ("a wrong checksum of lengths", VECTOR + b"\0\0\0\x7d\0\0\0\x56\0\0\0\0" + VECTOR[12:], LIMIT, [STOP],
     ProtocolError, "not an AWS event stream, or damaged"),
    ("a wrong checksum of the message", VECTOR + VECTOR[:-1] + b"\0" + VECTOR, LIMIT, [STOP],
     ProtocolError, "damaged event stream: wrong checksum of a message"),
    ("a damaged payload", VECTOR[:110] + b"\0" + VECTOR[111:], LIMIT, [], ProtocolError, "wrong checksum"),
    ("a length below the least", prelude(15, 0) + bytes(3), LIMIT, [], ProtocolError, "message of 15 bytes cannot"),
    ("a length of nothing", prelude(0, 0), LIMIT, [], ProtocolError, "a message of 0 bytes cannot"),
    ("a length beyond reason", VECTOR + prelude(0xFFFFFFFF, 0), LIMIT, [STOP], ProtocolError,
     "max_event_bytes = 1048576 bytes"),
    ("a message over the limit", VECTOR + event("x", b"x" * 200), len(VECTOR), [STOP], ProtocolError,
     "max_event_bytes = 125"),
    ("more headers than message", prelude(100, 85), LIMIT, [], ProtocolError, "100 bytes cannot have 85 bytes of head"),
    ("headers over AWS's limit", prelude(200_000, 131_073), LIMIT, [], ProtocolError, "cannot have 131073 bytes"),
    ("malformed headers", raw_message(b"\x05abc"), LIMIT, [], ProtocolError, "malformed headers"),
    ("a chunk that is not base64", event("chunk", b'{"bytes":"@"}'), LIMIT, [], ProtocolError, "not base64 in JSON"),
    ("a chunk that is not JSON", event("chunk", b"text"), LIMIT, [], ProtocolError, "not base64 in JSON.*text"),
    ("a chunk nested too deeply", event("chunk", DEEP), LIMIT, [], ProtocolError, "not base64 in JSON"),
    ("the end inside a message", VECTOR + VECTOR[:50], LIMIT, [STOP], TruncatedStream, "50 bytes into a message"),
    ("the end inside the lengths", VECTOR + VECTOR[:3], LIMIT, [STOP], TruncatedStream, "3 bytes into a message"),
    ("a page", b"<html>502</html>", LIMIT, [], ProtocolError, "an HTML page"),
    ("half a JSON body", b'{"message":"n', LIMIT, [], TruncatedStream, "cut short"),
    ("text", b"Service Unavailable", LIMIT, [], ProtocolError, "a text came instead of.*Service Unav"),
    ("no length", b"\x01\x02\x03\x04Service Un", LIMIT, [], ProtocolError, "not an AWS event stream"),
    ("a text after a mark", b"\xef\xbb\xbf\nService", LIMIT, [], ProtocolError, "a text came instead of.*Service"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "frames"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_body_gives_the_same_frames_in_every_cut(body: bytes, frames: list[Frame], decode: Any) -> None:
    for pieces in [[body], bytewise(body), *two_parts(body), *splits(body)]:
        outcome = decode(EventStreamDecoder(LIMIT), pieces)
        assert (outcome.frames, outcome.error) == (frames, "")


@pytest.mark.parametrize(
    ("body", "limit", "frames", "kind", "words"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS]
)
def test_a_bad_body_gives_the_frames_before_it_and_one_error_in_every_cut(
    body: bytes, limit: int, frames: list[Frame], kind: type[ProtocolError], words: str, decode: Any
) -> None:
    want = decode(EventStreamDecoder(limit), [body])
    assert want.frames == frames
    assert re.match(f"{kind.__name__}: .*{words}", want.error)
    for pieces in [*([bytewise(body), *two_parts(body)] if len(body) < 1000 else []), *splits(body)]:
        assert decode(EventStreamDecoder(limit), pieces) == want


def test_an_exception_nested_too_deeply_is_text(decode: Any) -> None:
    (frame,) = decode(EventStreamDecoder(LIMIT), [exception("x", DEEP)]).frames
    assert json.loads(frame.data) == {"type": "x", "message": DEEP.decode()}


def test_a_chunk_of_padding_alone_is_a_heartbeat(decode: Any) -> None:
    outcome = decode(EventStreamDecoder(LIMIT), [event("chunk", b'{"p":"abc"}') + chunk(b"") + VECTOR])
    assert (outcome.frames, outcome.heartbeats) == ([STOP], 2)


def test_a_message_of_exactly_the_limit_passes(decode: Any) -> None:
    assert decode(EventStreamDecoder(len(VECTOR)), [VECTOR]).frames == [STOP]
    assert "max_event_bytes" in decode(EventStreamDecoder(len(VECTOR) - 1), [VECTOR]).error


def test_an_absurd_length_reserves_no_memory() -> None:
    tracemalloc.start()
    try:
        decoder = EventStreamDecoder(LIMIT)
        decoder.feed(prelude(0xFFFFFFFF, 0))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert decoder.error is not None
    assert peak < 100_000


# What comes with a header of each of the ten types: its bytes.
VALUES = [b"", b"", b"\x01", b"\0\x02", b"\0\0\0\x03", bytes(8), b"\0\x02\xff\xfe", text("é"), bytes(8), bytes(16)]


@pytest.mark.parametrize("kind", range(10))
def test_a_header_of_each_type_is_read_over(kind: int) -> None:
    block = header("first", kind, VALUES[kind]) + header("last", 7, text("x"))
    assert parse_headers(block) == ({"first": "é", "last": "x"} if kind == 7 else {"last": "x"})


MALFORMED = [
    ("a name that is cut", b"\x05abc"),
    ("no type", b"\x03abc"),
    ("an unknown type", header("a", 10, b"")),
    ("no length", header("a", 7, b"\0")),
    ("a value that is cut", header("a", 7, b"\0\x05abc")),
    ("an integer that is cut", header("a", 4, b"\0\0")),
    ("a name that comes twice", header("a", 0, b"") + header("a", 7, text("x"))),
    ("a name that is not UTF-8", b"\x01\xff\0"),
    ("a string that is not UTF-8", header("a", 7, b"\0\x01\xff")),
]


@pytest.mark.parametrize("block", [case[1] for case in MALFORMED], ids=[case[0] for case in MALFORMED])
def test_malformed_headers_are_refused(block: bytes) -> None:
    with pytest.raises(ProtocolError, match="malformed headers"):
        parse_headers(block)


PAYLOADS = st.lists(st.tuples(st.text(min_size=1, max_size=20), st.binary(min_size=1, max_size=60)), max_size=8)


@given(PAYLOADS, st.lists(st.floats(0, 1), max_size=8), st.floats(0, 1), st.integers(1, 255))
def test_what_is_sent_arrives_in_any_cut_and_no_damage_passes(
    decode: Any, sent: list[tuple[str, bytes]], places: list[float], place: float, flip: int
) -> None:
    body = b"".join(message(payload, event_type=f"e-{name}") for name, payload in sent)
    at = [0, *sorted(int(place * len(body)) for place in places), len(body)]
    pieces = [body[a:b] for a, b in zip(at, at[1:], strict=False)]
    want = [Frame(payload, f"e-{name}") for name, payload in sent]
    outcome = decode(EventStreamDecoder(LIMIT), pieces)
    assert (outcome.frames, outcome.error) == (want, "")
    if body:
        bad = bytearray(body)
        bad[int(place * (len(body) - 1))] ^= flip
        outcome = decode(EventStreamDecoder(LIMIT), [bytes(bad)])
        assert outcome.error
        assert outcome.frames == want[: len(outcome.frames)]
        assert decode(EventStreamDecoder(LIMIT), bytewise(bytes(bad))) == outcome


@pytest.mark.recordings(lambda recording: recording.framing == "aws-eventstream")
def test_recorded_streams_are_read_the_same_in_every_cut(recording: Any, decode: Any) -> None:
    body = recording.body
    whole = decode(EventStreamDecoder(LIMIT), [body])
    assert not whole.error
    assert all(json.loads(frame.data) for frame in whole.frames)
    for pieces in (bytewise(body), *splits(body, count=5)):
        assert decode(EventStreamDecoder(LIMIT), pieces) == whole


def in_reads_of(size: int, body: bytes) -> list[bytes]:
    return [body[at : at + size] for at in range(0, len(body), size)]


# name, the reads of a body that is as many times as large
SHAPES: list[tuple[str, Callable[[int], list[bytes]]]] = [
    ("one long message in small reads", lambda n: in_reads_of(16, event("x", b"x" * 50_000 * n))),
    ("many messages in one read", lambda n: [VECTOR * 50 * n]),
    ("one message a read", lambda n: [VECTOR] * 500 * n),
]


@pytest.mark.parametrize("pieces", [shape[1] for shape in SHAPES], ids=[shape[0] for shape in SHAPES])
def test_a_byte_costs_the_same_in_ten_times_the_input(pieces: Callable[[int], list[bytes]], growth: Any) -> None:
    assert growth(lambda: EventStreamDecoder(32 << 20), pieces) <= 1.25
