"""Server-sent events: the standard's rules, our leniency, and that neither depends on the cuts."""

from __future__ import annotations

import re
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.errors import ConfigError, ProtocolError, TruncatedStream
from streamkit.testing.chunking import CHUNKINGS, bytewise, linewise, splits, two_parts
from streamkit.testing.mutations import split_frames
from streamkit.wire import Frame
from streamkit.wire.sse import SSEDecoder, encode_sse

LIMIT = 1 << 20
BOM = b"\xef\xbb\xbf"
A, B = Frame(b'{"a":1}'), Frame(b'{"b":2}')
CHAT = b'{"id":"c","choices":[{"index":0,"delta":{"content":"a \xc3\xa9 \xf0\x9f\x98\x80"}}]}'
PAGE = b"<!doctype html><html><title>502 Bad Gateway</title>"

# name, body, frames, heartbeats
CASES: list[tuple[str, bytes, list[Frame], int]] = [
    ("nothing", b"", [], 0),
    ("one event", b'data: {"a":1}\n\n', [A], 0),
    ("two events", b'data: {"a":1}\n\ndata: {"b":2}\n\n', [A, B], 0),
    ("characters of several bytes", b"data: " + CHAT + b"\n\n", [Frame(CHAT)], 0),
    ("a name", b'event: ping\ndata: {"a":1}\n\n', [Frame(A.data, "ping")], 0),
    ("a name after the data", b'data: {"a":1}\nevent: ping\n\n', [Frame(A.data, "ping")], 0),
    ("the last of two names", b'event: x\nevent: ping\ndata: {"a":1}\n\n', [Frame(A.data, "ping")], 0),
    ("a name that is not UTF-8", b'event: p\xffng\ndata: {"a":1}\n\n', [Frame(A.data, "p\ufffdng")], 0),
    ("a name is not kept", b'event: x\ndata: {"a":1}\n\ndata: {"b":2}\n\n', [Frame(A.data, "x"), B], 0),
    ("a name alone is reset", b'event: x\n\ndata: {"a":1}\n\n', [A], 1),
    ("a known name alone is reset", b'event: x\ndata: {"a":1}\n\nevent: x\n\ndata: {"b":2}\n\n',
     [Frame(A.data, "x"), B], 1),
    ("a name known by now is not kept", b'event: x\ndata: {"a":1}\n\n' * 2 + b'data: {"b":2}\n\n',
     [Frame(A.data, "x"), Frame(A.data, "x"), B], 0),
    ("an empty name", b'event: x\nevent:\ndata: {"a":1}\n\n', [A], 0),
    # line ends
    ("CRLF", b'data: {"a":1}\r\n\r\ndata: {"b":2}\r\n\r\n', [A, B], 0),
    ("CR", b'data: {"a":1}\r\rdata: {"b":2}\r\r', [A, B], 0),
    ("mixed ends", b'data: {"a":1}\r\n\ndata: {"b":2}\r\r\n', [A, B], 0),
    ("LF and CR are two ends", b'data: {"a":1}\n\rdata: {"b":2}\n\r', [A, B], 0),
    ("CR and CRLF after data", b'data: {"a":1}\r\n\ndata: {"b":2}\r\n\n', [A, B], 0),
    ("CR at first, LF later", b'data: {"a":1}\r\r' + b'data: {"b":2}\n\n' * 2, [A, B, B], 0),
    ("CR then the end of input", b'data: {"a":1}\r', [A], 0),
    ("CRLF after a name", b'event: x\r\ndata: {"a":1}\r\n\r\n', [Frame(A.data, "x")], 0),
    ("many blank lines", b'\n\n\ndata: {"a":1}\n\n\n\n\n', [A], 0),
    ("what ends no line", 'data: {"a":"\u2028\u2029\x85\x0b\x0c\x1c"}\n\n'.encode(),
     [Frame('{"a":"\u2028\u2029\x85\x0b\x0c\x1c"}'.encode())], 0),
    # the mark at the start
    ("a byte order mark", BOM + b'data: {"a":1}\n\n', [A], 0),
    ("a second mark is a character", BOM + BOM + b'data: {"a":1}\n\ndata: {"b":2}\n\n', [B], 0),
    ("a later mark is a character", b'data: {"a":1}\n\n' + BOM + b'data: {"a":1}\n\ndata: {"b":2}\n\n', [A, B], 0),
    ("a mark inside data", b"data: x" + BOM + b"\n\n", [Frame(b"x" + BOM)], 0),
    ("half a mark", BOM[:2], [], 0),
    ("blanks before the first byte", b'\r\n \n\t data: {"a":1}\n\n', [A], 0),
    # one space, or none
    ("no space", b'data:{"a":1}\n\n', [A], 0),
    ("two spaces keep one", b"data:  x\n\n", [Frame(b" x")], 0),
    ("a space before the colon is part of the name", b'data : {"a":1}\n\ndata: {"b":2}\n\n', [B], 0),
    ("letters of the field name in the data", b"data: data: atad\n\n", [Frame(b"data: atad")], 0),
    # several lines
    ("lines are joined", b"data: {\ndata:   1\ndata: }\n\n", [Frame(b"{\n  1\n}")], 0),
    ("lines that are events of their own", b'data: {"a":1}\ndata: {"b":2}\n\n', [Frame(b'{"a":1}\n{"b":2}')], 0),
    ("a comment between lines", b"data: {\n: ping\ndata: }\n\n", [Frame(b"{\n}")], 1),
    # what is no event
    ("comments", b": OPENROUTER PROCESSING\n\n:\n\n: ping\n\n", [], 3),
    ("comments before, in and after", b': a\n\n: b\ndata: {"a":1}\n: c\n\n: d', [A], 4),
    ("empty data", b'data:\n\ndata: \n\ndata\n\ndata: {"a":1}\n\n', [A], 3),
    ("blank data", b'data:  \n\ndata: \ndata:\t\n\ndata: {"a":1}\n\n', [A], 2),
    ("an id and nothing else", b'id: 7\n\ndata: {"a":1}\n\n: ping\n\n', [A], 1),
    ("an id with NUL", b'id: a\0b\ndata: {"a":1}\n\n', [A], 0),
    ("retry, and fields unknown", b'retry: 5\nretry: x\nfoo: bar\nfoo\ndata: {"a":1}\n\n', [A], 0),
    ("DashScope's status lines", b'id:1\nevent:error\n:HTTP_STATUS/400\nstatus:400\ndata:{"a":1}\n\n',
     [Frame(A.data, "error")], 1),
    # the end of input
    ("no blank line at the end", b'data: {"a":1}\n\ndata: {"b":2}\n', [A, B], 0),
    ("no line end at the end", b'data: {"a":1}\n\nevent: x\ndata: {"b":2}', [A, Frame(B.data, "x")], 0),
    ("half an event at the end", b'data: {"a":1}\n\ndata: {"b":', [A], 0),
    ("half an event that ends a line", b'data: {"a":1}\n\ndata: {"b":\n', [A], 0),
    ("a bracket in a string closes nothing", b'data: {"a":"}\\"}', [], 0),
    ("an open bracket in a string opens nothing", b'data: {"a":"{[\\\\"}', [Frame(b'{"a":"{[\\\\"}')], 0),
    ("what comes before half a line", b'data: {"a":1}\ndata: {"b":2}\ndata: {"c', [Frame(b'{"a":1}\n{"b":2}')], 0),
    ("half an object of several lines", b"data: {\ndata: 1\ndata: ", [], 0),
    ("text at the end", b"data: Internal Server Err", [], 0),
    ("an end sentinel", b'data: {"a":1}\n\ndata: [DONE]\n\n', [A, Frame(b"[DONE]")], 0),
    ("an end sentinel without line end", b'data: {"a":1}\n\ndata:  [DONE] bye', [A, Frame(b" [DONE] bye")], 0),
    ("half an end sentinel", b'data: {"a":1}\n\ndata: [DON', [A], 0),
    ("NaN is not our concern", b'data: {"a":NaN}', [Frame(b'{"a":NaN}')], 0),
    # fields that are not the standard's
    ("an error field", b'error: {"code":500}\n\ndata: {"a":1}\n\n', [Frame(b'{"code":500}', "error"), A], 0),
    ("an error field after data", b'data: {"a":1}\nerror: {"b":2}\n\n', [A, Frame(B.data, "error")], 0),
    ("an error field at the end", b'error: {"b":2}', [Frame(B.data, "error")], 0),
    ("an error field after a name", b'event: x\nerror: {"b":2}\n\n', [Frame(B.data, "error")], 0),
    ("an empty error field", b"error:\n\n", [], 1),
    ("data on the line after", b'data:\n {"a":1}\n\ndata: {"b":2}\n\n', [Frame(b' {"a":1}'), B], 0),
    ("data on the line after, cut off", b'data:\n {"a":', [], 0),
    ("pretty JSON in the middle", b'data: {"a":1}\n\n{\n  "error": {\n    "code": 503\n  }\n}\n',
     [A, Frame(b'{\n  "error": {\n    "code": 503\n  }\n}')], 0),
    ("pretty JSON, then an event", b'data: {"a":1}\n\n{\n"b":2}\ndata: {"b":2}\n\n', [A, Frame(b'{\n"b":2}'), B], 0),
    ("a line in braces after data is no data", b'data: {"a":1}\n{"b":2}\n\n', [A], 0),
    # no stream at all
    ("a JSON body", b'{"error":{"message":"no"}}', [Frame(b'{"error":{"message":"no"}}')], 0),
    ("a pretty JSON body", b'\r\n\n[{\r\n\r\n"a": 1}\n]\n', [Frame(b'[{\r\n\r\n"a": 1}\n]\n')], 0),
    ("a JSON body after a mark", BOM + b'\n {"a":1}', [A], 0),
    ("bare lines of JSON, the last one cut", b'{"a":1}\n{"b":', [A], 0),
]  # fmt: skip

