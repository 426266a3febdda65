"""How thinking is asked for in chat completions: one wish, in the form of each."""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.protocols.parameters import warn_unsupported
from streamkit.protocols.quirks import EFFORTS, Quirks
from streamkit.protocols.request import Request
from streamkit.protocols.thinking import thinking_budget, thinking_level

__all__ = ["encode_thinking"]

# The body field in which each form puts a dict that goes through; None: its items are body fields themselves.
_FIELDS = {
    "reasoning_effort": None,
    "thinking": "thinking",
    "adaptive": "thinking",
    "reasoning": "reasoning",
    "enabled": "reasoning",
    "template": "chat_template_kwargs",
    "enable_thinking": None,
}


def encode_thinking(request: Request, quirks: Quirks) -> dict[str, Any]:
    """Return the body fields for `request.thinking` in the form that `quirks.thinking_form` names.

    A budget becomes the nearest effort where the form has no budgets. Raises `ConfigError` for an unknown level or
    form.
    """
    thinking, form = request.thinking, quirks.thinking_form
    if form not in _FIELDS:
        raise ConfigError(f"unknown thinking_form {form!r}; known are {', '.join(_FIELDS)}")
    if thinking is None:
        return {}
    if isinstance(thinking, dict):
        field = _FIELDS[form]
        return dict(thinking) if field is None else {field: thinking}
    level = thinking_level(thinking)
    effort = _nearest(level, quirks.efforts)
    if form == "reasoning":
        if isinstance(thinking, int) and not isinstance(thinking, bool) and thinking:
            return {"reasoning": {"max_tokens": thinking_budget(thinking)}}
        return {"reasoning": {"effort": effort or "none"}}
    if form == "reasoning_effort":
        if effort is None:
            warn_unsupported("thinking='off'", request.provider)
        return {} if effort is None else {"reasoning_effort": effort}
    on = level != "off"
    if form == "adaptive":
        return {"thinking": {"type": "adaptive" if on else "disabled"}}
    if form == "enable_thinking":
        budget = isinstance(thinking, int) and not isinstance(thinking, bool) and on
        return {"enable_thinking": on, **({"thinking_budget": thinking_budget(thinking)} if budget else {})}
    switch: dict[str, dict[str, Any]] = {
        "thinking": {"thinking": {"type": "enabled" if on else "disabled"}},
        "enabled": {"reasoning": {"enabled": on}},
        "template": {"chat_template_kwargs": {"enable_thinking": on}},
    }
    return switch[form] | ({"reasoning_effort": effort} if on else {})


def _nearest(level: str, efforts: tuple[str, ...]) -> str | None:
    """The word for `level`, else the one nearest to it; None for no thinking where there is no word for that."""
    if level == "off":
        return "none" if "none" in efforts else None
    at = EFFORTS.index(level)
    return min((word for word in efforts if word != "none"), key=lambda word: abs(EFFORTS.index(word) - at))
