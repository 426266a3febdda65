"""Levels and budgets of thinking."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message, Meta, Origin
from streamkit.parts import FunctionCall, FunctionPart
from streamkit.protocols import Quirks, Request, get_protocol
from streamkit.protocols.thinking import BUDGETS, LEVELS, begun_without_thinking, thinking_budget, thinking_level

CASES: list[tuple[str, str | int, str, int]] = [
    ("off", "off", "off", 0),
    ("a level", "high", "high", BUDGETS["high"]),
    ("false", False, "off", 0),
    ("true", True, "medium", BUDGETS["medium"]),
    ("no tokens", 0, "off", 0),
    ("less than the least", 1, "minimal", 1024),
    ("the least", 1024, "minimal", 1024),
    ("between two levels", 9000, "medium", 9000),
    ("beyond the most", 200_000, "max", 200_000),
]


@pytest.mark.feature("4.1")
@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_thinking_is_a_level_and_a_budget(case: tuple[str, str | int, str, int]) -> None:
    _, thinking, level, budget = case
    assert (thinking_level(thinking), thinking_budget(thinking)) == (level, budget)


@pytest.mark.parametrize("level", LEVELS)
def test_the_budget_of_a_level_is_that_level(level: str) -> None:
    assert thinking_level(thinking_budget(level)) == level


def test_budgets_rise_with_the_level_from_what_anthropic_takes() -> None:
    assert list(BUDGETS.values()) == sorted(BUDGETS.values())
    assert BUDGETS["minimal"] == 1024


@pytest.mark.parametrize("wrong", ["hihg", "", "none", -1])
def test_an_unknown_level_or_less_than_nothing_is_a_config_error(wrong: str | int) -> None:
    with pytest.raises(ConfigError, match="thinking"):
        thinking_level(wrong)
    with pytest.raises(ConfigError, match="thinking"):
        thinking_budget(wrong)


TURNS: list[tuple[str, list[str], bool]] = [
    ("nothing was said", ["user: text"], False),
    ("the last turn has ended", ["user: text", "assistant: text", "user: text"], False),
    ("calls that began with thinking", ["user: text", "assistant: thought call", "user: result"], False),
    ("calls that did not", ["user: text", "assistant: call", "user: result"], True),
    ("thinking that came later", ["user: text", "assistant: text thought call", "user: result"], True),
    (
        "a second round without thinking",
        ["user: text", "assistant: thought call", "user: result", "assistant: call", "user: result"],
        False,
    ),
    (
        "a first round without it",
        ["user: text", "assistant: call", "user: result", "assistant: thought call", "user: result"],
        True,
    ),
    ("a user who says more", ["user: text", "assistant: call", "user: result text"], False),
    (
        "a turn after one without thinking",
        ["user: text", "assistant: call", "user: result", "assistant: text", "user: text"],
        False,
    ),
    ("a system message in between", ["user: text", "assistant: call", "user: result", "system: text"], True),
    ("a beginning of the answer", ["user: text", "assistant: text"], True),
]


@pytest.mark.parametrize(("turns", "expected"), [case[1:] for case in TURNS], ids=[case[0] for case in TURNS])
def test_a_turn_of_tools_that_began_without_thinking_goes_on_without(turns: list[str], expected: bool) -> None:
    parsed: list[dict[str, Any]] = [
        {"role": turn.split(": ")[0], "content": turn.split(": ")[1].split()} for turn in turns
    ]
    assert begun_without_thinking(parsed, "thought".__eq__, "result".__eq__) is expected


CALLED = Message("assistant", ["I look."], tool_calls=[FunctionPart("c", FunctionCall("f"))])
ASKED = [Message("user", "hi"), CALLED, Message("tool", "r", id="c")]
THOUGHT = Message("assistant", [], "hm", CALLED.tool_calls, signature="c2ln", meta=Meta(Origin("anthropic")))


@pytest.mark.parametrize("protocol", ["anthropic", "bedrock-converse"])
@pytest.mark.parametrize("thinking", ["high", 2048, {"type": "enabled", "budget_tokens": 2048}], ids=str)
def test_claude_is_not_asked_to_think_in_a_turn_that_another_model_began(protocol: str, thinking: Any) -> None:
    if protocol == "bedrock-converse" and isinstance(thinking, dict):
        thinking = {"thinking": thinking}
    with pytest.warns(UnsupportedParameterWarning, match="acme does not take 'thinking': its turn, in which tools"):
        late = encode(protocol, ASKED, thinking=thinking)
    assert late == encode(protocol, ASKED)


def test_it_is_in_its_own_turns_where_it_decides_itself_and_where_nothing_is_signed() -> None:
    own = encode("anthropic", [ASKED[0], THOUGHT, ASKED[2]], thinking=2048)
    adaptive = encode("anthropic", ASKED, Quirks(adaptive_thinking=True), thinking="high")
    unsigned = encode("anthropic", ASKED, Quirks(unsigned_thinking=True), thinking=2048)
    assert [body["thinking"]["type"] for body in (own, adaptive, unsigned)] == ["enabled", "adaptive", "enabled"]


def encode(protocol: str, messages: list[Message], quirks: Quirks | None = None, **params: Any) -> dict[str, Any]:
    request = Request(model="m", messages=messages, provider="acme", **params)
    return get_protocol(protocol).encode(request, quirks).body
