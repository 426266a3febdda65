import dataclasses
import datetime
import enum
import functools
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from streamkit.errors import ConfigError, ToolError
from streamkit.tools.signatures import Signature, read_signature, unwrap


class Unit(enum.Enum):
    """How warmth is told."""

    C = "celsius"
    F = "fahrenheit"


@dataclasses.dataclass
class Place:
    city: str
    zip: int | None = None


class Tree(Struct):
    """A tree."""

    value: int
    children: list["Tree"] = []


class Cat(Struct, tag="cat"):
    lives: int


class Dog(Struct, tag="dog"):
    name: str


SENTINEL = object()


def read(function: Callable[..., Any], **descriptions: str) -> Signature:
    target, bound = unwrap(function)
    return read_signature(function, "f", descriptions, bound)


def nothing() -> None: ...


def plain(city: str, days: int = 3) -> None: ...


def untyped(a, b=1, c=None): ...


def keyword_only(*, a: float) -> None: ...


def optional(a: str | None, b: int = None) -> None: ...


def choices(unit: Unit = Unit.C, mode: Literal["a", "b"] = "a") -> None: ...


def nested(place: Place, when: datetime.date) -> None: ...


def annotated(n: Annotated[int, Meta(description="How many.", ge=1)] = 1) -> None: ...


def recursive(tree: Tree) -> None: ...


def animals(pet: Cat | Dog) -> None: ...


def sentinel(a: Any = SENTINEL) -> None: ...


def mutable(a: list[str] = ["x"]) -> None: ...  # noqa: B006 # the default is what is tested


PLACE = {
    "title": "Place",
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "zip": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
    },
    "required": ["city"],
}

# name, function, properties, required
SCHEMAS: list[tuple[str, Callable[..., Any], dict[str, Any], list[str]]] = [
    ("no parameters", nothing, {}, []),
    ("a default", plain, {"city": {"type": "string"}, "days": {"type": "integer", "default": 3}}, ["city"]),
    ("without annotations", untyped, {"a": {}, "b": {"default": 1}, "c": {"default": None}}, ["a"]),
    ("keyword only", keyword_only, {"a": {"type": "number"}}, ["a"]),
    (
        "a default of None is optional",
        optional,
        {
            "a": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "b": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        },
        ["a"],
    ),
    (
        "enumerations",
        choices,
        {
            "unit": {
                "title": "Unit",
                "description": "How warmth is told.",
                "enum": ["celsius", "fahrenheit"],
                "default": "celsius",
            },
            "mode": {"enum": ["a", "b"], "default": "a"},
        },
        [],
    ),
    (
        "nested types stand in their place",
        nested,
        {"place": PLACE, "when": {"type": "string", "format": "date"}},
        ["place", "when"],
    ),
    ("meta", annotated, {"n": {"description": "How many.", "type": "integer", "minimum": 1, "default": 1}}, []),
    ("a default without a JSON form is not shown", sentinel, {"a": {}}, []),
    ("a mutable default", mutable, {"a": {"type": "array", "items": {"type": "string"}, "default": ["x"]}}, []),
    ("a partial's keywords are not shown", functools.partial(plain, days=5), {"city": {"type": "string"}}, ["city"]),
    (
        "a partial's positions are not shown",
        functools.partial(plain, "Oslo"),
        {"days": {"type": "integer", "default": 3}},
        [],
    ),
]


