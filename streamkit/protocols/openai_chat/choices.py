"""Which tool may be called, in chat completions."""

from __future__ import annotations

from typing import Any

from streamkit.protocols.parameters import checked_choice, warn_unsupported
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import Request

__all__ = ["encode_choice"]


def encode_choice(request: Request, quirks: Quirks) -> dict[str, Any] | None:
    """Return the body fields that say which tool may be called, and whether several at once.

    Both are left out where there are no tools, as a provider refuses them then. A choice that the vendor does not take
    is left out with a warning; `auto` needs none, since it is what comes unasked, and for `none` the answer is None:
    the tools themselves stay behind. Raises `ConfigError` for a choice that is no tool of the request.
    """
    out: dict[str, Any] = {}
    choice = request.tool_choice
    named = checked_choice(request)
    if isinstance(choice, dict):
        out["tool_choice"] = choice
    elif named is not None:
        if _takes("named", request, quirks):
            out["tool_choice"] = named
    elif choice is not None and request.tools:
        if choice == "none" and choice not in quirks.tool_choices:
            return None
        if _takes(choice, request, quirks):
            out[quirks.choice_field] = quirks.required_word if choice == "required" else choice
    if request.parallel_tool_calls is not None and request.tools:
        out["parallel_tool_calls"] = request.parallel_tool_calls
    return out


def _takes(choice: str, request: Request, quirks: Quirks) -> bool:
    if choice in quirks.tool_choices:
        return True
    if choice != "auto":
        warn_unsupported(f"tool_choice={request.tool_choice!r}", request.provider)
    return False
