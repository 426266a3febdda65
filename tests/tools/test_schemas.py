"""Tools whose arguments are described by a JSON Schema or by a struct."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct

from streamkit.errors import ConfigError, StreamkitWarning, ToolError
from streamkit.tools import Tool, ToolContext, tool
from streamkit.tools.schemas import MAX_FAULT, MAX_FAULTS

CITY = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "pattern": "^[A-Z]"},
        "days": {"type": "integer", "minimum": 1},
        "unit": {"$ref": "#/$defs/unit"},
    },
    "required": ["city"],
    "additionalProperties": False,
    "$defs": {"unit": {"enum": ["C", "F"]}},
}


async def weather(city: str, days: int = 1, unit: str = "C") -> str:
    return f"{city} {days} {unit}"


async def anything(**arguments: Any) -> Any:
    return arguments


@pytest.fixture
def validator() -> None:
    """The library that validates; it comes with an extra."""
    pytest.importorskip("jsonschema", reason="the extra `schema` is not installed")


@pytest.fixture
def no_validator(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the extra is not installed."""
    monkeypatch.setitem(sys.modules, "jsonschema", None)


def made(schema: dict[str, Any], function: Callable[..., Any] = anything, **options: Any) -> Tool:
    return Tool(function, parameters=schema, **options)


@pytest.mark.usefixtures("no_validator")
def test_the_model_sees_the_schema_as_it_was_given() -> None:
    spec = made(CITY, weather, description="Tell the weather.", strict=True).spec
    assert (spec.parameters, spec.description, spec.strict) == (CITY, "Tell the weather.", True)


FAULTS: list[tuple[str, dict[str, Any], str]] = [
    ("missing", {}, "'city' is a required property"),
    ("of the wrong type", {"city": 1}, "1 is not of type 'string' - at `$.city`"),
    ("against a pattern", {"city": "oslo"}, "'oslo' does not match '^[A-Z]' - at `$.city`"),
    ("too small", {"city": "Oslo", "days": 0}, "0 is less than the minimum of 1 - at `$.days`"),
    ("behind a reference", {"city": "Oslo", "unit": "K"}, "'K' is not one of ['C', 'F'] - at `$.unit`"),
    ("unknown", {"city": "Oslo", "x": 1}, "Additional properties are not allowed ('x' was unexpected)"),
    (
        "several",
        {"city": "Oslo", "days": 1.5, "unit": 0},
        "1.5 is not of type 'integer' - at `$.days`; 0 is not one of ['C', 'F'] - at `$.unit`",
    ),
]


@pytest.mark.usefixtures("validator")
@pytest.mark.parametrize(("arguments", "fault"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS])
def test_arguments_that_do_not_fit_are_told_with_their_place(arguments: dict[str, Any], fault: str) -> None:
    with pytest.raises(ToolError) as raised:
        made(CITY, weather).validate(arguments)
    assert str(raised.value) == f"invalid arguments for weather: {fault}"


@pytest.mark.usefixtures("validator")
def test_arguments_that_fit_reach_the_function_as_they_came() -> None:
    arguments = {"city": "Oslo", "days": 2}
    assert made(CITY, weather).validate(arguments) == arguments


@pytest.mark.usefixtures("validator")
def test_the_draft_is_the_one_that_the_schema_names() -> None:
    schema = {"properties": {"n": {"type": "number", "minimum": 1, "exclusiveMinimum": True}}}
    draft_4 = made({"$schema": "http://json-schema.org/draft-04/schema#", **schema})
    with pytest.raises(ToolError, match="1 is less than or equal to the minimum of 1"):
        draft_4.validate({"n": 1})
    with pytest.raises(ConfigError, match="True is not of type 'number'"):
        made(schema)


@pytest.mark.usefixtures("validator")
def test_an_error_about_a_large_value_stays_short() -> None:
    fields = {f"f{n}": {"type": "integer"} for n in range(20)}
    with pytest.raises(ToolError) as raised:
        made({"properties": fields}).validate(dict.fromkeys(fields, "x" * 100_000))
    assert str(raised.value).endswith("; and 15 more")
    assert str(raised.value).count("is not of type 'integer'") == MAX_FAULTS
    assert len(str(raised.value)) < (MAX_FAULT + 50) * MAX_FAULTS


