"""How thinking is asked for, in each form."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.protocols import Quirks, Request
from streamkit.protocols.openai_chat.thinking import encode_thinking

LOW_TO_HIGH = ("none", "low", "medium", "high")


def encode(thinking: Any, form: str, **quirks: Any) -> dict[str, Any]:
    request = Request(model="m", messages=[], thinking=thinking, provider="acme")
    return encode_thinking(request, Quirks(thinking_form=form, **quirks))


CASES: list[tuple[str, str, Any, dict[str, Any]]] = [
    ("nothing asked", "reasoning_effort", None, {}),
    ("effort", "reasoning_effort", "high", {"reasoning_effort": "high"}),
    ("effort off", "reasoning_effort", "off", {"reasoning_effort": "none"}),
    ("effort from a budget", "reasoning_effort", 9000, {"reasoning_effort": "medium"}),
    ("effort, no tokens", "reasoning_effort", 0, {"reasoning_effort": "none"}),
    ("effort, own fields", "reasoning_effort", {"reasoning_format": "parsed"}, {"reasoning_format": "parsed"}),
    ("thinking", "thinking", "low", {"thinking": {"type": "enabled"}, "reasoning_effort": "low"}),
    ("thinking off", "thinking", "off", {"thinking": {"type": "disabled"}}),
    ("thinking, own", "thinking", {"type": "adaptive"}, {"thinking": {"type": "adaptive"}}),
    ("reasoning", "reasoning", "high", {"reasoning": {"effort": "high"}}),
    ("reasoning with a budget", "reasoning", 4000, {"reasoning": {"max_tokens": 4000}}),
    ("reasoning with the least budget", "reasoning", 1, {"reasoning": {"max_tokens": 1024}}),
    ("reasoning off", "reasoning", "off", {"reasoning": {"effort": "none"}}),
    ("reasoning, no tokens", "reasoning", 0, {"reasoning": {"effort": "none"}}),
    ("reasoning on", "reasoning", True, {"reasoning": {"effort": "medium"}}),
    ("reasoning, own", "reasoning", {"exclude": True}, {"reasoning": {"exclude": True}}),
    ("adaptive", "adaptive", "high", {"thinking": {"type": "adaptive"}}),
    ("adaptive, off", "adaptive", "off", {"thinking": {"type": "disabled"}}),
    ("adaptive, own", "adaptive", {"type": "enabled"}, {"thinking": {"type": "enabled"}}),
    ("enable_thinking", "enable_thinking", "high", {"enable_thinking": True}),
    ("enable_thinking, a budget", "enable_thinking", 4000, {"enable_thinking": True, "thinking_budget": 4000}),
    ("enable_thinking, on", "enable_thinking", True, {"enable_thinking": True}),
    ("enable_thinking, off", "enable_thinking", "off", {"enable_thinking": False}),
    ("enable_thinking, no tokens", "enable_thinking", 0, {"enable_thinking": False}),
    ("enable_thinking, own", "enable_thinking", {"enable_thinking": True}, {"enable_thinking": True}),
    ("enabled", "enabled", "low", {"reasoning": {"enabled": True}, "reasoning_effort": "low"}),
    ("enabled, off", "enabled", "off", {"reasoning": {"enabled": False}}),
    ("enabled, own", "enabled", {"enabled": True}, {"reasoning": {"enabled": True}}),
    ("template", "template", "low", {"chat_template_kwargs": {"enable_thinking": True}, "reasoning_effort": "low"}),
    ("template off", "template", "off", {"chat_template_kwargs": {"enable_thinking": False}}),
    ("template, own", "template", {"thinking": True}, {"chat_template_kwargs": {"thinking": True}}),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_each_form_says_the_wish_in_its_way(case: tuple[str, str, Any, dict[str, Any]]) -> None:
    _, form, thinking, expected = case
    assert encode(thinking, form) == expected


NEAREST = [
    ("minimal", "low"),
    ("low", "low"),
    ("medium", "medium"),
    ("xhigh", "high"),
    ("max", "high"),
    ("off", "none"),
]


@pytest.mark.parametrize("case", NEAREST, ids=[case[0] for case in NEAREST])
def test_an_effort_that_the_vendor_does_not_know_becomes_the_nearest(case: tuple[str, str]) -> None:
    assert encode(case[0], "reasoning_effort", efforts=LOW_TO_HIGH) == {"reasoning_effort": case[1]}


def test_off_is_left_out_with_a_warning_where_there_is_no_word_for_it() -> None:
    with pytest.warns(UnsupportedParameterWarning, match="acme does not take \"thinking='off'\""):
        assert encode("off", "reasoning_effort", efforts=("low", "high")) == {}


def test_an_unknown_form_or_level_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="unknown thinking_form 'effort'"):
        encode("low", "effort")
    with pytest.raises(ConfigError, match="unknown thinking level 'hihg'"):
        encode("hihg", "reasoning_effort")
