"""How much to think, in Gemini's terms.

https://ai.google.dev/gemini-api/docs/thinking, checked 2026-11-29: models up to 2.5 take a budget in tokens; those
from 3 on take a level, and still a budget in its place, never both.
"""

from __future__ import annotations

from typing import Any

from streamkit.protocols.quirks import Quirks
from streamkit.protocols.thinking import thinking_budget, thinking_level

__all__ = ["DYNAMIC", "MAX_BUDGET", "encode_thinking"]

# The budget by which the model decides itself.
DYNAMIC = -1

# The largest budget that every model takes: 2.5 Flash's.
MAX_BUDGET = 24576

_LEVELS = {
    "off": "MINIMAL",  # the least there is
    "minimal": "MINIMAL",
    "low": "LOW",
    "medium": "MEDIUM",
    "high": "HIGH",
    "xhigh": "XHIGH",
    "max": "XHIGH",
}


def encode_thinking(thinking: str | int | dict[str, Any], quirks: Quirks) -> dict[str, Any]:
    """Return the `thinkingConfig`; a dict is one already.

    A level becomes a budget, at most `MAX_BUDGET`, unless `quirks.adaptive_thinking`; a number of tokens stays as it
    is, `DYNAMIC` included. Thoughts are asked for unless thinking is off. Raises `ConfigError` for an unknown word.
    """
    if isinstance(thinking, dict):
        return thinking
    if isinstance(thinking, int) and not isinstance(thinking, bool) and thinking != 0:
        if thinking != DYNAMIC:
            thinking_level(thinking)  # which takes no other negative number
        return {"includeThoughts": True, "thinkingBudget": thinking}
    level = thinking_level(thinking)
    shown = {"includeThoughts": True} if level != "off" else {}
    if quirks.adaptive_thinking:
        return {**shown, "thinkingLevel": _LEVELS[level]}
    return {**shown, "thinkingBudget": min(thinking_budget(level), MAX_BUDGET)}
