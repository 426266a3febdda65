from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from streamkit.errors import ConfigError, ToolError
from streamkit.protocols import ToolSpec
from streamkit.tools import Tool, as_tool, tool, tool_list


@tool
def weather(city: str, days: int = 1) -> str:
    """Say how the weather will be.

    Args:
        city: Where.
        days: For how long.
    """
    return f"{city} {days}"


async def slow(n: int) -> int:
    """Take long."""
    return n


async def counting(n: int) -> AsyncIterator[int]:
    """Count."""
    for i in range(n):
        yield i


def generator(n: int) -> Iterator[int]:
    yield n


class Shop:
    """A shop."""

    def __init__(self, prices: dict[str, int]) -> None:
        self.prices = prices

    @tool(name="price_of")
    async def price(self, item: str) -> int:
        """Tell a price."""
        return self.prices[item]

    @tool
    def compare(self, other: Shop) -> bool:
        return self is other

    @staticmethod
    @tool
    def currency(day: str) -> str:
        return f"NOK {day}"

    @tool
    @classmethod
    def name(cls, short: bool) -> str:
        return cls.__name__

    def __call__(self, item: str) -> int:
        """Buy it."""
        return self.prices[item]


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def test_a_tool_has_its_name_description_and_schema_from_the_function() -> None:
    assert weather.spec == ToolSpec(
        name="weather",
        description="Say how the weather will be.",
        parameters={
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Where."},
                "days": {"type": "integer", "description": "For how long.", "default": 1},
            },
            "required": ["city"],
            "additionalProperties": False,
        },
    )


def test_name_description_and_options_may_be_given() -> None:
    spec = tool(name="w", description="", strict=True, extra={"cache_control": {"type": "ephemeral"}})(slow).spec
    assert (spec.name, spec.description, spec.strict) == ("w", "", True)
    assert spec.extra == {"cache_control": {"type": "ephemeral"}}


def test_a_tool_can_be_called_as_its_function() -> None:
    assert weather("Oslo", days=2) == "Oslo 2"
    assert weather.__doc__ is not None and weather.__name__ == "weather"
    assert list(inspect.signature(weather).parameters) == ["city", "days"]


# name, function, tool name, description, parameters, runs in a thread
KINDS = [
    ("plain", weather.function, "weather", weather.description, weather.spec.parameters, True),
    ("async def", slow, "slow", "Take long.", schema(n={"type": "integer"}), False),
    ("async generator", counting, "counting", "Count.", schema(n={"type": "integer"}), False),
    ("partial of async def", functools.partial(slow), "slow", "Take long.", schema(n={"type": "integer"}), False),
    ("bound method", Shop({}).__call__, "__call__", "Buy it.", schema(item={"type": "string"}), True),
    ("callable object", Shop({}), "Shop", "Buy it.", schema(item={"type": "string"}), True),
]


@pytest.mark.parametrize(
    ("function", "name", "description", "parameters", "threaded"), [c[1:] for c in KINDS], ids=[c[0] for c in KINDS]
)
def test_what_can_be_called_can_be_a_tool(
    function: Any, name: str, description: str, parameters: dict[str, Any], threaded: bool
) -> None:
    made = as_tool(function)
    assert (made.name, made.description, made.spec.parameters) == (name, description, parameters)
    assert made.runs_in_thread is threaded


def test_a_method_is_a_tool_of_its_instance() -> None:
    shop = Shop({"tea": 3})
    assert shop.price.spec.name == "price_of"
    assert shop.price.spec.parameters == schema(item={"type": "string"})
    assert shop.price.function.__self__ is shop
    assert isinstance(Shop.price, Tool)


def test_class_and_static_methods_are_tools_under_either_order_of_decorators() -> None:
    shop = Shop({})
    assert shop.currency.spec.parameters == Shop.currency.spec.parameters == schema(day={"type": "string"})
    assert Shop.currency("now") == "NOK now"
    assert shop.name.spec.parameters == Shop.name.spec.parameters == schema(short={"type": "boolean"})
    assert Shop.name(True) == "Shop"


def test_a_type_that_the_class_body_does_not_know_yet_is_an_error_only_when_it_has_no_schema() -> None:
    with pytest.raises(ConfigError, match="compare"):
        _ = Shop({}).compare.spec


def test_a_tool_that_is_no_function_keeps_itself_as_an_attribute() -> None:
    class Holder:
        ready = tool(functools.partial(slow, n=1))

    assert Holder().ready is Holder.ready


def forward(a: No.Such) -> None: ...  # noqa: F821 # that it is not there is what is tested


def module(a: functools.nothing) -> None: ...


def no_type(a: "1 +") -> None: ...  # noqa: F722 # that it is no Python is what is tested


def sum_of_types(a: int + str) -> None: ...


REFUSED = [
    ("a builtin without a signature", max, "tool 'max': .*write a function of your own around it"),
    ("a partial of one", functools.partial(max, 1), "tool 'max': .*write a function of your own around it"),
    ("a name that is not there", forward, "'forward': its annotations cannot be read"),
    ("a name that is not there in a module", module, "'module': its annotations cannot be read"),
    ("an annotation that is no Python", no_type, "'no_type': its annotations cannot be read"),
    ("an annotation that fails", sum_of_types, "'sum_of_types': its annotations cannot be read"),
    ("a class", Shop, "'Shop' is a class"),
    ("a generator", generator, "'generator' is a generator"),
    ("no function", [1], r"\[1\] is no tool"),
    ("a lambda without a name", lambda: 1, "'<lambda>' is no name"),
]


@pytest.mark.parametrize(("value", "text"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_what_cannot_be_a_tool_is_refused(value: Any, text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        as_tool(value)


@pytest.mark.parametrize("name", ["", "two words", "naïve", "x" * 65, "a.b"])
def test_a_name_that_providers_refuse_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="no name for a tool"):
        tool(name=name)(slow)


def test_arguments_that_do_not_fit_name_the_tool() -> None:
    assert weather.validate({"city": "Oslo", "days": 2.0}) == {"city": "Oslo", "days": 2}
    with pytest.raises(ToolError, match=r"^invalid arguments for weather: missing: city$"):
        weather.validate({})


def test_as_tool_leaves_a_tool_as_it_is() -> None:
    assert as_tool(weather) is weather


def test_attributes_of_the_function_do_not_get_in_the_way() -> None:
    def marked(a: int) -> int:
        return a

    marked.name = "other"
    assert as_tool(marked).name == "marked"


@pytest.mark.parametrize("one", [lambda: None, {"type": "web_search"}, "search"])
def test_one_tool_in_place_of_a_list_is_refused(one: object) -> None:
    with pytest.raises(ConfigError, match="in brackets"):
        tool_list(one)
