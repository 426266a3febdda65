from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ToolError
from streamkit.interop.foundation import scheme
from streamkit.interop.foundation.scheme import Args

SEARCH = (
    scheme.object()
    .required("q", scheme.string("what to look for"))
    .optional("limit", scheme.integer())
    .optional("fresh", scheme.boolean())
    .optional("weight", scheme.number())
    .optional("sort", scheme.enum(["new", "old"]))
    .optional("tags", scheme.array(scheme.string()))
    .optional("within", scheme.object().required("site", scheme.string()).describe("where"))
    .build()
)


@pytest.mark.feature("3.26", "3.27")
def test_a_schema_is_built_of_its_properties() -> None:
    assert SEARCH == {
        "type": "object",
        "properties": {
            "q": {"type": "string", "description": "what to look for"},
            "limit": {"type": "integer"},
            "fresh": {"type": "boolean"},
            "weight": {"type": "number"},
            "sort": {"enum": ["new", "old"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "within": {
                "type": "object",
                "properties": {"site": {"type": "string"}},
                "required": ["site"],
                "description": "where",
            },
        },
        "required": ["q"],
    }


def test_building_changes_no_schema_that_was_built_before() -> None:
    base = scheme.object().required("a", scheme.string())
    base.required("b", scheme.string())
    assert base.build() == {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


PROBLEMS: list[tuple[dict[str, Any] | None, list[str]]] = [
    ({"q": "x"}, []),
    ({"q": "x", "limit": 3, "fresh": True, "weight": 1, "sort": "new", "tags": [], "within": {"site": "s"}}, []),
    ({"q": "x", "limit": 3.0, "unknown": 1}, []),
    (None, ["missing: q"]),
    ({}, ["missing: q"]),
    ({"q": 1}, ["q: expected string"]),
    ({"q": "x", "limit": True}, ["limit: expected integer"]),
    ({"q": "x", "limit": 1.5}, ["limit: expected integer"]),
    ({"q": "x", "fresh": 1}, ["fresh: expected boolean"]),
    ({"q": "x", "weight": "1"}, ["weight: expected number"]),
    ({"q": "x", "sort": "best"}, ["sort: not one of 'new', 'old'"]),
    ({"q": "x", "tags": ["a", 1]}, ["tags[1]: expected string"]),
    ({"q": "x", "within": {}}, ["within: missing: site"]),
    (
        {"limit": "3", "within": {"site": None}},
        ["missing: q", "limit: expected integer", "within.site: expected string"],
    ),
]


@pytest.mark.feature("3.25", "3.26")
@pytest.mark.parametrize(("arguments", "problems"), PROBLEMS)
def test_what_is_wrong_with_arguments_is_told(arguments: dict[str, Any] | None, problems: list[str]) -> None:
    args = Args(SEARCH)
    assert args.problems(arguments) == problems
    if problems:
        with pytest.raises(ToolError) as caught:
            args.validate(arguments)
        assert str(caught.value) == "; ".join(problems)
    else:
        assert args.validate(arguments) == arguments


@pytest.mark.feature("3.26")
def test_a_schema_may_be_given_as_it_is() -> None:
    raw = {"type": "object", "properties": {"x": {"type": ["string", "null"]}}, "additionalProperties": False}
    args = Args.from_value(raw)
    assert args.schema == raw
    assert args.problems({"x": None}) == []
    assert args.problems({"x": 1, "y": 2}) == ["the arguments: unknown: y", "x: expected string or null"]


@pytest.mark.feature("3.26")
def test_a_tool_may_take_nothing() -> None:
    assert Args.empty().schema == {"type": "object", "properties": {}}
    assert Args.empty().validate(None) == {}


def test_a_type_that_is_not_known_is_not_checked() -> None:
    assert Args.from_value({"type": "object", "properties": {"x": {"type": "date"}}}).problems({"x": 1}) == []


def test_a_property_is_required_once_or_not_at_all() -> None:
    twice = scheme.object().required("q", scheme.string()).required("q", scheme.string())
    assert twice.build()["required"] == ["q"]
    assert twice.optional("q", scheme.integer()).build() == {"type": "object", "properties": {"q": {"type": "integer"}}}


def test_what_was_built_is_the_callers_own() -> None:
    built = scheme.object().required("q", scheme.string())
    built.build()["properties"]["x"] = {}
    built.build()["required"].append("x")
    assert built.build() == scheme.object().required("q", scheme.string()).build()


ODD_SCHEMAS = [{"properties": None}, {"required": None}, {"enum": None}, {"type": None}, {"items": None}]


@pytest.mark.parametrize("odd", ODD_SCHEMAS, ids=str)
def test_a_keyword_that_is_null_checks_nothing(odd: dict[str, Any]) -> None:
    for value in [{"a": 1}, [1]]:
        assert Args.from_value({"properties": {"v": odd}}).problems({"v": value}) == []


@pytest.mark.parametrize(("value", "values"), [(True, [1]), (0, [False]), (1, [True, "1"])])
def test_true_is_no_one_of_numbers(value: Any, values: list[Any]) -> None:
    assert Args.from_value({"properties": {"v": {"enum": values}}}).problems({"v": value})
    assert Args.from_value({"properties": {"v": {"enum": [*values, value]}}}).problems({"v": value}) == []