@pytest.mark.parametrize(("function", "properties", "required"), [c[1:] for c in SCHEMAS], ids=[c[0] for c in SCHEMAS])
def test_a_signature_becomes_a_schema(function: Callable[..., Any], properties: Any, required: list[str]) -> None:
    assert read(function).schema == {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def test_a_recursive_type_stays_a_reference_to_its_definition() -> None:
    schema = read(recursive).schema
    assert schema["properties"] == {"tree": {"$ref": "#/$defs/Tree"}}
    assert set(schema["$defs"]) == {"Tree"}
    assert schema["$defs"]["Tree"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}


def test_alternatives_are_told_apart_by_their_tags_alone() -> None:
    pet = read(animals).schema["properties"]["pet"]
    assert set(pet) == {"anyOf"}
    assert [one["properties"]["type"] for one in pet["anyOf"]] == [{"enum": ["cat"]}, {"enum": ["dog"]}]


def test_descriptions_fill_in_where_the_type_has_none() -> None:
    properties = read(annotated, n="Not this.").schema["properties"]
    assert properties["n"]["description"] == "How many."
    assert read(plain, city="The city.").schema["properties"]["city"]["description"] == "The city."


def variadic(*args: int) -> None: ...


def keywords(**kwargs: int) -> None: ...


def positional(a: int, /) -> None: ...


def complexity(a: complex) -> None: ...


def unknown(a: "Nowhere") -> None: ...  # noqa: F821 # that it is not there is what is tested


REFUSED = [
    ("args", variadic, r"\*args: int cannot be filled"),
    ("kwargs", keywords, r"\*\*kwargs: int cannot be filled"),
    ("positional only", positional, "a: int cannot be filled"),
    ("a type without JSON", complexity, "complex.* is not supported; take .* or describe"),
    ("an annotation that cannot be read", unknown, "'Nowhere' is not defined"),
]


@pytest.mark.parametrize(("function", "text"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_what_no_json_object_can_fill_is_refused(function: Callable[..., Any], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        read(function)


# name, function, arguments, keyword arguments
VALID: list[tuple[str, Callable[..., Any], dict[str, Any], dict[str, Any]]] = [
    ("defaults are the function's own", plain, {"city": "Oslo"}, {"city": "Oslo"}),
    ("all given", plain, {"days": 1, "city": "Oslo"}, {"days": 1, "city": "Oslo"}),
    ("an enumeration", choices, {"unit": "celsius"}, {"unit": Unit.C}),
    (
        "types",
        nested,
        {"place": {"city": "Oslo"}, "when": "2026-11-29"},
        {"place": Place("Oslo"), "when": datetime.date(2026, 11, 29)},
    ),
    ("a whole number as a float", plain, {"city": "Oslo", "days": 2.0}, {"city": "Oslo", "days": 2}),
    ("a whole number for a float", keyword_only, {"a": 2}, {"a": 2.0}),
    ("any value as it is", untyped, {"a": 2.0, "c": None}, {"a": 2.0, "c": None}),
    ("a big integer", plain, {"city": "x", "days": 10**30}, {"city": "x", "days": 10**30}),
    ("none", optional, {"a": None}, {"a": None}),
    ("a tagged alternative", animals, {"pet": {"type": "dog", "name": "Rex"}}, {"pet": Dog("Rex")}),
]


@pytest.mark.parametrize(("function", "given", "expected"), [c[1:] for c in VALID], ids=[c[0] for c in VALID])
def test_arguments_get_the_annotated_types(function: Callable[..., Any], given: Any, expected: Any) -> None:
    found = read(function).validate(given)
    assert found == expected
    assert {name: type(value) for name, value in found.items()} == {n: type(v) for n, v in expected.items()}


INVALID: list[tuple[str, Callable[..., Any], dict[str, Any], str]] = [
    ("wrong type", plain, {"city": 3}, "Expected `str`, got `int` - at `$.city`"),
    (
        "wrong type inside",
        nested,
        {"place": {"city": 3}, "when": "2026-11-29"},
        "Expected `str`, got `int` - at `$.place.city`",
    ),
    ("a fraction", plain, {"city": "x", "days": 2.5}, "Expected `int`, got `float` - at `$.days`"),
    ("out of bounds", annotated, {"n": 0}, "Expected `int` >= 1 - at `$.n`"),
    ("all that is missing", nested, {}, "missing: place, when"),
    ("unknown", plain, {"city": "x", "dayz": 1}, "unknown: dayz; known are: city, days"),
    ("missing and unknown", plain, {"town": "x"}, "missing: city; unknown: town; known are: city, days"),
    ("unknown where there are none", nothing, {"x": 1}, "unknown: x; known are: none"),
]


@pytest.mark.parametrize(("function", "given", "text"), [c[1:] for c in INVALID], ids=[c[0] for c in INVALID])
def test_arguments_that_do_not_fit_are_named(function: Callable[..., Any], given: Any, text: str) -> None:
    with pytest.raises(ToolError) as caught:
        read(function).validate(given)
    assert str(caught.value) == text


def test_a_schema_is_plain_json() -> None:
    for _, function, *_ in SCHEMAS:
        schema = read(function).schema
        assert msgspec.json.decode(msgspec.json.encode(schema)) == schema
