"""Messages in turns, for vendors that take no two of one side in a row.

Perplexity answers 400 otherwise: after the system messages, those of a user or of tools and those of the assistant must
alternate. https://github.com/perplexityai/api-discussion/issues/265, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any

from streamkit.protocols.openai_chat.parts import text_part

__all__ = ["alternate"]

# What the user says where a conversation begins with the assistant.
_OPENING = "(The conversation begins with the assistant.)"

_GAP = "\n\n"  # between texts that become one


def alternate(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages with the system's first and neighbours of one role as one; a user begins.

    Each result of a tool stays a message of its own.
    """
    system = [message for message in messages if message["role"] in ("system", "developer")]
    out: list[dict[str, Any]] = []
    for message in messages:
        if message in system:
            continue
        if out and message["role"] != "tool" and out[-1]["role"] == message["role"]:
            out[-1] = _joined(out[-1], message)
        else:
            out.append(message)
    if out and out[0]["role"] == "assistant":
        out.insert(0, {"role": "user", "content": _OPENING})
    return [*system, *out]


def _joined(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    out = {**first, **second, "content": _content(first["content"], second["content"])}
    if first.get("name") != second.get("name"):
        out.pop("name", None)
    calls = [*first.get("tool_calls", ()), *second.get("tool_calls", ())]
    return out | ({"tool_calls": calls} if calls else {})


def _content(first: Any, second: Any) -> Any:
    if isinstance(first, list) or isinstance(second, list):
        return [*_parts(first), *_parts(second)]
    return None if first is second is None else _GAP.join(filter(None, (first, second)))


def _parts(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, list):
        return content
    return [text_part(content)] if content else []
