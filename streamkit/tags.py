"""The names of structs in JSON."""

from __future__ import annotations

__all__ = ["snake_case"]


def snake_case(name: str) -> str:
    """Return the name of a class as a tag: `text_delta` for `TextDelta`."""
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
