"""What the encoders of requests share."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.protocols import Request, ToolSpec
from streamkit.protocols.parameters import checked_choice, drop_unsupported, merge, warn_of_strict

ADD = ToolSpec(name="add")


def request(**params: Any) -> Request:
    return Request(model="m", messages=[], **params)


@pytest.mark.feature("3.33")
def test_an_unsupported_parameter_is_left_out_with_a_warning_that_names_it() -> None:
    with pytest.warns(UnsupportedParameterWarning, match="acme does not take 'seed': it was left out") as caught:
        left = drop_unsupported(request(seed=1, top_p=0.5, provider="acme"), ["seed", "top_k", "seed"])
    assert left == request(top_p=0.5, provider="acme")
    assert len(caught) == 1


def test_what_was_not_asked_for_and_one_answer_need_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert drop_unsupported(request(n=1), ["n", "seed"]) == request()


def test_a_strict_tool_is_warned_of_once_and_another_not() -> None:
    strict = [{"type": "x"}, ToolSpec(name="a", strict=True), ToolSpec(name="b", strict=True)]
    with pytest.warns(UnsupportedParameterWarning, match="acme does not take 'strict'") as caught:
        warn_of_strict(request(tools=strict, provider="acme"))
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_strict(request(tools=[ADD, ToolSpec(name="c", strict=False), {"strict": True}]))


CHOICES: list[tuple[str, Any, list[Any], dict[str, Any] | None]] = [
    ("none given", None, [], None),
    ("auto", "auto", [], None),
    ("none", "none", [], None),
    ("required", "required", [ADD], None),
    ("a dict", {"type": "any"}, [], None),
    ("a tool", "add", [ADD], {"type": "function", "function": {"name": "add"}}),
    (
        "a function in OpenAI's form",
        "f",
        [ADD, {"type": "function", "function": {"name": "f"}}],
        {"type": "function", "function": {"name": "f"}},
    ),
    (
        "a custom tool",
        "sh",
        [{"type": "custom", "custom": {"name": "sh"}}],
        {"type": "custom", "custom": {"name": "sh"}},
    ),
    (
        "a tool in Anthropic's form",
        "web_search",
        [{"type": "web_search_20250305", "name": "web_search"}],
        {"type": "function", "function": {"name": "web_search"}},
    ),
]


@pytest.mark.parametrize("case", CHOICES, ids=[case[0] for case in CHOICES])
def test_a_choice_names_a_tool(case: tuple[str, Any, list[Any], dict[str, Any] | None]) -> None:
    _, choice, tools, expected = case
    assert checked_choice(request(tool_choice=choice, tools=tools)) == expected


WRONG_CHOICES: list[tuple[str, str, list[Any], str]] = [
    ("a typing error", "requried", [ADD], "tool_choice 'requried' .* it has add"),
    ("a call where there is no tool", "required", [], "tool_choice 'required' .* it has none"),
    ("a tool without a name", "x", [{"type": "web_search"}], "it has none"),
]


@pytest.mark.parametrize("case", WRONG_CHOICES, ids=[case[0] for case in WRONG_CHOICES])
def test_a_choice_of_no_tool_is_a_config_error(case: tuple[str, str, list[Any], str]) -> None:
    _, choice, tools, message = case
    with pytest.raises(ConfigError, match=message):
        checked_choice(request(tool_choice=choice, tools=tools))


MERGES: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("a new field", {"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
    ("a field that is there", {"a": 1}, {"a": 2}, {"a": 2}),
    ("an object", {"a": {"x": 1, "y": 1}}, {"a": {"y": 2, "z": 3}}, {"a": {"x": 1, "y": 2, "z": 3}}),
    ("an object for a value", {"a": 1}, {"a": {"x": 1}}, {"a": {"x": 1}}),
    ("nothing for an object", {"a": {"x": 1}}, {"a": None}, {"a": None}),
]


@pytest.mark.parametrize("case", MERGES, ids=[case[0] for case in MERGES])
def test_extra_fields_win_and_objects_become_one(
    case: tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]],
) -> None:
    _, body, extra, expected = case
    before = {key: dict(value) if isinstance(value, dict) else value for key, value in body.items()}
    assert merge(body, extra) == expected
    assert body == before