# name, body, limit, frames, class, words
ERRORS: list[tuple[str, bytes, int, list[Frame], type[ProtocolError], str]] = [
    ("a line over the limit", b'data: {"a":1}\n\ndata: {"a":"' + b"x" * 20 + b'"}\n\n', 20, [A], ProtocolError,
     "max_event_bytes = 20 bytes"),
    ("an endless line", b'data: {"a":1}\n\ndata: ' + b"x" * 200, 20, [A], ProtocolError, "max_event_bytes = 20 bytes"),
    ("an endless comment", b'data: {"a":1}\n\n:' + b"x" * 200, 20, [A], ProtocolError, "max_event_bytes = 20 bytes"),
    ("endless lines", b'data: {"a":1}\n\n' + b"data: x\n" * 20, 20, [A], ProtocolError, "max_event_bytes = 20 bytes"),
    ("lines without data", b'data: {"a":1}\n\n' + b"data\n" * 30, 20, [A], ProtocolError, "max_event_bytes = 20"),
    ("a name and data", b"event: " + b"x" * 20 + b"\ndata: 123456789\n\n", 30, [], ProtocolError, "max_event_bytes"),
    ("a JSON body over the limit", b'{"a":"' + b"x" * 200, 20, [], ProtocolError, "max_event_bytes = 20 bytes"),
    ("half a JSON body", b'{"error":{"message":"no cre', LIMIT, [], TruncatedStream, "no cre"),
    ("a page", PAGE, LIMIT, [], ProtocolError, "an HTML page came instead of a stream.*502 Bad Gateway"),
    ("a long page", b"\n" + PAGE + b"x" * 5000, LIMIT, [], ProtocolError, "base URL.*502 Bad Gateway"),
    ("a page over the limit", PAGE + b"x" * 5000, 20, [], ProtocolError, "base URL.*502 Bad Gateway"),
]  # fmt: skip


