"""JSON Schemas in the words of those who take only some of them."""

from __future__ import annotations

from typing import Any

__all__ = ["push_types"]

_LITERALS = ("const", "enum", "default", "examples")  # what is no schema inside one
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")  # of names to schemas


def push_types(schema: Any) -> Any:
    """Return a JSON Schema where no `type` stands beside an `anyOf`: each of its schemas without one gets it.

    Moonshot refuses the other form, which means the same: https://platform.moonshot.ai/docs, checked 2026-11-30.
    """
    if isinstance(schema, list):
        return [push_types(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {name: _pushed(name, value) for name, value in schema.items()}
    branches = out.get("anyOf")
    if isinstance(branches, list) and "type" in out:
        kind = out.pop("type")
        out["anyOf"] = [{"type": kind, **item} if isinstance(item, dict) else item for item in branches]
    return out


def _pushed(name: str, value: Any) -> Any:
    if name in _MAPS and isinstance(value, dict):
        return {key: push_types(item) for key, item in value.items()}
    return value if name in _LITERALS else push_types(value)
