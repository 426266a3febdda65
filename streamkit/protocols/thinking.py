"""How much a model should think, as a level or as a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from streamkit.errors import ConfigError

__all__ = ["BUDGETS", "LATE", "LEVELS", "begun_without_thinking", "thinking_budget", "thinking_level"]

# What a level may spend, in tokens. The least is Anthropic's minimum; the most leaves room for an answer within the
# 64,000 tokens of output that its models allow.
BUDGETS = {"off": 0, "minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 32768, "max": 49152}
LEVELS = tuple(BUDGETS)

# Why Claude is not asked to think where `begun_without_thinking`.
LATE = "its turn, in which tools were called, began without thinking; it can think in the next"

# What `True` means.
_DEFAULT = "medium"


def thinking_level(thinking: str | int) -> str:
    """Return the level, for a budget the highest that it covers; raises `ConfigError` for an unknown word.

    `True` is `medium`, `False` and 0 are `off`; any other budget is at least `minimal`.
    """
    if isinstance(thinking, bool):
        return _DEFAULT if thinking else "off"
    if isinstance(thinking, int):
        if thinking < 0:
            raise ConfigError(f"a thinking budget of {thinking} tokens is less than none; 0 turns thinking off")
        spent = max(thinking, BUDGETS["minimal"]) if thinking else 0
        return [level for level, budget in BUDGETS.items() if budget <= spent][-1]
    if thinking not in BUDGETS:
        raise ConfigError(f"unknown thinking level {thinking!r}; known are {', '.join(LEVELS)}, or a number of tokens")
    return thinking


def thinking_budget(thinking: str | int) -> int:
    """Return the budget in tokens, 0 for no thinking; raises `ConfigError` for an unknown word."""
    if isinstance(thinking, bool) or not isinstance(thinking, int):
        return BUDGETS[thinking_level(thinking)]
    return 0 if thinking_level(thinking) == "off" else max(thinking, BUDGETS["minimal"])


def begun_without_thinking(
    turns: Sequence[dict[str, Any]], is_thought: Callable[[dict[str, Any]], bool], is_result: Callable[[Any], bool]
) -> bool:
    """Return whether the turn that is to go on, with the calls and results in it, began without thinking.

    Claude refuses to think by a budget then, as after another model's calls: such a turn must start with a block of
    thinking. Whatever a user says beside results begins another turn.
    https://platform.claude.com/docs/en/build-with-claude/thinking-tool-workflows, checked 2026-11-30.
    """
    begun: dict[str, Any] | None = None  # the first answer since a user spoke
    for turn in turns:
        if turn["role"] == "assistant":
            begun = begun or turn
        elif turn["role"] == "user" and not all(map(is_result, turn["content"])):
            begun = None
    return begun is not None and not is_thought(begun["content"][0])
