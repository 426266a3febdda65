"""The finish reasons of OpenAI's dialect and of all who speak it."""

from __future__ import annotations

from typing import Any

from streamkit.messages import Finish, FinishReason
from streamkit.protocols.lenient import rejoin
from streamkit.protocols.values import compact_json

__all__ = ["filtered", "finish_word", "read_finish"]

# OpenAI's own words first, then those seen at others (checked 2026-11-29): Together, TGI, vLLM, SGLang, Mistral,
# Zhipu, DeepSeek, OpenRouter and gateways that pass on what Anthropic or Gemini say.
_TYPES: dict[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_call",
    "function_call": "tool_call",
    "content_filter": "refusal",
    "end": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "end_turn": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_call",
    "tool_call": "tool_call",
    "sensitive": "refusal",
    "error": "error",
    "network_error": "error",
    "insufficient_system_resource": "error",
    "abort": "aborted",
    "cancelled": "aborted",
}


def finish_word(value: Any) -> str | None:
    """Return the `finish_reason` of a chunk as a string; None where it says nothing yet.

    `""` and `"null"` are null. SGLang's own route has an object with the word as its `type`.
    """
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        value = value["type"]
    if value is None or value == "" or value == "null":
        return None
    return rejoin(value) if isinstance(value, str) else compact_json(value)


def read_finish(
    word: str | None, *, calls: bool = False, refused: bool = False, category: str | None = None
) -> FinishReason:
    """Return the reason for `word`, which is None where the provider never said.

    A stop with calls is a tool call, and one with the text of a refusal a refusal.
    """
    kind = _TYPES.get(word.lower(), "other") if word else "stop"
    if kind == "stop":
        kind = "tool_call" if calls else "refusal" if refused else "stop"
    return FinishReason(kind, word, category=category, synthesized=word is None)


def filtered(results: Any) -> str | None:
    """Return what Azure's content filter objected to, from the `content_filter_results` of a choice."""
    if not isinstance(results, dict):
        return None
    names = (name for name, result in results.items() if isinstance(result, dict) and result.get("filtered") is True)
    return rejoin(", ".join(names)) or None
