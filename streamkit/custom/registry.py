"""Kinds of custom messages: what an application keeps in a conversation beside what is said in it.

A custom message is a user message with one value, the JSON form of a struct, and `Meta.custom`, the name of its kind.
So it is kept, loaded and copied like any other, also where nothing knows the kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar, Union

import msgspec
from msgspec import Struct

from streamkit.errors import ConfigError
from streamkit.messages import Message, Meta
from streamkit.parts import Part, ValuePart
from streamkit.protocols.values import compact_json
from streamkit.tags import snake_case

__all__ = ["Kind", "Told", "custom_message", "custom_value", "kind_named", "register_message"]

# What a converter gives: text, parts, a whole message, or None for what the model does not see.
Told: TypeAlias = Union[str, Sequence[Part], Message, None]
S = TypeVar("S", bound=Struct)


class Kind(NamedTuple):
    """A kind of message: its struct, and what makes of one what the model sees."""

    struct: type[Struct]
    to_llm: Callable[[Any], Told]


_KINDS: dict[str, Kind] = {}


def register_message(kind: type[S], to_llm: Callable[[S], Told]) -> None:
    """Make `kind` a kind of custom message, and `to_llm` what the model sees of one.

    `to_llm` returns a text, a list of parts, a whole message, or None where the model is to see nothing. The kind is
    named by the tag of the struct or, where it has none, by its class name in snake case; histories hold that name.
    Registered once more, a kind gets another converter: so may those that come with streamkit. Raises `ConfigError`
    for what is no struct, and where another kind has the name.
    """
    if not (isinstance(kind, type) and issubclass(kind, Struct)):
        raise ConfigError(f"a kind of message is a msgspec.Struct, not {kind!r}")
    name = _name(kind)
    known = _KINDS.get(name)
    if known is not None and _path(known.struct) != _path(kind):
        raise ConfigError(
            f"{_path(kind)} cannot be the kind of message {name!r}, which {_path(known.struct)} is: give it a tag"
        )
    _KINDS[name] = Kind(kind, to_llm)


def custom_message(value: Struct) -> Message:
    """Return `value` as a message of a conversation; a field `timestamp` (ms since 1970) becomes the message's too.

    Raises `ConfigError` where its kind is not registered, and for what JSON cannot hold.
    """
    kind = type(value)
    name = _name(kind)
    known = _KINDS.get(name)
    if known is None or known.struct is not kind:
        raise ConfigError(f"{kind.__name__} is no kind of message: register_message({kind.__name__}, …) makes it one")
    try:
        plain = msgspec.json.decode(compact_json(msgspec.to_builtins(value, str_keys=True)))
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"a message of kind {name!r} holds a value that is no JSON: {error}") from None
    timestamp = getattr(value, "timestamp", None)
    meta = Meta(timestamp=timestamp if isinstance(timestamp, int) else None, custom=name)
    return Message("user", [ValuePart(plain)], meta=meta)


def custom_value(message: Message) -> Struct | None:
    """Return what a custom message holds; None where it is none, or nobody registered its kind.

    Raises `ConfigError` where what it holds is not of its kind.
    """
    name = message.meta.custom if message.meta else None
    kind = None if name is None else _KINDS.get(name)
    if kind is None:
        return None
    if len(message.contents) != 1 or not isinstance(part := message.contents[0], ValuePart):
        raise ConfigError(f"a message of kind {name!r} has one part, a value")
    try:
        found: Struct = msgspec.convert(part.value, kind.struct, str_keys=True)
    except msgspec.ValidationError as error:
        raise ConfigError(f"a message is not of its kind {name!r}: {error}") from None
    return found


def kind_named(name: str) -> Kind | None:
    """Return the kind of this name, None where nobody registered it."""
    return _KINDS.get(name)


def _name(kind: type[Struct]) -> str:
    tag = kind.__struct_config__.tag
    return snake_case(kind.__name__) if tag is None else str(tag)


def _path(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
