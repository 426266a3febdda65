"""Tools that the provider ran itself, in chunks of chat completions."""

from __future__ import annotations

from typing import Any, Literal

from streamkit.parts import RawPart, ServerToolPart

__all__ = ["read_step", "read_tool"]


def read_tool(raw: Any) -> ServerToolPart | RawPart:
    """Return an item of Groq's `executed_tools`: first the call, then the same once more with its output."""
    if not isinstance(raw, dict):
        return RawPart(raw)
    phase: Literal["call", "result"] = "result" if raw.get("output") is not None else "call"
    return ServerToolPart(phase, str(raw.get("index", 0)), str(raw.get("type", "")), raw)


def read_step(raw: dict[str, Any]) -> ServerToolPart | None:
    """Return an item of Perplexity's `reasoning_steps` as what the tool of its type gave, None where it is a thought.

    https://docs.perplexity.ai/docs/sonar/pro-search/stream-mode and the types of its SDK, checked 2026-11-30.
    """
    name = raw.get("type")
    if not isinstance(name, str) or not isinstance(raw.get(name), dict):
        return None
    return ServerToolPart("result", "", name, raw)
