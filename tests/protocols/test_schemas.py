"""What of JSON Schema providers take."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from streamkit.errors import UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.protocols import Request
from streamkit.protocols.schemas import is_strict, map_schema, narrowed, subschemas
from streamkit.providers import get_provider

TEXT = {"type": "string"}


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


TREE = closed(kids={"type": "array", "items": {"$ref": "#/$defs/Tree"}})
RECURSIVE = {**closed(tree={"$ref": "#/$defs/Tree"}), "$defs": {"Tree": TREE}}
SHARED = {**closed(a={"$ref": "#/$defs/A"}, b={"$ref": "#/$defs/A"}), "$defs": {"A": closed(x=TEXT)}}
LATER = {**closed(a={"$ref": "#/$defs/A"}), "$defs": {"A": closed(b={"$ref": "#/$defs/B"}), "B": closed(x=TEXT)}}

# A schema, whether OpenAI's strict mode takes it, and whether Claude's structured outputs can follow it.
TAKEN = [
    pytest.param(closed(a=TEXT), True, True, id="an object"),
    pytest.param(closed(), True, True, id="an object of nothing"),
    pytest.param(closed(properties=TEXT, type=TEXT, items=TEXT, enum=TEXT), True, True, id="properties of odd names"),
    pytest.param(closed(a={"type": ["string", "null"]}), True, True, id="several types"),
    pytest.param(closed(a={"anyOf": [TEXT, closed(b=TEXT)]}), True, True, id="a union"),
    pytest.param(closed(a={"type": "integer", "minimum": 1}), True, True, id="a limit of a number"),
    pytest.param(closed(a={"type": "string", "minLength": 1}), False, True, id="a length"),
    pytest.param(closed(a={"type": "string", "format": "date"}), True, True, id="a known format"),
    pytest.param(closed(a={"type": "string", "format": "decimal"}), False, True, id="a format of nobody's"),
    pytest.param(closed(a={"type": "string", "contentEncoding": "base64"}), False, True, id="bytes"),
    pytest.param(closed(a={"type": "array", "items": TEXT}), True, True, id="a list"),
    pytest.param(closed(a={"type": "array", "items": TEXT, "uniqueItems": True}), False, True, id="a set"),
    pytest.param(SHARED, True, True, id="a definition that is used twice"),
    pytest.param(LATER, True, True, id="definitions of definitions"),
    pytest.param(RECURSIVE, True, False, id="one that refers to itself"),
    pytest.param({**closed(a={"$ref": "#"})}, True, False, id="one that refers to its whole"),
    pytest.param(
        {**SHARED, "properties": {"a": {"$ref": "#/$defs/A", "description": "d"}}, "required": ["a"]},
        False,
        True,
        id="words beside a reference",
    ),
    pytest.param({**closed(a=TEXT), "required": []}, False, True, id="what may be left out"),
    pytest.param(closed(a={**TEXT, "default": "x"}), False, True, id="a default"),
    pytest.param({"type": "object", "properties": {"a": TEXT}, "required": ["a"]}, False, True, id="an open object"),
    pytest.param(closed(a={"type": "object"}), False, False, id="an object of anything"),
    pytest.param(closed(a={"type": "object", "additionalProperties": TEXT}), False, False, id="a mapping"),
    pytest.param(closed(a={}), False, False, id="anything"),
    pytest.param(closed(a={"type": "array"}), False, False, id="a list of anything"),
    pytest.param(
        closed(a={"type": "array", "prefixItems": [TEXT], "items": False, "minItems": 1}), False, False, id="a tuple"
    ),
    pytest.param({"anyOf": [closed(a=TEXT), closed(b=TEXT)]}, False, True, id="a union alone"),
    pytest.param({}, False, False, id="nothing said"),
]


@pytest.mark.parametrize(("schema", "strict", "narrow"), TAKEN)
def test_a_schema_is_sent_as_each_provider_takes_it(schema: dict[str, Any], strict: bool, narrow: bool) -> None:
    assert is_strict(schema) is strict
    assert (narrowed(schema) is not None) is narrow
    request = {"model": "m", "messages": [Message("user", "Hi")], "output_schema": schema}
    for provider in ("openai", "openai-responses"):
        row = get_provider(provider)
        body = row.get_protocol().encode(Request(**request), row.quirks).body
        sent = body["response_format"]["json_schema"] if provider == "openai" else body["text"]["format"]
        assert sent["schema"] == schema
        assert ("strict" in sent) is strict
    for provider in ("anthropic", "vertex-anthropic", "bedrock"):
        row = get_provider(provider)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UnsupportedParameterWarning)
            body = row.get_protocol().encode(Request(**request, provider=provider), row.quirks).body
        assert ("output_config" in body or "outputConfig" in body) is narrow
        assert [f"{provider} does not take 'output_schema'" in str(one.message) for one in caught] == [True] * (
            not narrow
        )


NARROWED = [
    (
        {"type": "integer", "minimum": 1, "maximum": 9},
        {"type": "integer", "description": "(minimum: 1, maximum: 9)"},
    ),
    (
        {"type": "string", "pattern": 'a"b', "description": "A name."},
        {"type": "string", "description": 'A name. (pattern: "a\\"b")'},
    ),
    ({"type": "string", "format": "uri"}, {"type": "string", "format": "uri"}),
    ({"type": "array", "items": TEXT, "minItems": 1}, {"type": "array", "items": TEXT, "minItems": 1}),
    ({"oneOf": [TEXT, {"type": "null"}]}, {"anyOf": [TEXT, {"type": "null"}]}),
    ({"type": "string", "enum": ["a"], "default": "a"}, {"type": "string", "enum": ["a"], "default": "a"}),
]


@pytest.mark.parametrize(("schema", "told"), NARROWED)
def test_a_limit_that_cannot_be_enforced_is_told(schema: dict[str, Any], told: dict[str, Any]) -> None:
    whole = closed(a=schema, minimum=TEXT)
    before = str(whole)
    assert narrowed(whole) == closed(a=told, minimum=TEXT)
    assert str(whole) == before, "the caller's schema stays as it is"


def test_what_is_data_in_a_schema_is_no_schema() -> None:
    schema = {"enum": [{"items": TEXT}], "default": {"anyOf": [TEXT]}, "properties": {"default": TEXT}, "items": False}
    assert list(subschemas(schema)) == [TEXT, False]
    assert map_schema(schema, lambda _: None) == {**schema, "properties": {"default": None}, "items": None}
