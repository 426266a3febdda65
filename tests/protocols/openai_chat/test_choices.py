"""Which tool may be called, at vendors that take any choice and at those that take some."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from streamkit.errors import UnsupportedParameterWarning
from streamkit.protocols import Quirks, Request, ToolSpec
from streamkit.protocols.openai_chat.choices import encode_choice

NAMED = {"type": "function", "function": {"name": "add"}}
CASES: list[tuple[str, Quirks, Any, dict[str, Any] | None, bool]] = [
    ("nothing asked", Quirks(), None, {}, False),
    ("auto", Quirks(), "auto", {"tool_choice": "auto"}, False),
    ("none", Quirks(), "none", {"tool_choice": "none"}, False),
    ("required", Quirks(), "required", {"tool_choice": "required"}, False),
    ("required in another word", Quirks(required_word="any"), "required", {"tool_choice": "any"}, False),
    ("a tool", Quirks(), "add", {"tool_choice": NAMED}, False),
    ("one's own", Quirks(tool_choices=()), {"type": "x"}, {"tool_choice": {"type": "x"}}, False),
    ("auto where there is no choice", Quirks(tool_choices=()), "auto", {}, False),
    ("none where there is no choice", Quirks(tool_choices=()), "none", None, False),
    ("required where it is not taken", Quirks(tool_choices=("auto", "none")), "required", {}, True),
    ("a tool where none can be named", Quirks(tool_choices=("auto", "required")), "add", {}, True),
    ("a word in another field", Quirks(choice_field="option"), "required", {"option": "required"}, False),
    ("a tool, beside another field for words", Quirks(choice_field="option"), "add", {"tool_choice": NAMED}, False),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_choice_is_sent_or_left_out_with_a_warning(
    case: tuple[str, Quirks, Any, dict[str, Any] | None, bool],
) -> None:
    _, quirks, choice, expected, warns = case
    request = Request(model="m", messages=[], tools=[ToolSpec(name="add")], tool_choice=choice, provider="acme")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert encode_choice(request, quirks) == expected
    assert [warning.category for warning in caught] == [UnsupportedParameterWarning] * warns
    if warns:
        assert f"acme does not take \"tool_choice='{choice}'\"" in str(caught[0].message)


def test_several_calls_at_once_are_allowed_where_there_are_tools() -> None:
    request = Request(model="m", messages=[], tools=[ToolSpec(name="add")], parallel_tool_calls=False)
    assert encode_choice(request, Quirks()) == {"parallel_tool_calls": False}
    assert encode_choice(Request(model="m", messages=[], parallel_tool_calls=False), Quirks()) == {}