def ids(cases: list[Any]) -> dict[str, Any]:
    return {"ids": [case[0] for case in cases], "argvalues": [case[1:] for case in cases]}


@pytest.mark.parametrize(("body", "frames", "heartbeats"), **ids(CASES))
def test_a_body_gives_the_same_frames_in_every_cut(
    body: bytes, frames: list[Frame], heartbeats: int, decode: Any
) -> None:
    cuts = [split_frames(body), *[cut(body) for cut in CHUNKINGS.values()], *two_parts(body), *splits(body)]
    for pieces in cuts:
        outcome = decode(SSEDecoder(LIMIT), pieces)
        assert (outcome.frames, outcome.heartbeats, outcome.error) == (frames, heartbeats, ""), pieces


@pytest.mark.parametrize(("body", "limit", "frames", "kind", "words"), **ids(ERRORS))
def test_a_bad_body_gives_the_frames_before_it_and_one_error_in_every_cut(
    body: bytes, limit: int, frames: list[Frame], kind: type[ProtocolError], words: str, decode: Any
) -> None:
    want = decode(SSEDecoder(limit), [body])
    assert want.frames == frames
    assert re.match(f"{kind.__name__}: .*{words}", want.error)
    for pieces in [split_frames(body), bytewise(body), linewise(body), *two_parts(body), *splits(body)]:
        assert decode(SSEDecoder(limit), pieces) == want, pieces


