"""A streamed JSON array in any cut."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.testing.chunking import bytewise, linewise, splits, two_parts
from streamkit.wire import Frame
from streamkit.wire.json_array import JSONArrayDecoder

LIMIT = 1 << 20
BOM = b"\xef\xbb\xbf"
A, B = Frame(b'{"a":1}'), Frame(b'{"b":"\xc3\xa9"}')
TRICKY = Frame(rb'{"a":"}]\"{[,\\","b":[{"c":"]"},[1,2]],"d\\":"\\\""}')
PRETTY = Frame(b'{\n  "a": {\r\n    "b": "\xe2\x80\xa8"\n  }\n}')

# name, body, frames
CASES: list[tuple[str, bytes, list[Frame]]] = [
    ("nothing", b"", []),
    ("an empty array", b"[]", []),
    ("an element", b"[" + A.data + b"]", [A]),
    ("as Gemini sends it", b"[" + A.data + b"\n,\r\n" + B.data + b"\n]", [A, B]),
    ("pretty-printed", b"[\n  " + PRETTY.data + b",\n  " + A.data + b"\n]\n", [PRETTY, A]),
    ("brackets, quotes and commas in strings", b"[" + TRICKY.data + b"," + TRICKY.data + b"]", [TRICKY, TRICKY]),
    ("a byte order mark and blanks", BOM + b"\r\n [" + A.data + b"]", [A]),
    ("elements that are no objects", b'[null, 5 ,"a,]\\"",[1,[2]]]', [*map(Frame, b'null 5 "a,]\\"" [1,[2]]'.split())]),
    ("an object in place of the array", b' {"error":{"code":400}} ', [Frame(b'{"error":{"code":400}}')]),
    ("an array after another", b"[" + A.data + b"]\n[" + B.data + b"]", [A, B]),
    ("no commas", b"[" + A.data + B.data + b"]", [A, B]),
    ("no end of the array", b"[" + A.data + b"\n,\r\n", [A]),
    ("text after an element", b"[" + A.data + b" upstream died", [A, Frame(b"upstream died")]),
    ("text before an element", b"[ oops " + A.data + b"]", [Frame(b"oops"), A]),
    ("text alone", b"upstream died", [Frame(b"upstream died")]),
    ("a bracket too many", b"[" + A.data + b"}]", [A, Frame(b"}")]),
    ("raw control characters and bad UTF-8", b'[{"a":"\x00\xff\n"}]', [Frame(b'{"a":"\x00\xff\n"}')]),
]

# name, body, limit, frames, words
ERRORS: list[tuple[str, bytes, int, list[Frame], str]] = [
    ("an element over the limit", b"[" + A.data + b',{"a":"' + b"x" * 20 + b'"}]', 19, [A], "max_event_bytes = 19"),
    ("an endless element", b"[" + A.data + b',{"a":"' + b"x" * 200, 19, [A], "max_event_bytes = 19 bytes"),
    ("endless text", b"[" + A.data + b"," + b"x" * 200, 19, [A], "max_event_bytes = 19 bytes"),
    ("cut in a string", b"[" + A.data + b',{"a":"x', LIMIT, [A], "cut short within an element"),
    ("cut after a backslash", b"[" + A.data + b',{"a":"x\\', LIMIT, [A], "cut short within an element"),
    ("cut between brackets", b"[" + A.data + b',{"a":{}', LIMIT, [A], "cut short within an element"),
    ("a page", b"\n<html>\n502", LIMIT, [], "an HTML page came instead of a stream.*502"),
    ("a long page", b"<html>\n502" + b"x" * 5000, LIMIT, [], "an HTML page came instead of a stream.*502"),
]


@pytest.mark.parametrize(("body", "frames"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_body_gives_the_same_frames_in_every_cut(body: bytes, frames: list[Frame], decode: Any) -> None:
    for pieces in [[body], bytewise(body), linewise(body), *two_parts(body), *splits(body)]:
        outcome = decode(JSONArrayDecoder(LIMIT), pieces)
        assert (outcome.frames, outcome.heartbeats, outcome.error) == (frames, 0, ""), pieces


@pytest.mark.parametrize(
    ("body", "limit", "frames", "words"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS]
)
def test_a_bad_body_gives_the_frames_before_it_and_one_error_in_every_cut(
    body: bytes, limit: int, frames: list[Frame], words: str, decode: Any
) -> None:
    want = decode(JSONArrayDecoder(limit), [body])
    assert want.frames == frames
    assert re.search(words, want.error)
    for pieces in [bytewise(body), linewise(body), *two_parts(body), *splits(body)]:
        assert decode(JSONArrayDecoder(limit), pieces) == want, pieces


def test_an_element_is_there_with_its_last_byte() -> None:
    decoder = JSONArrayDecoder(LIMIT)
    assert decoder.feed(b"[" + A.data[:-1]) == []
    assert decoder.feed(A.data[-1:]) == [A]


def test_an_element_of_exactly_the_limit_passes(decode: Any) -> None:
    body = b"[  " + A.data + b"  ]"
    for pieces in [[body], bytewise(body)]:
        assert decode(JSONArrayDecoder(len(A.data)), pieces).frames == [A]
        assert "max_event_bytes" in decode(JSONArrayDecoder(len(A.data) - 1), pieces).error


def test_endless_white_space_is_not_kept() -> None:
    decoder = JSONArrayDecoder(10)
    assert decoder.feed(b"[") == []
    for _ in range(100):
        assert decoder.feed(b" \n" * 50) == []
    assert decoder.feed(A.data) == [A]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('a"\\[]{},\u2028é😀 \n', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('a"\\]},', max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    values=st.lists(st.dictionaries(st.text('a"\\]}', max_size=3), VALUES, max_size=3), max_size=4),
    indent=st.none() | st.just(1),
    ascii=st.booleans(),
    places=st.lists(st.integers(0, 2**20), max_size=6),
)
def test_every_array_is_read_as_its_elements(
    values: list[Any], indent: int | None, ascii: bool, places: list[int], decode: Any
) -> None:
    body = json.dumps(values, indent=indent, ensure_ascii=ascii).encode()
    bounds = [0, *sorted(place % (len(body) + 1) for place in places), len(body)]
    pieces = [body[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]
    outcome = decode(JSONArrayDecoder(LIMIT), pieces)
    assert [json.loads(frame.data) for frame in outcome.frames] == values
    assert outcome == decode(JSONArrayDecoder(LIMIT), bytewise(body))


@given(body=st.text('{}[]",\\ a\n', max_size=30), places=st.lists(st.integers(0, 2**20), max_size=6))
def test_any_text_is_read_the_same_in_any_cut(body: str, places: list[int], decode: Any) -> None:
    data = body.encode()
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    pieces = [data[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]
    whole = decode(JSONArrayDecoder(12), [data])
    assert decode(JSONArrayDecoder(12), pieces) == whole
    assert decode(JSONArrayDecoder(12), bytewise(data)) == whole


SHAPES: list[tuple[str, Callable[[int], list[bytes]]]] = [
    ("one element a read", lambda times: [b"[", *[A.data + b","] * (300 * times)]),
    ("many elements in one read", lambda times: [b"[" + (A.data + b",") * (300 * times)]),
    ("one long string a few bytes a read", lambda times: [b'[{"a":"', *[b"x\\n"] * (2000 * times), b'"}']),
    ("one deep element a byte a read", lambda times: bytewise(b"[" + b'{"a":' * (400 * times) + b"}" * (400 * times))),
    ("quotes without end", lambda times: [b"[", *[b'"a","b",'] * (300 * times)]),
]


@pytest.mark.parametrize("pieces", [case[1] for case in SHAPES], ids=[case[0] for case in SHAPES])
def test_a_byte_costs_the_same_in_ten_times_the_input(pieces: Callable[[int], list[bytes]], growth: Any) -> None:
    assert growth(lambda: JSONArrayDecoder(LIMIT * 64), pieces) <= 1.25
