"""Levels and budgets of thinking."""

from __future__ import annotations

import pytest

from streamkit.errors import ConfigError
from streamkit.protocols.thinking import BUDGETS, LEVELS, thinking_budget, thinking_level

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
