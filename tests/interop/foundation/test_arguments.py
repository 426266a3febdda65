from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from msgspec import Struct

from streamkit.errors import ToolError
from streamkit.interop.foundation.arguments import ToolArgs
from streamkit.testing.strategies import arguments

ARGS = ToolArgs({"s": "x", "i": -5, "u": 2**64 - 1, "f": 1.5, "b": False, "n": None, "w": 2.0, "o": {"deep": [1]}})

FOUND: list[tuple[str, str, Any]] = [
    ("str", "s", "x"),
    ("i64", "i", -5),
    ("i64", "w", 2),
    ("usize", "u", 2**64 - 1),
    ("f64", "f", 1.5),
    ("f64", "i", -5.0),
    ("bool", "b", False),
    ("opt_str", "s", "x"),
    ("opt_i64", "i", -5),
    ("opt_usize", "u", 2**64 - 1),
    ("opt_f64", "f", 1.5),
    ("opt_bool", "b", False),
    ("opt_value", "o", {"deep": [1]}),
    *(
        (getter, name, None)
        for getter in ("opt_str", "opt_i64", "opt_usize", "opt_f64", "opt_bool", "opt_value")
        for name in ("n", "absent")
    ),
]


@pytest.mark.feature("3.24")
@pytest.mark.parametrize(("getter", "name", "value"), FOUND)
def test_a_getter_returns_what_there_is(getter: str, name: str, value: Any) -> None:
    found = getattr(ARGS, getter)(name)
    assert found == value
    assert type(found) is type(value)


WRONG = [
    ("str", "i", "i: expected a string"),
    ("i64", "s", "s: expected an integer"),
    ("i64", "b", "b: expected an integer"),
    ("i64", "f", "f: expected an integer"),
    ("i64", "u", "u: 18446744073709551615 is not between -9223372036854775808 and 9223372036854775807"),
    ("usize", "i", "i: -5 is not between 0 and 18446744073709551615"),
    ("f64", "b", "b: expected a number"),
    ("f64", "s", "s: expected a number"),
    ("bool", "i", "i: expected a boolean"),
    *(
        (getter, name, f"missing: {name}")
        for getter in ("str", "i64", "usize", "f64", "bool")
        for name in ("n", "absent")
    ),
]


@pytest.mark.parametrize(("getter", "name", "text"), WRONG)
def test_a_getter_says_what_is_wrong_to_the_model(getter: str, name: str, text: str) -> None:
    with pytest.raises(ToolError) as caught:
        getattr(ARGS, getter)(name)
    assert str(caught.value) == text


def test_an_integer_that_no_float_can_hold_is_no_number() -> None:
    with pytest.raises(ToolError, match="x: 10+ is too large"):
        ToolArgs({"x": 10**400}).f64("x")


class Search(Struct):
    q: str
    limit: int = 10


@pytest.mark.feature("3.24")
def test_all_arguments_are_parsed_at_once() -> None:
    assert ToolArgs({"q": "tea"}).parse(Search) == Search("tea")
    with pytest.raises(ToolError, match=r"missing required field `q`"):
        ToolArgs(None).parse(Search)


@given(arguments())
def test_any_value_is_returned_as_it_came(given_: dict[str, object]) -> None:
    args = ToolArgs(given_)
    assert {name: args.opt_value(name) for name in given_} == given_


@pytest.mark.parametrize("odd", [[1], "text", 5, []], ids=str)
def test_what_is_no_object_has_no_arguments(odd: Any) -> None:
    with pytest.raises(ToolError, match="the arguments are not a JSON object"):
        ToolArgs(odd)
