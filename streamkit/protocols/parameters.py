"""What the encoders of requests share: parameters left out, names of tools, the schema of an answer."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from msgspec import structs

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.protocols.request import Request, ToolSpec
from streamkit.protocols.schemas import narrowed

__all__ = ["checked_choice", "drop_unsupported", "fit_output_schema", "merge", "warn_of_strict", "warn_unsupported"]


def drop_unsupported(request: Request, names: Iterable[str]) -> Request:
    """Return `request` without these fields, with a warning for each that was set."""
    unwanted = dict.fromkeys(names)
    for name in unwanted:
        value = getattr(request, name)
        if value is not None and (name, value) != ("n", 1):  # one answer is what comes unasked
            warn_unsupported(name, request.provider)
    return structs.replace(request, **unwanted)


def warn_unsupported(name: str, provider: str, why: str = "it was left out") -> None:
    """Warn that `provider` does not take the parameter `name`."""
    what = f"{provider or 'this provider'} does not take {name!r}: {why}"
    warnings.warn(what, UnsupportedParameterWarning, stacklevel=2)


def warn_of_strict(request: Request) -> None:
    """Warn where a tool is to be strict, for a provider that knows no such thing."""
    if any(isinstance(tool, ToolSpec) and tool.strict for tool in request.tools):
        warn_unsupported("strict", request.provider, "the arguments of a call may break their schema")


def fit_output_schema(request: Request) -> dict[str, Any] | None:
    """Return the schema of the answer as Claude takes it (see `narrowed`), None where there is none.

    Warns where they can follow nothing like it.
    """
    if request.output_schema is None:
        return None
    schema = narrowed(request.output_schema)
    if schema is None:
        why = "it is not among the schemas that can be followed; put it in the instruction"
        warn_unsupported("output_schema", request.provider, why)
    return schema


def checked_choice(request: Request) -> dict[str, Any] | None:
    """Return the tool that `tool_choice` names as it was given in OpenAI's form, None where it names none.

    Raises `ConfigError` where it is a word that is no tool of the request, or asks for a call and there are no tools.
    """
    choice = request.tool_choice
    if choice is None or isinstance(choice, dict) or choice in ("auto", "none"):
        return None
    if choice == "required" and request.tools:
        return None
    names = {name: kind for tool in request.tools for kind, name in _named(tool)}
    if choice not in names:
        known = f"it has {', '.join(names)}" if names else "it has none"
        raise ConfigError(
            f"tool_choice {choice!r} must be auto, none, required or the name of one of the request's tools; {known}"
        )
    return {"type": names[choice], names[choice]: {"name": choice}}


def merge(body: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
    """Return `body` with the fields of `extra`; where both have an object, the two are one, `extra` winning."""
    out = dict(body)
    for key, value in extra.items():
        here = out.get(key)
        out[key] = here | value if isinstance(here, dict) and isinstance(value, dict) else value
    return out


def _named(tool: ToolSpec | dict[str, Any]) -> Iterable[tuple[str, str]]:
    """The kind and the name of a tool, in whichever provider's form it is."""
    if isinstance(tool, ToolSpec):
        yield "function", tool.name
    elif isinstance(tool.get("name"), str):
        yield "function", tool["name"]
    else:
        for kind in ("function", "custom"):
            if isinstance(tool.get(kind), dict) and isinstance(tool[kind].get("name"), str):
                yield kind, tool[kind]["name"]