@pytest.mark.usefixtures("validator")
def test_a_reference_to_elsewhere_is_never_fetched() -> None:
    elsewhere = made({"properties": {"x": {"$ref": "http://127.0.0.1:9/schema.json"}}})
    with pytest.raises(Exception, match="127.0.0.1:9/schema.json"):
        elsewhere.validate({"x": 1})


@pytest.mark.usefixtures("no_validator")
def test_without_the_validator_arguments_pass_with_one_warning_a_tool() -> None:
    first, second = made(CITY, weather), made(CITY, weather)
    for one in (first, second):
        with pytest.warns(StreamkitWarning, match=r"'weather' are not validated: .*streamkit\[schema\]"):
            assert one.validate({"days": "many"}) == {"days": "many"}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert one.validate({"days": "more"}) == {"days": "more"}


@pytest.mark.usefixtures("no_validator")
def test_a_method_warns_once_however_often_it_is_looked_up() -> None:
    class Station:
        @tool(parameters=CITY)
        async def weather(self, city: str, days: int = 1, unit: str = "C") -> str:
            return city

    station = Station()
    with pytest.warns(StreamkitWarning):
        station.weather.validate({"city": "Oslo"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert station.weather.validate({"city": "Oslo"}) == {"city": "Oslo"}


def only_city(city: str) -> None: ...


def by_position(city: str, /, **rest: Any) -> None: ...


def with_context(context: ToolContext, **rest: Any) -> None: ...


WRONG: list[tuple[str, Any, Callable[..., Any], str]] = [
    ("no object", {"type": "array"}, anything, "its schema's type is 'array'"),
    ("an argument that is not taken", CITY, only_city, "its function takes no days, unit, which its schema has"),
    ("one by position", CITY, by_position, "city: .str. cannot be filled"),
    ("the context's name", {"properties": {"context": {}}}, with_context, "both an argument"),
    ("no schema", 5, anything, "a JSON Schema or a Struct type, not 5"),
]


@pytest.mark.usefixtures("no_validator")
@pytest.mark.parametrize(("schema", "function", "fault"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_a_schema_that_does_not_fit_its_function_is_a_wrong_set_up(
    schema: Any, function: Callable[..., Any], fault: str
) -> None:
    with pytest.raises(ConfigError, match=fault):
        Tool(function, parameters=schema)


@pytest.mark.usefixtures("validator")
def test_a_schema_that_is_none_is_a_wrong_set_up() -> None:
    with pytest.raises(ConfigError, match="'strin' is not valid .*properties.*type"):
        made({"properties": {"x": {"type": "strin"}}})


class Trip(Struct, forbid_unknown_fields=True):
    """A journey."""

    to: str
    days: Annotated[int, Meta(ge=1)] = 1


async def book(trip: Trip) -> str:
    """Book a trip."""
    return trip.to


def test_a_struct_describes_the_one_argument_of_its_function() -> None:
    booking = Tool(book, parameters=Trip)
    assert booking.spec.description == "Book a trip."
    assert booking.spec.parameters["required"] == ["to"]
    assert booking.spec.parameters["properties"]["days"] == {"type": "integer", "minimum": 1, "default": 1}
    assert booking.validate({"to": "Oslo", "days": 2.0}) == {"trip": Trip("Oslo", 2)}


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [({}, "missing required field `to`"), ({"to": "x", "days": 0}, "`int` >= 1 - at `$.days`"), ({"x": 1}, "`x`")],
)
def test_what_makes_no_struct_is_told(arguments: dict[str, Any], fault: str) -> None:
    with pytest.raises(ToolError, match="invalid arguments for book: .*" + fault.replace("$.", r"\$.")):
        Tool(book, parameters=Trip).validate(arguments)


def test_a_function_without_a_parameter_for_the_struct_is_a_wrong_set_up() -> None:
    with pytest.raises(ConfigError, match="no parameter that takes the Trip"):
        Tool(with_context, parameters=Trip)
