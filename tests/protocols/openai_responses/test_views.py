from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.protocols.openai_responses.views import NO_INDEX, decode_event, listed, mapping, number, text


def test_a_piece_of_text_is_decoded_with_its_place() -> None:
    event = decode_event(
        b'{"type":"response.output_text.delta","sequence_number":4,"output_index":1,"content_index":2,'
        b'"delta":"a","logprobs":[{"token":"a"}],"obfuscation":"xyz"}'
    )
    assert (event.type, event.sequence_number) == ("response.output_text.delta", 4)
    assert (event.output_index, event.content_index, event.summary_index) == (1, 2, NO_INDEX)
    assert (event.delta, event.logprobs) == ("a", ({"token": "a"},))


def test_what_is_missing_has_no_number() -> None:
    event = decode_event(b"{}")
    assert (event.type, event.delta, event.logprobs) == ("", "", None)
    assert event.output_index == event.content_index == event.summary_index == event.sequence_number == NO_INDEX


READ: list[tuple[str, Any, Any, Any]] = [
    ("a text", text, "a", "a"),
    ("no text", text, None, ""),
    ("a number", number, 0, 0),
    ("no number", number, None, NO_INDEX),
    ("an object", mapping, {"a": 1}, {"a": 1}),
    ("a list of objects", listed, [{"a": 1}, None, {}], [{"a": 1}, {}]),
    ("no list", listed, None, []),
]


@pytest.mark.parametrize(("read", "value", "expected"), [case[1:] for case in READ], ids=[case[0] for case in READ])
def test_a_field_is_read(read: Any, value: Any, expected: Any) -> None:
    assert read({"x": value}, "x") == expected


REFUSED: list[tuple[str, Any, Any]] = [
    ("a number for a text", text, 1),
    ("a text for a number", number, "1"),
    ("true for a number", number, True),
    ("a fraction for a number", number, 1.0),
    ("nothing for an object", mapping, None),
    ("a list for an object", mapping, []),
    ("an object for a list", listed, {}),
    ("a list of texts", listed, ["a"]),
]


@pytest.mark.parametrize(("read", "value"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_a_field_of_another_form_is_refused_by_name(read: Any, value: Any) -> None:
    with pytest.raises(msgspec.ValidationError, match="`x`"):
        read({"x": value}, "x")
