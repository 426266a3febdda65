"""What a tool may return in place of a bare value."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.tools import ToolResult
from streamkit.usage import Usage


def test_what_is_not_given_has_its_default() -> None:
    result = ToolResult("text")
    assert (result.value, result.details, result.usage, result.added_tool_names) == ("text", None, None, ())
    assert (result.terminate, result.is_error) == (False, False)
    assert result.given == {"value"}


def test_one_name_in_place_of_a_list_is_refused() -> None:
    with pytest.raises(ConfigError, match="put 'search' in brackets"):
        ToolResult("text", added_tool_names="search")


GIVEN: list[dict[str, Any]] = [
    {},
    {"value": None},
    {"is_error": False},
    {"terminate": True, "details": {"a": 1}},
    {"usage": Usage(input_tokens=2)},
    {"added_tool_names": ["x"]},
    {"usage": None, "details": None, "added_tool_names": ()},
]


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_a_later_one_replaces_what_it_was_given_and_nothing_else(given: dict[str, Any]) -> None:
    whole = {"value": "v", "details": 1, "usage": Usage(1), "added_tool_names": ("a",), "is_error": True}
    whole["terminate"] = False
    assert ToolResult(**whole).updated(ToolResult(**given)) == ToolResult(**{**whole, **given})


def test_it_shows_what_was_given() -> None:
    assert repr(ToolResult("v", is_error=True)) == "ToolResult(value='v', is_error=True)"
    assert ToolResult("v") != ToolResult("w")
    assert ToolResult("v") != "v"
