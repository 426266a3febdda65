"""How thinking is asked for in Responses, and how it goes back."""

from __future__ import annotations

from typing import Any

from streamkit.blocks import Block, ThinkingPart
from streamkit.protocols.openai_responses.blocks import SEPARATOR
from streamkit.protocols.openai_responses.parts import extras
from streamkit.protocols.parameters import warn_unsupported
from streamkit.protocols.quirks import EFFORTS, Quirks
from streamkit.protocols.request import Request
from streamkit.protocols.thinking import thinking_level

__all__ = ["encode_thinking", "encode_thinking_item"]


def encode_thinking(request: Request, quirks: Quirks) -> dict[str, Any]:
    """Return the body fields for `request.thinking`: an effort, and a summary, without which no thinking is shown.

    A budget becomes the nearest effort; a dict goes through as `reasoning`. The encrypted thinking is asked for, which
    alone can be sent back where nothing is stored. Raises `ConfigError` for an unknown level.
    """
    thinking = request.thinking
    if thinking is None:
        return {}
    encrypted = {"include": ["reasoning.encrypted_content"]}
    if isinstance(thinking, dict):
        return {"reasoning": thinking, **encrypted}
    level = thinking_level(thinking)
    if level == "off":
        if "none" not in quirks.efforts:
            warn_unsupported("thinking='off'", request.provider)
            return {}
        return {"reasoning": {"effort": "none"}}
    at = EFFORTS.index(level)
    effort = min((word for word in quirks.efforts if word != "none"), key=lambda word: abs(EFFORTS.index(word) - at))
    return {"reasoning": {"effort": effort, "summary": "auto"}, **encrypted}


def encode_thinking_item(block: Block, stored: bool) -> dict[str, Any] | None:
    """Return a block of thinking as the item that it came as, each text in the part that it stood in.

    None where it did not come as one, or where the provider could make nothing of it: not `stored`, it needs its
    encrypted form or its text.
    """
    if not isinstance(block.part, ThinkingPart) or not block.extra:
        return None
    item: dict[str, Any] = {"type": "reasoning", "summary": [], **extras(block)}
    at = 0
    for field in ("summary", "content"):
        if not isinstance(item.get(field), list):
            continue
        parts = []
        for part in item[field]:
            size = part.get("text") if isinstance(part, dict) else None
            if isinstance(size, int):  # the length of the text, which the block has
                part = part | {"text": block.part.text[at : at + size]}
                at += size + len(SEPARATOR) if size else 0
            parts.append(part)
        item[field] = parts
    if block.signature:
        item["encrypted_content"] = block.signature
    return item if block.signature or item.get("content") or (stored and item.get("id")) else None
