"""Plain data of whichever shape a server sent, read as what it should be."""

from __future__ import annotations

from typing import Any

__all__ = ["dicts_of", "has_text", "list_of"]


def list_of(value: Any) -> list[Any]:
    """Return a list, empty where `value` is none."""
    return value if isinstance(value, list) else []


def dicts_of(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, none where `value` is no list."""
    return [item for item in list_of(value) if isinstance(item, dict)]


def has_text(value: dict[str, Any], name: str) -> bool:
    """Return whether there is a text under `name` that is not empty."""
    return bool(value.get(name)) and isinstance(value[name], str)
