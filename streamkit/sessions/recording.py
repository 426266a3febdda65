"""What becomes a record of all that an agent yields."""

from __future__ import annotations

from typing import TypeAlias, Union, get_args

import msgspec

from streamkit.deltas import MessageDeltaOutput
from streamkit.errors import ConfigError
from streamkit.events import Done, Event, MessageAdded, OutputEnd
from streamkit.messages import MessageLike, MessageOutput, as_message
from streamkit.sessions.records import (
    ConversationRecord,
    Record,
    StartRecord,
    SummaryRecord,
    UnknownRecord,
    is_known,
)

__all__ = ["Recordable", "as_record"]

Recordable: TypeAlias = Union[Record, MessageLike, MessageOutput, MessageDeltaOutput, Event]

_RECORDS: tuple[type, ...] = get_args(Record)
_EVENTS: tuple[type, ...] = get_args(Event)


def as_record(item: Recordable, message_count: int) -> Record | None:
    """Return the record of `item`, None where nothing of it is kept.

    A message, an output, the end of one and what was added are a message of the conversation; the end of a run is its
    summary, with the number of messages so far. Pieces, the story of a turn, whatever failed, and what a sub-agent says
    are not kept. Raises `ConfigError` for what is none of these.
    """
    if isinstance(item, StartRecord):
        raise ConfigError("a session writes its own start: it is no record to be added")
    if isinstance(item, UnknownRecord):
        raw = item.raw
        if not isinstance(raw, dict) or not isinstance(raw.get("type"), str) or is_known(raw["type"]):
            raise ConfigError("an unknown record is an object whose `type` is no kind of record that is known here")
        return item
    if isinstance(item, _RECORDS):
        return item  # type: ignore[return-value] # mypy does not read the tuple as a union
    if isinstance(item, OutputEnd):
        item = item.output
    if isinstance(item, MessageOutput):
        return None if item.depth else ConversationRecord(item.message)
    if isinstance(item, MessageAdded):
        return ConversationRecord(item.message)
    if isinstance(item, Done):
        return SummaryRecord(message_count, item.summary.usage)
    if isinstance(item, (MessageDeltaOutput, *_EVENTS)):
        return None
    try:
        return ConversationRecord(as_message(item))  # type: ignore[arg-type] # what it is no message of is told below
    except (msgspec.ValidationError, TypeError) as error:
        raise ConfigError(f"this is no record and no message: {error}") from None
