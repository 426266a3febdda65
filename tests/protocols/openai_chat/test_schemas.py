"""Schemas in the words of those who take only some."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols.openai_chat.schemas import push_types

CASES: list[tuple[str, Any, Any]] = [
    ("a type alone", {"type": "string"}, {"type": "string"}),
    (
        "a type beside anyOf",
        {"type": "string", "anyOf": [{"maxLength": 1}, {"type": "null"}, True]},
        {"anyOf": [{"type": "string", "maxLength": 1}, {"type": "null"}, True]},
    ),
    (
        "inside a property and its items",
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "number", "anyOf": [{}]}}}},
        {"type": "object", "properties": {"a": {"type": "array", "items": {"anyOf": [{"type": "number"}]}}}},
    ),
    (
        "properties with such names",
        {"properties": {"type": {"type": "string"}, "anyOf": {"type": "array"}, "enum": {"type": "x", "anyOf": [{}]}}},
        {"properties": {"type": {"type": "string"}, "anyOf": {"type": "array"}, "enum": {"anyOf": [{"type": "x"}]}}},
    ),
    (
        "values that look like schemas",
        {"const": {"type": "a", "anyOf": []}, "enum": [{"type": "a", "anyOf": [{}]}]},
        {"const": {"type": "a", "anyOf": []}, "enum": [{"type": "a", "anyOf": [{}]}]},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_no_type_stands_beside_an_any_of(case: tuple[str, Any, Any]) -> None:
    assert push_types(case[1]) == case[2]


def test_the_schema_given_stays_as_it_was() -> None:
    given = {"type": "string", "anyOf": [{}]}
    push_types(given)
    assert given == {"type": "string", "anyOf": [{}]}
