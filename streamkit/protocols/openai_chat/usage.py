"""The `usage` object of OpenAI's dialects → `Usage`.

Field names read 2026-11-29 from https://platform.openai.com/docs/api-reference/chat/object and from the SDKs and
recordings of DeepSeek, Moonshot, xAI, Mistral, Groq, OpenRouter, Perplexity and LiteLLM.
"""

from __future__ import annotations

import sys
from typing import Any

from streamkit.usage import Usage, UsageCost

__all__ = ["read_usage"]

# The names of one count, in `prompt_tokens_details` and beside it.
_READ_DETAILS = ("cached_tokens",)
_READ = (
    "prompt_cache_hit_tokens",  # DeepSeek
    "cached_tokens",  # Moonshot, Together
    "cache_read_input_tokens",  # LiteLLM, in front of Anthropic
)
_WRITTEN_DETAILS = ("cache_write_tokens", "cache_creation_tokens")  # OpenAI and OpenRouter; LiteLLM
_WRITTEN = ("cache_creation_input_tokens",)  # LiteLLM
_REASONING = ("reasoning_tokens",)  # in `completion_tokens_details`; beside it at GitHub Copilot


def read_usage(raw: Any, *, reasoning_outside_output: bool = False) -> Usage | None:
    """Return the counts of a usage object, None where it says nothing or has only zeros.

    `prompt_tokens` includes what was read from and written to a cache; `completion_tokens` includes reasoning,
    except where `reasoning_outside_output` is set and the total shows that it does not (xAI; Gemini, which tells it
    only so).
    """
    if not isinstance(raw, dict):
        return None
    prompt, output = _count(raw.get("prompt_tokens")), _count(raw.get("completion_tokens"))
    if prompt is None and output is None:
        return None
    details = raw.get("prompt_tokens_details")
    read = _most(details, _READ_DETAILS, _most(raw, _READ))
    written = _most(details, _WRITTEN_DETAILS, _most(raw, _WRITTEN))
    reasoning = _most(raw.get("completion_tokens_details"), _REASONING, _most(raw, _REASONING))
    if reasoning_outside_output and prompt is not None and output is not None:
        outside = (_count(raw.get("total_tokens")) or 0) - prompt - output
        if outside > 0 and reasoning in (None, outside):
            output, reasoning = output + outside, outside
    cost = _cost(raw["cost"]) if "cost" in raw else None
    if not (prompt or output or read or written or reasoning or (cost and cost.total)):
        return None
    fresh = None if prompt is None else max(prompt - (read or 0) - (written or 0), 0)
    return Usage(fresh, output, read, written, reasoning, cost=cost)


def _cost(raw: Any) -> UsageCost | None:
    if isinstance(raw, dict):  # Perplexity
        total = _dollars(raw.get("total_cost"))
        known = (_dollars(raw.get("input_tokens_cost")), _dollars(raw.get("output_tokens_cost")))
        return UsageCost(*known, total=total) if total is not None else None
    total = _dollars(raw)  # OpenRouter, in credits, which are US dollars
    return None if total is None else UsageCost(total=total)


def _dollars(value: Any) -> float | None:
    number = _number(value)
    return number if number is None or number >= 0 else None


def _most(raw: Any, names: tuple[str, ...], most: int | None = None) -> int | None:
    """The largest of the counts `names` in `raw`, and of `most`: where a vendor fills two, one of them is zero."""
    for name in names:
        if isinstance(raw, dict) and name in raw:
            count = _count(raw[name])
            if count is not None:
                most = count if most is None else max(most, count)
    return most


def _count(value: Any) -> int | None:
    if type(value) is not int:
        number = _number(value)
        value = None if number is None else int(number)
    return value if value is None or value >= 0 else None


def _number(value: Any) -> float | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    return float(value) if abs(value) <= sys.float_info.max else None  # neither infinite nor NaN nor an integer beyond
