"""A conversation with custom messages → what the model sees of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import msgspec

from streamkit.custom.registry import custom_value, kind_named
from streamkit.errors import ConfigError, HistoryWarning
from streamkit.marks import mark_cached
from streamkit.messages import Message, Meta
from streamkit.parts import Part, as_part

__all__ = ["convert_to_llm", "to_llm"]


def convert_to_llm(messages: list[Message]) -> list[Message]:
    """Return what the model sees of a conversation, in order; the same list where nothing in it is custom.

    A message that is not custom is the same object. A custom one is what the converter of its kind makes of it, nothing
    where that gives None. One whose kind nobody registered, or that is not of its kind, is left out with a
    `HistoryWarning`, one a kind. Raises `ConfigError` where a converter gives what is no message.
    """
    # Every turn of every run comes by here, with all of its history.
    for message in messages:
        if message.meta is not None and message.meta.custom is not None:
            break
    else:
        return messages
    warned: set[str] = set()
    told = (_told(message, warned) for message in messages)
    return [message for message in told if message is not None]


def to_llm(message: Message) -> Message | None:
    """Return what the model sees of one message, None for nothing; see `convert_to_llm`."""
    return _told(message, set())


def _told(message: Message, warned: set[str]) -> Message | None:
    name = message.meta.custom if message.meta is not None else None
    if name is None:
        return message
    fault = f"nobody registered the kind of message {name!r}"
    try:
        value = custom_value(message)
    except ConfigError as error:
        value, fault = None, str(error)
    kind = kind_named(name)
    if value is None or kind is None:
        if name not in warned:
            warned.add(name)
            warnings.warn(f"{fault}: the model does not see it", HistoryWarning, stacklevel=3)
        return None
    told = kind.to_llm(value)
    return None if told is None else _with_mark(_as_message(told, message, name), message)


def _as_message(told: str | Sequence[Part] | Message, message: Message, name: str) -> Message:
    if isinstance(told, Message):
        if told.meta is not None and told.meta.custom is not None:
            raise ConfigError(f"the converter of {name!r} gave a custom message, which no model sees")
        return told
    wrong = f"the converter of {name!r} gave no text, parts, message or None"
    if not isinstance(told, (str, list, tuple)):
        raise ConfigError(f"{wrong}: it is of type {type(told).__name__}")
    timestamp = message.meta.timestamp if message.meta is not None else None
    meta = None if timestamp is None else Meta(timestamp=timestamp)
    try:
        contents = [as_part(part) for part in ([told] if isinstance(told, str) else told)]
    except msgspec.ValidationError as error:
        raise ConfigError(f"{wrong}: {error}") from None
    return Message("user", contents, meta=meta)


def _with_mark(told: Message, message: Message) -> Message:
    """The end of what is to be cached, where `message` is marked as that: a summary is what one would cache."""
    extra = message.blocks[-1].extra if message.blocks else None
    mark = extra.get("cache_control") if extra else None
    can_be = bool(told.contents) and told.role != "assistant"
    return mark_cached(told, mark.get("ttl")) if isinstance(mark, dict) and can_be else told
