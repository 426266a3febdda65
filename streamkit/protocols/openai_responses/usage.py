"""The `usage` object of a response → `Usage`; https://platform.openai.com/docs/api-reference/responses/object,
checked 2026-11-29."""

from __future__ import annotations

from typing import Any

from streamkit.protocols.openai_chat.usage import read_usage as read_chat_usage
from streamkit.usage import Usage

__all__ = ["read_usage"]

# The names of Responses, and those of chat completions for the same counts.
_NAMES = {
    "input_tokens": "prompt_tokens",
    "input_tokens_details": "prompt_tokens_details",
    "output_tokens": "completion_tokens",
    "output_tokens_details": "completion_tokens_details",
}


def read_usage(raw: Any) -> Usage | None:
    """Return the counts, None where the object says nothing or has only zeros.

    `input_tokens` includes what was read from and written to a cache, `output_tokens` includes reasoning.
    """
    if not isinstance(raw, dict):
        return None
    return read_chat_usage({_NAMES.get(name, name): value for name, value in raw.items()})
