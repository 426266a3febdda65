"""Plain data of any shape."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols.openai_chat.loose import dicts_of, has_text, list_of

LISTS: list[tuple[Any, list[Any], list[Any]]] = [
    ([1, {"a": 1}, None], [1, {"a": 1}, None], [{"a": 1}]),
    ([], [], []),
    (None, [], []),
    ({"a": 1}, [], []),
    ("ab", [], []),
]


@pytest.mark.parametrize(("value", "items", "objects"), LISTS, ids=repr)
def test_a_list_is_one_and_anything_else_is_empty(value: Any, items: list[Any], objects: list[Any]) -> None:
    assert list_of(value) == items
    assert dicts_of(value) == objects


def test_an_empty_text_is_none() -> None:
    values = {"a": "x", "b": "", "c": 1, "d": None}
    assert [has_text(values, name) for name in "abcde"] == [True, False, False, False, False]
