"""Gemini's finish reasons, and why a prompt was blocked.

https://ai.google.dev/api/generate-content#FinishReason and its counterpart in Vertex AI, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.messages import Finish, FinishReason
from streamkit.protocols.lenient import rejoin
from streamkit.protocols.values import compact_json

__all__ = ["blocked_reason", "filtered", "finish_word", "read_finish"]

_TYPES: dict[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
    "SAFETY": "refusal",
    "RECITATION": "refusal",
    "LANGUAGE": "refusal",
    "BLOCKLIST": "refusal",
    "PROHIBITED_CONTENT": "refusal",
    "SPII": "refusal",
    "MODEL_ARMOR": "refusal",
    "ESCALATION": "refusal",
    "PUP_LIMITED_DISABLED": "refusal",
    "IMAGE_SAFETY": "refusal",
    "IMAGE_PROHIBITED_CONTENT": "refusal",
    "IMAGE_RECITATION": "refusal",
    "MALFORMED_FUNCTION_CALL": "error",
    "UNEXPECTED_TOOL_CALL": "error",
    "TOO_MANY_TOOL_CALLS": "error",
    "MISSING_THOUGHT_SIGNATURE": "error",
    "MALFORMED_RESPONSE": "error",
    # The numbers of the first words, from servers that write enumerations so; Vertex AI and the Gemini API number the
    # others differently.
    "1": "stop",
    "2": "length",
    "3": "refusal",
    "4": "refusal",
}


def finish_word(value: Any) -> str | None:
    """Return the `finishReason` of a chunk as a string, None where it says nothing."""
    if value is None or value == "" or value == 0:
        return None
    return rejoin(value) if isinstance(value, str) else compact_json(value)


def read_finish(word: str | None, *, calls: bool, message: Any = None, category: str | None = None) -> FinishReason:
    """Return the reason for `word`, None where the provider never said; there is no word for a stop with calls."""
    kind = _TYPES.get(word, "other") if word else "stop"
    if kind == "stop" and calls:
        kind = "tool_call"
    return FinishReason(kind, word, _text(message), category, synthesized=word is None)


def blocked_reason(feedback: Any) -> FinishReason | None:
    """Return why there is no answer, from the `promptFeedback`; None where the prompt was not blocked."""
    word = finish_word(feedback.get("blockReason")) if isinstance(feedback, dict) else None
    if word is None:
        return None
    category = filtered(feedback.get("safetyRatings"))
    return FinishReason("refusal", word, _text(feedback.get("blockReasonMessage")), category)


def filtered(ratings: Any) -> str | None:
    """Return the categories for which something was blocked, from the `safetyRatings`."""
    items = ratings if isinstance(ratings, list) else []
    blocked = [item for item in items if isinstance(item, dict) and item.get("blocked") is True]
    return rejoin(", ".join(str(item.get("category")) for item in blocked)) or None


def _text(value: Any) -> str | None:
    return rejoin(value) or None if isinstance(value, str) else None
