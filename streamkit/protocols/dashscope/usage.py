"""The `usage` of DashScope's records → `Usage`.

Each record has the counts so far. With n > 1 each has those of its own choice: the input is common, the output not.
Facts: the `dashscope` package 2.0.2 and recordings, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.protocols.openai_chat.usage import read_usage
from streamkit.usage import Usage

__all__ = ["UsageReader"]


class UsageReader:
    """The counts of a response, put together from those of its choices."""

    def __init__(self) -> None:
        self.usage = Usage()
        self._by_choice: dict[int, Usage] = {}

    def read(self, raw: Any, choice: int | None) -> None:
        """Take in the counts of a record with one choice, or with None those of the response."""
        counts = _read(raw)
        if counts is None:
            return
        if choice is None:
            self._by_choice.clear()
        key = choice or 0
        self._by_choice[key] = self._by_choice.get(key, Usage()).merge(counts)
        if len(self._by_choice) == 1:
            self.usage = self._by_choice[key]
            return
        common = self.usage.merge(counts)
        of = self._by_choice.values()
        self.usage = Usage(
            common.input_tokens,
            sum(counts.output_tokens or 0 for counts in of),
            common.cache_read_tokens,
            common.cache_write_tokens,
            None if common.reasoning_tokens is None else sum(counts.reasoning_tokens or 0 for counts in of),
        )


def _read(raw: Any) -> Usage | None:
    if not isinstance(raw, dict):
        return None
    models = raw.get("models")
    if isinstance(models, list):  # an application's: those of each model that it asked
        counts = [found for model in models if (found := _read(model)) is not None]
        return sum(counts[1:], counts[0]) if counts else None
    details = raw.get("prompt_tokens_details")
    written = details.get("cache_creation_input_tokens") if isinstance(details, dict) else None
    named = {
        "prompt_tokens": raw.get("input_tokens"),
        "completion_tokens": raw.get("output_tokens"),
        "prompt_tokens_details": details,
        "completion_tokens_details": raw.get("output_tokens_details"),
        "cache_creation_input_tokens": written,
    }
    return read_usage({name: value for name, value in named.items() if value is not None})
