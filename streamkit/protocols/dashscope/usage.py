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
    """The counts of a response, put together from those of its choices when they are asked for."""

    def __init__(self) -> None:
        self._raw: dict[int, Any] = {}  # the last of each choice
        self._known: dict[int, Usage] = {}  # what has been read of each

    def take(self, raw: Any, choice: int) -> None:
        """Take in the counts of a record with one choice."""
        if raw:
            self._raw[choice] = raw

    def take_all(self, raw: Any) -> None:
        """Take in the counts of a response."""
        if _read(raw) is not None:
            self._raw, self._known = {0: raw}, {}

    @property
    def usage(self) -> Usage:
        """All counts so far."""
        for choice, raw in self._raw.items():
            counts = _read(raw)
            if counts is not None:
                self._known[choice] = self._known.get(choice, Usage()).merge(counts)
        self._raw.clear()
        common = Usage()
        for counts in self._known.values():
            common = common.merge(counts)
        if len(self._known) < 2:
            return common
        of = self._known.values()
        return Usage(
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
