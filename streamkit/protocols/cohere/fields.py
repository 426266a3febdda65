"""The fields of an event of Cohere's, from plain data: null anywhere on the way is nothing, another type an error."""

from __future__ import annotations

from typing import Any

from streamkit.errors import ProtocolError
from streamkit.protocols.cohere.views import at
from streamkit.protocols.writer import Kind

__all__ = ["KINDS", "contents_of", "items_of", "kind_of", "list_of", "message_of", "number_of", "object_of", "text_of"]

# The kinds of content that are known, each the name of the field with its text.
KINDS: tuple[Kind, ...] = ("thinking", "text")


def object_of(event: dict[str, Any], field: str) -> dict[str, Any]:
    """What an event adds to a field of the message; null anywhere on the way is nothing."""
    value = at(event, "delta", "message", field)
    if value is not None and not isinstance(value, dict):
        raise ProtocolError(f"`{field}` of an event is no object")
    return value or {}


def items_of(event: dict[str, Any], field: str) -> list[tuple[Any, dict[str, Any]]]:
    """The objects in a field of the message with their numbers: one object, or a list, numbered on from the event's."""
    value = at(event, "delta", "message", field)
    number = number_of(event.get("index"))
    if isinstance(value, list):
        first = number or 0
        return [(first + place, item) for place, item in enumerate(value) if isinstance(item, dict)]
    if value is not None and not isinstance(value, dict):
        raise ProtocolError(f"`{field}` of an event is neither an object nor a list")
    return [] if value is None else [(number, value)]


def message_of(event: dict[str, Any]) -> dict[str, Any]:
    message = at(event, "delta", "message")
    return message if isinstance(message, dict) else {}


def contents_of(value: Any) -> list[Any]:
    """The content of an answer that was not streamed: blocks, or one text."""
    return [{"type": "text", "text": value}] if isinstance(value, str) else list_of(value)


def list_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def number_of(value: Any) -> int | None:
    """The number of a block; a server without numbers has one open at a time."""
    return value if isinstance(value, int) else None


def kind_of(content: dict[str, Any]) -> Kind | None:
    """The kind of a block of content, by its type or by what it holds."""
    named = content.get("type")
    if named is None:
        return "thinking" if content.get("thinking") is not None else "text"
    return next((kind for kind in KINDS if kind == named), None)


def text_of(content: dict[str, Any], field: str) -> str:
    value = content.get(field)
    if value is not None and not isinstance(value, str):
        raise ProtocolError(f"`{field}` of an event is no text")
    return value or ""
