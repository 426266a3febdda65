"""The first and the last bytes of a body, and bodies that are no stream."""

from __future__ import annotations

import pytest

from streamkit.errors import ProtocolError, TruncatedStream
from streamkit.testing.chunking import bytewise, two_parts
from streamkit.wire import Frame
from streamkit.wire.body import Opening, WholeBody, complete_json, too_long

BOM = b"\xef\xbb\xbf"

OPENINGS: list[tuple[str, bytes, bytes]] = [
    ("nothing", b"", b""),
    ("blanks", b" \r\n\t\r", b""),
    ("a mark", BOM, b""),
    ("no mark", b"data", b"data"),
    ("a mark and blanks", BOM + b"\n data ", b"data "),
    ("blanks and a mark", b"\n" + BOM + b"x", BOM + b"x"),
    ("two marks", BOM + BOM + b"x", BOM + b"x"),
    ("what starts like a mark", BOM[:2] + b"x", BOM[:2] + b"x"),
]

COMPLETE: list[tuple[str, bytes, bytes]] = [
    ("nothing", b"", b""),
    ("an object", b' {"a":[1]}\n', b' {"a":[1]}\n'),
    ("a list", b"[{}]", b"[{}]"),
    ("an object that is not closed", b'{"a":[1]', b""),
    ("a list that is not closed", b'["a"', b""),
    ("brackets in strings", rb'{"a":"{[\"{\\"}', rb'{"a":"{[\"{\\"}'),
    ("a string that is not closed", rb'{"a":"}\"}', b""),
    ("a string cut in an escape", b'{"a":"}\\', b""),
    ("a string with a line break", b'{"a":"\n}"}', b'{"a":"\n}"}'),
    ("broken, but closed", b"{a:NaN,}", b"{a:NaN,}"),
    ("text", b"Internal Server Error", b""),
    ("an end sentinel", b" [DONE] ", b" [DONE] "),
    ("half an end sentinel", b"[DON", b""),
    ("lines, the last one cut", b'{"a":1}\n{"b":2}\n{"c', b'{"a":1}\n{"b":2}'),
    ("lines and an end sentinel", b'{"a":1}\n[DONE]', b'{"a":1}\n[DONE]'),
]


def names(cases: list[tuple[str, bytes, bytes]]) -> list[str]:
    return [case[0] for case in cases]


@pytest.mark.parametrize(("data", "want"), [case[1:] for case in OPENINGS], ids=names(OPENINGS))
def test_a_body_starts_at_its_first_byte_that_matters(data: bytes, want: bytes) -> None:
    for pieces in [[data], bytewise(data), *two_parts(data)]:
        opening, out = Opening(), b""
        for piece in pieces:
            out += piece if out else opening.feed(piece)
        assert out == want


@pytest.mark.parametrize(("data", "want"), [case[1:] for case in COMPLETE], ids=names(COMPLETE))
def test_the_end_of_input_leaves_what_is_complete(data: bytes, want: bytes) -> None:
    assert complete_json(data) == want


@pytest.mark.parametrize(
    ("data", "want"), [(b"{", True), (b"[1", True), (b"<p", True), (b"data", False), (b"", False), (b" {", False)]
)
def test_the_first_byte_tells_a_body_that_is_no_stream(data: bytes, want: bool) -> None:
    assert WholeBody.starts(data) is want


def test_a_json_body_is_one_frame() -> None:
    body = WholeBody(100)
    assert [body.feed(piece) for piece in (b'{"a"', b":1}")] == [None, None]
    assert body.finish() == [Frame(b'{"a":1}')]


def test_half_a_json_body_is_a_truncation_that_quotes_it() -> None:
    body = WholeBody(100)
    body.feed(b'{"error":"no cre')
    with pytest.raises(TruncatedStream, match="cut short.*no cre") as caught:
        body.finish()
    assert caught.value.frame == b'{"error":"no cre'


def test_a_json_body_over_the_limit_is_an_error_that_names_it() -> None:
    body = WholeBody(5)
    assert body.feed(b"{    ") is None
    assert str(body.feed(b"}")) == str(too_long(5))


def test_a_page_is_an_error_with_its_first_bytes() -> None:
    body = WholeBody(5)
    assert body.feed(b"<html>502 ") is None
    with pytest.raises(ProtocolError, match="HTML page.*<html>502 "):
        body.finish()


def test_a_long_page_is_an_error_as_soon_as_enough_of_it_came() -> None:
    body = WholeBody(5)
    assert body.feed(b"<html>502 ") is None
    error = body.feed(b"x" * 1000)
    assert error is not None
    assert error.frame == b"<html>502 " + b"x" * 490
