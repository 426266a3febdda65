"""What a caller writes → a `Request` in terms common to all providers, and the bytes of its body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeAlias, Union

import msgspec

from streamkit.custom import convert_to_llm
from streamkit.errors import ConfigError
from streamkit.messages import Message, MessageLike, as_message
from streamkit.protocols import Request, ToolSpec
from streamkit.protocols.values import scrub
from streamkit.tools import Tool, as_tool, tool_list

__all__ = ["Messages", "ToolLike", "build_request", "check_names", "encode_body", "encode_json"]

Messages: TypeAlias = Union[MessageLike, Iterable[MessageLike]]
ToolLike: TypeAlias = Union[Tool, ToolSpec, Mapping[str, Any], Callable[..., Any]]

# The fields of a request that a caller sets by keyword; any other keyword goes into the body as it is.
_FIELDS = {
    field.name: field.type
    for field in msgspec.structs.fields(Request)
    if field.name not in {"messages", "tools", "provider", "extra"}
}


# What a body holds that is not asked for by keyword, and what other clients call what is no field of a body.
_SET_OTHERWISE = {
    "stream": "every request asks for a stream; client.send returns its whole message",
    "messages": "they are the first argument",
    "tool": "pass tools, a list",
    "timeout": "Client and Agent take total_timeout_s, idle_timeout_s and others, in seconds",
    "max_retries": "Client and Agent take retry",
    "retries": "Client and Agent take retry",
}
_NEARLY = 0.9  # as difflib counts; fields that vendors have are less like ours than that


def build_request(
    model: str, messages: Messages, tools: Iterable[ToolLike] | None, params: Mapping[str, Any], *, provider: str = ""
) -> Request:
    """Return the request; `params` are fields of `Request` by name, and others, which go into the body as they are.

    Of custom messages it holds what the model sees. `stop` may be one string. `model` among the params overrides.
    Raises `ConfigError` for a message or a tool that is none, for a field of another type, and for a name that is
    nearly a field's: `extra` has no such check.
    """
    known = {name: value for name, value in params.items() if name in _FIELDS and value is not None}
    other = {name: value for name, value in params.items() if name not in _FIELDS and name != "extra"}
    check_names(other)
    if isinstance(known.get("stop"), str):
        known["stop"] = [known["stop"]]
    return Request(
        **{"model": model, **{name: _checked(name, value) for name, value in known.items()}},
        messages=_messages(messages),
        tools=[_tool(item) for item in tool_list(tools)],
        provider=provider,
        extra={**other, **(params.get("extra") or {})},
    )


def check_names(names: Iterable[str], own: Iterable[str] = (), others: Mapping[str, str] = {}) -> None:
    """Raise `ConfigError` for a name that is nearly, but not quite, a field of `Request` or one of `own`.

    `others` are what else such a name is called, with the name that is meant.
    """
    known = (*_FIELDS, *own)
    for name in names:
        if name in _SET_OTHERWISE:
            raise ConfigError(f"{name} is no parameter: {_SET_OTHERWISE[name]}")
        if name in known:
            continue
        meant = others.get(name) or next(iter(get_close_matches(name, known, 1, _NEARLY)), None)
        if meant is not None:
            raise ConfigError(f"there is no parameter {name!r}: did you mean {meant!r}? To send it so, use extra={{…}}")


def encode_body(body: dict[str, Any]) -> bytes:
    """Return `body` as JSON; raises `ConfigError` for what JSON cannot hold."""
    try:
        return encode_json(body)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"the request holds a value that is no JSON: {error}") from None


def encode_json(value: Any) -> bytes:
    """Return `value` as JSON, with U+FFFD for lone surrogates; raises what msgspec does for what JSON cannot hold."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(scrub(msgspec.to_builtins(value)))


def _checked(name: str, value: Any) -> Any:
    try:
        return msgspec.convert(value, _FIELDS[name])
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name} cannot be {value!r}: {error}") from None


def _messages(given: Messages) -> list[Message]:
    if isinstance(given, (Message, Mapping, str)):
        given = [given]
    elif not isinstance(given, Iterable):
        raise ConfigError(f"messages are a text, a message or a list of them, not {type(given).__name__}")
    found = []
    for number, value in enumerate(given):
        try:
            found.append(as_message(value))
        except (msgspec.ValidationError, TypeError) as error:
            raise ConfigError(f"message {number} is no message: {error}") from None
    seen = convert_to_llm(found)
    if not seen:
        raise ConfigError("there are no messages to send")
    return seen


def _tool(given: ToolLike) -> ToolSpec | dict[str, Any]:
    if isinstance(given, ToolSpec):
        return given
    return dict(given) if isinstance(given, Mapping) else as_tool(given).spec
