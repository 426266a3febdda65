"""JSON that is broken in the ways of real servers is read; what is broken beyond that is an error with the frame."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.errors import ProtocolError
from streamkit.protocols.lenient import decode_lenient, rejoin, split_surrogate

READ: list[tuple[str, bytes, Any]] = [
    ("a byte order mark", b'\xef\xbb\xbf{"a":1}', {"a": 1}),
    ("a lone surrogate", rb'{"a":"\ud83d"}', {"a": "\ud83d"}),
    ("a raw line end in a string", b'{"a":"x\ny"}', {"a": "x\ny"}),
    ("a byte that is no UTF-8", b'{"a":"\xff"}', {"a": "\ufffd"}),
    ("not a number", b'{"a":NaN}', {"a": None}),
    ("a number without end", b'{"a":-Infinity}', {"a": float("-inf")}),
    ("a number too large for a float", b'{"a":1e999}', {"a": float("inf")}),
]

REFUSED: list[tuple[str, bytes]] = [
    ("half an object", b'{"a":'),
    ("no JSON", b"hello"),
    ("nothing", b""),
    ("nesting without end", b"[" * 100_000),
]


@pytest.mark.parametrize(("data", "value"), [case[1:] for case in READ], ids=[case[0] for case in READ])
def test_broken_json_is_read(data: bytes, value: Any) -> None:
    assert decode_lenient(data, object) == value


@pytest.mark.parametrize("data", [case[1] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_cannot_be_read_is_an_error_with_its_frame(data: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode_lenient(data, object)
    assert data.startswith(caught.value.frame)


def test_json_of_another_kind_is_an_error() -> None:
    with pytest.raises(ProtocolError, match="Expected `int`"):
        decode_lenient(b'{"a":1}', int)


@given(st.text(st.characters(), max_size=20), st.data())
def test_a_text_cut_anywhere_within_its_surrogates_is_whole_again(text: str, data: st.DataObject) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    at = data.draw(st.integers(0, len(units) // 2)) * 2
    first, second = (part.decode("utf-16-le", "surrogatepass") for part in (units[:at], units[at:]))
    head, held = split_surrogate(first)
    assert rejoin(head) + rejoin(held + second) == rejoin(text)
    rejoin(text).encode()
