"""The `usage` object of OpenAI's dialects → `Usage`.

Field names read 2026-11-29 from https://platform.openai.com/docs/api-reference/chat/object and from the SDKs and
recordings of DeepSeek, Moonshot, xAI, Mistral, Groq, OpenRouter, Perplexity and LiteLLM.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from streamkit.usage import Usage, UsageCost

__all__ = ["read_usage"]


def read_usage(raw: Any, *, reasoning_outside_output: bool = False) -> Usage | None:
    """Return the counts of a usage object, None where it says nothing or has only zeros.

    `prompt_tokens` includes what was read from and written to a cache; `completion_tokens` includes reasoning,
    except where `reasoning_outside_output` is set and the total shows that it does not (xAI).
    """
    if not isinstance(raw, dict):
        return None
    prompt, output = _count(raw, "prompt_tokens"), _count(raw, "completion_tokens")
    if prompt is None and output is None:
        return None
    prompt_details = _object(raw, "prompt_tokens_details")
    # One count under many names; where a vendor fills two, the other one is a zero.
    read = _most(
        _count(prompt_details, "cached_tokens"),
        _count(raw, "prompt_cache_hit_tokens"),  # DeepSeek
        _count(raw, "cached_tokens"),  # Moonshot, Together
        _count(raw, "cache_read_input_tokens"),  # LiteLLM, in front of Anthropic
    )
    written = _most(
        _count(prompt_details, "cache_write_tokens"),
        _count(prompt_details, "cache_creation_tokens"),  # LiteLLM
        _count(raw, "cache_creation_input_tokens"),  # the same, at the top
    )
    reasoning = _most(
        _count(_object(raw, "completion_tokens_details"), "reasoning_tokens"),
        _count(raw, "reasoning_tokens"),  # GitHub Copilot, Perplexity
    )
    if reasoning_outside_output and reasoning and prompt is not None and output is not None:
        if _count(raw, "total_tokens") == prompt + output + reasoning:
            output += reasoning
    fresh = None if prompt is None else max(prompt - (read or 0) - (written or 0), 0)
    usage = Usage(fresh, output, read, written, reasoning, cost=_cost(raw.get("cost")))
    said = bool(prompt or output or read or written or reasoning)
    return usage if said or (usage.cost and usage.cost.total) else None


def _cost(raw: Any) -> UsageCost | None:
    if isinstance(raw, dict):  # Perplexity
        total = _number(raw.get("total_cost"))
        known = (_number(raw.get("input_tokens_cost")), _number(raw.get("output_tokens_cost")))
        return UsageCost(*known, total=total) if total is not None else None
    total = _number(raw)  # OpenRouter: credits, which are US dollars
    return None if total is None else UsageCost(total=total)


def _object(raw: dict[str, Any], name: str) -> dict[str, Any]:
    value = raw.get(name)
    return value if isinstance(value, dict) else {}


def _count(raw: dict[str, Any], name: str) -> int | None:
    number = _number(raw.get(name))
    return None if number is None or number < 0 else int(number)


def _number(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value) else None


def _most(*counts: int | None) -> int | None:
    return max((count for count in counts if count is not None), default=None)
