"""What the end of a block keeps of its item, beside what the block itself says, to be sent back with it."""

from __future__ import annotations

from typing import Any

from streamkit.protocols.openai_responses.views import listed, text

__all__ = ["item_extra", "thinking_extra"]

# By type of item, the fields that the message says.
_SAID = {
    "message": {"type", "role", "content"},
    "function_call": {"type", "call_id", "name", "arguments"},
    "custom_tool_call": {"type", "call_id", "name", "input"},
    "reasoning": {"type", "encrypted_content", "summary", "content"},
}


def item_extra(raw: dict[str, Any]) -> dict[str, Any] | None:
    """Return what else the item has that is not null, None where that is nothing."""
    said = _SAID.get(text(raw, "type"), set())
    return {name: value for name, value in raw.items() if name not in said and value is not None} or None


def thinking_extra(raw: dict[str, Any], texts: list[str]) -> dict[str, Any] | None:
    """Return what else an item of thinking has, with its parts.

    `texts` are those that went out. Where the parts say the same, each has the length of its text in the text's place.
    """
    extra = item_extra(raw) or {}
    fields = [field for field in ("summary", "content") if raw.get(field) is not None]
    said = [text(part, "text") for field in fields for part in listed(raw, field)]
    same = [each for each in said if each] == texts
    for field in fields:
        extra[field] = [part | {"text": len(text(part, "text"))} if same else part for part in listed(raw, field)]
    return extra or None
