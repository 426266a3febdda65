"""Gemini's token counts → `Usage`.

https://ai.google.dev/api/generate-content#UsageMetadata, checked 2026-11-29: `promptTokenCount` includes what came
from a cache, `candidatesTokenCount` leaves out thoughts, and what server tools put into the prompt is counted apart.
"""

from __future__ import annotations

import math
from typing import Any

from msgspec import structs

from streamkit.protocols.gemini.views import Counts
from streamkit.usage import Usage

__all__ = ["UsageReader"]

# What the total is the sum of.
_ADDED = ("prompt_token_count", "candidates_token_count", "thoughts_token_count", "tool_use_prompt_token_count")


class UsageReader:
    """The counts of the chunks of one response → its usage.

    An object whose counts add up to its total says all that there is, and takes the place of those before; of any
    other, each count takes the place of its own.
    """

    def __init__(self) -> None:
        self.usage = Usage()
        self._counts: dict[str, int] = {}

    def read(self, counts: Counts) -> None:
        """Take in the counts of a chunk; where all are zero or missing they say nothing."""
        given = {name: count for name, value in structs.asdict(counts).items() if (count := _count(value)) is not None}
        if not any(given.values()):
            return
        whole = given.pop("total_token_count", None) == sum(given.get(name, 0) for name in _ADDED)
        self._counts = given if whole else self._counts | given
        self.usage = self.usage.merge(_usage(self._counts))


def _usage(counts: dict[str, int]) -> Usage:
    prompt, tools = counts.get("prompt_token_count"), counts.get("tool_use_prompt_token_count")
    cached = counts.get("cached_content_token_count")
    answer, thoughts = counts.get("candidates_token_count"), counts.get("thoughts_token_count")
    fresh = None if prompt is None and tools is None else max((prompt or 0) - (cached or 0), 0) + (tools or 0)
    output = None if answer is None and thoughts is None else (answer or 0) + (thoughts or 0)
    return Usage(fresh, output, cache_read_tokens=cached, reasoning_tokens=thoughts)


def _count(value: Any) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) < 20:  # how protobuf writes 64-bit integers
        return int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if value >= 0 and (isinstance(value, int) or math.isfinite(value)) else None
