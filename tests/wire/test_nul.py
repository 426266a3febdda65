"""JSON objects that end with NUL, in any cut."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.testing.chunking import bytewise, splits, two_parts
from streamkit.wire import Frame
from streamkit.wire.nul import NulDecoder

A, B = Frame(b'{"a":1}'), Frame(b'{"b":"\xc3\xa9"}')

CASES: list[tuple[str, bytes, list[Frame], int]] = [
    ("nothing", b"", [], 0),
    ("objects", A.data + b"\0" + B.data + b"\0", [A, B], 0),
    ("a line break in one", b'{"a":\n1}\0', [Frame(b'{"a":\n1}')], 0),
    ("line breaks between", A.data + b"\0\n" + B.data + b"\0\n", [A, B], 0),
    ("empty ones", A.data + b"\0\0\0" + B.data + b"\0", [A, B], 2),
    ("no end at the end", A.data + b"\0" + B.data, [A, B], 0),
    ("half an object at the end", A.data + b"\0" + B.data[:-1], [A], 0),
    ("half a character at the end", A.data + b"\0" + B.data[:7], [A], 0),
]


@pytest.mark.parametrize(
    ("body", "frames", "heartbeats"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_body_gives_the_same_frames_in_every_cut(
    body: bytes, frames: list[Frame], heartbeats: int, decode: Any
) -> None:
    for pieces in [[body], bytewise(body), *two_parts(body), *splits(body)]:
        outcome = decode(NulDecoder(1000), pieces)
        assert (outcome.frames, outcome.heartbeats, outcome.error) == (frames, heartbeats, ""), pieces


def test_an_object_over_the_limit_is_an_error_after_those_before_it() -> None:
    decoder = NulDecoder(10)
    assert decoder.feed(A.data + b"\0" + b"x" * 11) == [A]
    assert "max_event_bytes = 10" in str(decoder.error)
