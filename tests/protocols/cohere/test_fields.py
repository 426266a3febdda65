"""The fields of Cohere's events, from plain data."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ProtocolError
from streamkit.protocols.cohere.fields import (
    contents_of,
    items_of,
    kind_of,
    list_of,
    message_of,
    number_of,
    object_of,
    text_of,
)


def event(value: Any, index: Any = 2) -> dict[str, Any]:
    return {"index": index, "delta": {"message": {"f": value}}}


ITEMS: list[tuple[str, dict[str, Any], list[tuple[Any, Any]]]] = [
    ("an object", event({"a": 1}), [(2, {"a": 1})]),
    ("a list is numbered on", event([{"a": 1}, None, {"b": 2}]), [(2, {"a": 1}), (4, {"b": 2})]),
    ("a list without a number", event([{"a": 1}], None), [(0, {"a": 1})]),
    ("null", event(None), []),
    ("no delta", {"delta": None}, []),
]


@pytest.mark.parametrize(("given", "items"), [case[1:] for case in ITEMS], ids=[case[0] for case in ITEMS])
def test_items_are_one_object_or_a_list(given: dict[str, Any], items: list[tuple[Any, Any]]) -> None:
    assert items_of(given, "f") == items


def test_an_object_a_text_and_items_of_another_type_are_errors() -> None:
    assert object_of(event({"a": 1}), "f") == {"a": 1}
    assert object_of(event(None), "f") == {}
    assert text_of({"text": None}, "text") == text_of({}, "text") == ""
    for broken in (
        lambda: object_of(event([]), "f"),
        lambda: items_of(event("a"), "f"),
        lambda: text_of({"f": 5}, "f"),
    ):
        with pytest.raises(ProtocolError, match="`f` of an event"):
            broken()


KINDS = [
    ({"type": "text"}, "text"),
    ({"type": "thinking"}, "thinking"),
    ({"type": "image"}, None),
    ({"type": []}, None),
    ({"thinking": ""}, "thinking"),
    ({}, "text"),
]


@pytest.mark.parametrize(("content", "kind"), KINDS, ids=[str(case[0]) for case in KINDS])
def test_the_kind_is_the_type_or_what_is_there(content: dict[str, Any], kind: str | None) -> None:
    assert kind_of(content) == kind


def test_what_is_no_list_message_or_number_is_none() -> None:
    assert (list_of(5), list_of([1]), message_of({"delta": 5}), message_of(event(1))) == ([], [1], {}, {"f": 1})
    assert (number_of("1"), number_of(1)) == (None, 1)
    assert contents_of("a") == [{"type": "text", "text": "a"}]
    assert contents_of(None) == []
