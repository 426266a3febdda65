"""The fields of a text completion that are read; streamed and whole ones have the same shape.

Facts: https://platform.openai.com/docs/api-reference/completions and recordings of vLLM, llama.cpp, llama-cpp-python
and transformers, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

__all__ = ["Choice", "Completion", "Head", "read_logprobs"]


class Choice(Struct, gc=False):
    """A piece of one of n texts."""

    index: Any = None
    text: str | None = None
    logprobs: Any = None
    finish_reason: Any = None
    error: Any = None


class Completion(Struct, gc=False):
    """One record of the stream."""

    choices: list[Choice | None] | None = None
    usage: Any = None
    error: Any = None


class Head(Struct):
    """What says of which response a record is."""

    id: Any = None
    model: Any = None


def read_logprobs(raw: Any) -> list[Any]:
    """Return log probabilities one entry a token, as those of chat completions; they come as lists side by side."""
    if not isinstance(raw, dict) or not isinstance(raw.get("tokens"), list):
        content = raw.get("content") if isinstance(raw, dict) else None  # llama.cpp: as in chat completions
        return content if isinstance(content, list) else []
    columns = [raw.get(name) for name in ("token_logprobs", "top_logprobs")]
    own, top = (column if isinstance(column, list) else [] for column in columns)
    return [
        {"token": token, "logprob": _at(own, place), "top_logprobs": _top(_at(top, place))}
        for place, token in enumerate(raw["tokens"])
    ]


def _top(raw: Any) -> list[Any]:
    return [{"token": token, "logprob": value} for token, value in raw.items()] if isinstance(raw, dict) else []


def _at(column: list[Any], place: int) -> Any:
    return column[place] if place < len(column) else None
