"""JSON lines in any cut."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.errors import ProtocolError
from streamkit.testing.chunking import bytewise, linewise, splits, two_parts
from streamkit.wire import Frame
from streamkit.wire.ndjson import NDJSONDecoder

LIMIT = 1 << 20
BOM = b"\xef\xbb\xbf"
A, B = Frame(b'{"a":1}'), Frame(b'{"b":"\xc3\xa9"}')

# name, body, frames, heartbeats
CASES: list[tuple[str, bytes, list[Frame], int]] = [
    ("nothing", b"", [], 0),
    ("a line", A.data + b"\n", [A], 0),
    ("lines", A.data + b"\n" + B.data + b"\n", [A, B], 0),
    ("CRLF", A.data + b"\r\n" + B.data + b"\r\n", [A, B], 0),
    ("a byte order mark", BOM + A.data + b"\n", [A], 0),
    ("blank lines first", b"\r\n\n " + A.data + b"\n", [A], 0),
    ("blank lines later", A.data + b"\n\n\r\n  \n" + B.data + b"\n", [A, B], 3),
    ("what ends no line", '{"a":"\u2028\x85\x0c"}\n'.encode(), [Frame('{"a":"\u2028\x85\x0c"}'.encode())], 0),
    ("no line end at the end", A.data + b"\n" + B.data, [A, B], 0),
    ("half a line at the end", A.data + b"\n" + B.data[:-1], [A], 0),
    ("half a character at the end", A.data + b"\n" + B.data[:7], [A], 0),
    ("text at the end", A.data + b"\nupstream died", [A, Frame(b"upstream died")], 0),
    ("an error object", A.data + b'\n{"error":"no"}\n', [A, Frame(b'{"error":"no"}')], 0),
    ("JSON in many lines", b'{\n  "error": "no"\n}\n', [Frame(b'{\n  "error": "no"\n}\n')], 0),
    ("a list in many lines", b"\n[\r\n 1\r\n]", [Frame(b"[\r\n 1\r\n]")], 0),
    ("lists and text are lines too", b"[1]\ntext\n", [Frame(b"[1]"), Frame(b"text")], 0),
]

# name, body, limit, frames, words
ERRORS: list[tuple[str, bytes, int, list[Frame], str]] = [
    ("a line over the limit", A.data + b"\n" + b"x" * 20 + b"\n" + A.data + b"\n", 19, [A], "max_event_bytes = 19"),
    ("an endless line", A.data + b"\n" + b"x" * 200, 19, [A], "max_event_bytes = 19 bytes"),
    ("JSON in many lines over the limit", b"{\n" + b'"a":1,\n' * 9, 19, [], "max_event_bytes = 19 bytes"),
    ("a page", b"\n<html>\n502", LIMIT, [], "an HTML page came instead of a stream.*502"),
    ("a long page", b"<html>\n502" + b"x" * 5000, LIMIT, [], "an HTML page came instead of a stream.*502"),
]


@pytest.mark.parametrize(
    ("body", "frames", "heartbeats"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_body_gives_the_same_frames_in_every_cut(
    body: bytes, frames: list[Frame], heartbeats: int, decode: Any
) -> None:
    for pieces in [[body], bytewise(body), linewise(body), *two_parts(body), *splits(body)]:
        outcome = decode(NDJSONDecoder(LIMIT), pieces)
        assert (outcome.frames, outcome.heartbeats, outcome.error) == (frames, heartbeats, ""), pieces


@pytest.mark.parametrize(
    ("body", "limit", "frames", "words"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS]
)
def test_a_bad_body_gives_the_frames_before_it_and_one_error_in_every_cut(
    body: bytes, limit: int, frames: list[Frame], words: str, decode: Any
) -> None:
    want = decode(NDJSONDecoder(limit), [body])
    assert want.frames == frames
    assert re.match(f"{ProtocolError.__name__}: .*{words}", want.error)
    for pieces in [bytewise(body), linewise(body), *two_parts(body), *splits(body)]:
        assert decode(NDJSONDecoder(limit), pieces) == want, pieces


def test_a_line_of_exactly_the_limit_passes(decode: Any) -> None:
    body = A.data + b"\n"
    for pieces in [[body], bytewise(body)]:
        assert decode(NDJSONDecoder(len(A.data)), pieces).frames == [A]
        assert "max_event_bytes" in decode(NDJSONDecoder(len(A.data) - 1), pieces).error


def test_an_endless_line_ends_in_an_error_after_the_limit_and_one_read() -> None:
    decoder, fed = NDJSONDecoder(1 << 20), 0
    while decoder.error is None:
        assert decoder.feed(b"x" * 65536) == []
        fed += 65536
    assert fed <= (1 << 20) + 65536


@given(
    st.lists(st.sampled_from([b'{"a":1}', b'{"a":"', b"}", b"\n", b"\r\n", b"\r", b" ", b"x", BOM, b"<"]), max_size=30),
    st.lists(st.floats(0, 1), max_size=8),
    st.sampled_from([LIMIT, 8]),
)
def test_any_soup_is_read_the_same_in_any_cut(
    decode: Any, scraps: list[bytes], places: list[float], limit: int
) -> None:
    body = b"".join(scraps)
    at = [0, *sorted(int(place * len(body)) for place in places), len(body)]
    whole = decode(NDJSONDecoder(limit), [body])
    for pieces in (bytewise(body), [body[a:b] for a, b in zip(at, at[1:], strict=False)]):
        assert decode(NDJSONDecoder(limit), pieces) == whole
    if not whole.error:
        *lines, _ = body.removeprefix(BOM).lstrip().split(b"\n")
        ended = [Frame(line.strip()) for line in lines if line.strip()]
        assert whole.frames[: len(ended)] == ended
        assert whole.heartbeats == len(lines) - len(ended)


@pytest.mark.recordings(lambda recording: recording.framing in ("ndjson", "json-lines"))
def test_recorded_streams_are_read_line_by_line_in_every_cut(recording: Any, decode: Any) -> None:
    body = recording.body
    want = [Frame(line.strip()) for line in body.split(b"\n") if line.strip()]
    for pieces in ([body], linewise(body), *splits(body, count=5)):
        assert decode(NDJSONDecoder(LIMIT), pieces).frames == want


# name, the reads of a body that is as many times as large
SHAPES: list[tuple[str, Callable[[int], list[bytes]]]] = [
    ("one long line in small reads", lambda n: [b"x" * 16] * 3000 * n),
    ("many lines in one read", lambda n: [b'{"a":1}\n' * 300 * n]),
    ("one line a read", lambda n: [b'{"a":1}\n'] * 2000 * n),
]


@pytest.mark.parametrize("pieces", [shape[1] for shape in SHAPES], ids=[shape[0] for shape in SHAPES])
def test_a_byte_costs_the_same_in_ten_times_the_input(pieces: Callable[[int], list[bytes]], growth: Any) -> None:
    assert growth(lambda: NDJSONDecoder(32 << 20), pieces) <= 1.25


@pytest.mark.parametrize(("end", "cut"), [(b"", False), (B.data, False), (B.data + b"\n", False), (B.data[:-1], True)])
def test_half_a_line_at_the_end_is_told(end: bytes, cut: bool) -> None:
    decoder = NDJSONDecoder(LIMIT)
    decoder.feed(A.data + b"\n" + end)
    decoder.finish()
    assert decoder.cut is cut
