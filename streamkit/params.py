"""What a caller writes → a `Request` in terms common to all providers, and the bytes of its body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, Union

import msgspec

from streamkit.errors import ConfigError
from streamkit.messages import Message, MessageLike, as_message
from streamkit.protocols import Request, ToolSpec
from streamkit.protocols.lenient import rejoin
from streamkit.tools import Tool, as_tool

__all__ = ["Messages", "ToolLike", "build_request", "encode_body", "encode_json"]

Messages: TypeAlias = Union[MessageLike, Iterable[MessageLike]]
ToolLike: TypeAlias = Union[Tool, ToolSpec, Mapping[str, Any], Callable[..., Any]]

# The fields of a request that a caller sets by keyword; any other keyword goes into the body as it is.
_FIELDS = {
    field.name: field.type
    for field in msgspec.structs.fields(Request)
    if field.name not in {"messages", "tools", "provider", "extra"}
}


def build_request(
    model: str, messages: Messages, tools: Iterable[ToolLike] | None, params: Mapping[str, Any], *, provider: str = ""
) -> Request:
    """Return the request; `params` are fields of `Request` by name, and others, which go into the body as they are.

    `stop` may be one string. `model` among the params overrides. Raises `ConfigError` for a message or a tool that
    is none, and for a field of another type.
    """
    known = {name: value for name, value in params.items() if name in _FIELDS and value is not None}
    other = {name: value for name, value in params.items() if name not in _FIELDS and name != "extra"}
    if isinstance(known.get("stop"), str):
        known["stop"] = [known["stop"]]
    return Request(
        **{"model": model, **{name: _checked(name, value) for name, value in known.items()}},
        messages=_messages(messages),
        tools=[_tool(item) for item in tools or ()],
        provider=provider,
        extra={**other, **(params.get("extra") or {})},
    )


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
        return msgspec.json.encode(_rejoined(msgspec.to_builtins(value)))


def _checked(name: str, value: Any) -> Any:
    try:
        return msgspec.convert(value, _FIELDS[name])
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name} cannot be {value!r}: {error}") from None


def _messages(given: Messages) -> list[Message]:
    many = [given] if isinstance(given, (Message, Mapping, str)) else list(given)
    found = []
    for number, value in enumerate(many):
        try:
            found.append(as_message(value))
        except (msgspec.ValidationError, TypeError) as error:
            raise ConfigError(f"message {number} is no message: {error}") from None
    if not found:
        raise ConfigError("there are no messages to send")
    return found


def _tool(given: ToolLike) -> ToolSpec | dict[str, Any]:
    if isinstance(given, ToolSpec):
        return given
    return dict(given) if isinstance(given, Mapping) else as_tool(given).spec


def _rejoined(value: Any) -> Any:
    match value:
        case str():
            return rejoin(value)
        case dict():
            return {_rejoined(key): _rejoined(item) for key, item in value.items()}
        case list() | tuple():
            return [_rejoined(item) for item in value]
    return value
