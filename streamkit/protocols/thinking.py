"""How much a model should think, as a level or as a budget of tokens."""

from __future__ import annotations

from streamkit.errors import ConfigError

__all__ = ["BUDGETS", "LEVELS", "thinking_budget", "thinking_level"]

# What a level may spend, in tokens. The least is Anthropic's minimum; the most leaves room for an answer within the
# 64,000 tokens of output that its models allow.
BUDGETS = {"off": 0, "minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 32768, "max": 49152}
LEVELS = tuple(BUDGETS)

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