def test_an_event_of_exactly_the_limit_passes(decode: Any) -> None:
    body = b'data: {"a":"xxxxxx"}\n\n'
    frames = [Frame(b'{"a":"xxxxxx"}')]
    for pieces in [[body], bytewise(body), [body * 2]]:
        assert decode(SSEDecoder(len(body) - 2), pieces).frames[:1] == frames
        assert "max_event_bytes" in decode(SSEDecoder(len(body) - 3), pieces).error


@pytest.mark.parametrize("end", [b"\n", b"\r"])
def test_a_frame_does_not_wait_for_the_next_read(end: bytes) -> None:
    decoder = SSEDecoder(LIMIT)
    assert decoder.feed(b'data: {"a":1}' + end + end) == [A]
    assert decoder.feed(b'data: {"b":2}' + end) == []
    assert decoder.feed(end) == [B]


@pytest.mark.parametrize("start", [b"data: ", b": ", b"x", b"<p>", b"data: \ndata:", b"error: ", b"event: "])
def test_an_endless_body_ends_in_an_error_within_bounded_memory(start: bytes) -> None:
    decoder, read, limit = SSEDecoder(1 << 20), b"x" * 65536, 1 << 20
    decoder.feed(start)
    tracemalloc.start()
    fed = 0
    try:
        while decoder.error is None:
            decoder.feed(read)
            fed += len(read)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert fed <= limit + len(read)
    assert peak < 2 * limit  # a buffer that grows is there twice while it is copied
    with pytest.raises(ProtocolError):
        decoder.finish()


def test_many_names_are_all_told_apart_and_few_are_kept() -> None:
    decoder, names = SSEDecoder(LIMIT), [f"name-{number}" for number in range(2000)] + ["n" * 50_000]
    body = b"".join(encode_sse(b"{}", name) for name in names)
    tracemalloc.start()
    try:
        for _ in range(2):
            assert [frame.event for frame in decoder.feed(body)] == names
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert held < 50_000


ENCODED: list[tuple[str, bytes, bytes]] = [
    ("data", encode_sse(b'{"a":1}'), b'data: {"a":1}\n\n'),
    ("text", encode_sse("é"), b"data: \xc3\xa9\n\n"),
    ("a name and an id", encode_sse(b"{}", event="ping", id="7"), b"id: 7\nevent: ping\ndata: {}\n\n"),
    ("several lines", encode_sse(b"a\nb\r\nc\rd"), b"data: a\ndata: b\ndata: c\ndata: d\n\n"),
    ("nothing", encode_sse(b""), b"data: \n\n"),
]


@pytest.mark.parametrize(("got", "want"), **ids(ENCODED))
def test_an_event_is_encoded(got: bytes, want: bytes) -> None:
    assert got == want


@pytest.mark.parametrize("bad", [{"event": "a\nb"}, {"event": "a\rb"}, {"id": "a\nb"}, {"id": "a\0b"}])
def test_a_name_or_an_id_that_cannot_be_sent_is_refused(bad: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="line break or NUL"):
        encode_sse(b"{}", **bad)


@given(
    st.binary(min_size=1).filter(lambda data: data.strip() and b"\r" not in data),
    st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])),
)
def test_what_is_encoded_is_decoded_again(data: bytes, event: str) -> None:
    assert SSEDecoder(LIMIT).feed(encode_sse(data, event)) == [Frame(data, event)]
