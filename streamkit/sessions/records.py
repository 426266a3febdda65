"""Records: what a session keeps, one line each, never changed once it is written.

What an agent failed to do is no record: it is told by the error that it raised, and is never stored.
"""

from __future__ import annotations

from typing import Any, TypeAlias, Union, get_args

import msgspec
from msgspec import Struct

from streamkit.messages import Message
from streamkit.tags import snake_case
from streamkit.usage import Usage

__all__ = [
    "ConversationRecord",
    "ObservationRecord",
    "Record",
    "ReflectionRecord",
    "RetractionRecord",
    "StartRecord",
    "SummaryRecord",
    "UnknownRecord",
    "WorkingMemoryRecord",
    "decode_record",
    "encode_record",
    "is_known",
]

# The form of the records below. A later one is read as far as it is known.
FORMAT = 1


def _tag(name: str) -> str:
    return snake_case(name.removesuffix("Record"))


class _Record(Struct, frozen=True, kw_only=True, tag=_tag, omit_defaults=True):
    """What all records share: an id that sorts by time, and when it was made, in ms since 1970.

    Both are filled in when a record is stored.
    """

    id: str = ""
    timestamp: int = 0


class StartRecord(_Record, frozen=True):
    """The first record of a session; a branch goes on after the record `at` of the session `parent`."""

    format: int = FORMAT
    parent: str = ""
    at: str = ""


class ConversationRecord(_Record, frozen=True):
    """A message of the conversation."""

    message: Message


class RetractionRecord(_Record, frozen=True):
    """The messages from the record `since` on are taken back, up to here.

    With `since` empty nothing that was stored is: what had been shown of an unfinished message is to be dropped.
    """

    reason: str = ""
    since: str = ""


class WorkingMemoryRecord(_Record, frozen=True):
    """What is to be remembered for now: any JSON values; a higher `version` replaces a lower one."""

    facts: list[Any] = []
    version: int = 0


class ObservationRecord(_Record, frozen=True):
    """What was noticed in the conversation: any JSON values, and how many tokens they take."""

    observations: list[Any] = []
    token_count: int = 0


class ReflectionRecord(_Record, frozen=True):
    """What was made of observations: any JSON values, and the tokens before and after."""

    reflections: list[Any] = []
    observation_token_count_before: int = 0
    reflection_token_count_after: int = 0


class SummaryRecord(_Record, frozen=True):
    """A run of the agent is over: how many messages the conversation has, and what the run used."""

    message_count: int = 0
    usage: Usage | None = None


class UnknownRecord(_Record, frozen=True):
    """A record of a kind that this version does not know: `raw` as it stands in the store; it changes nothing."""

    raw: Any


_Known: TypeAlias = Union[
    StartRecord,
    ConversationRecord,
    RetractionRecord,
    WorkingMemoryRecord,
    ObservationRecord,
    ReflectionRecord,
    SummaryRecord,
]
Record: TypeAlias = Union[_Known, UnknownRecord]

_DECODER = msgspec.json.Decoder(_Known)
_TAGS = {kind.__struct_config__.tag for kind in get_args(_Known)}


def is_known(tag: object) -> bool:
    """Whether records of this tag are of a kind that is known here."""
    return tag in _TAGS


def encode_record(record: Record) -> bytes:
    """Return a record as one line of JSON, without its end; raises `TypeError` or `ValueError` where it is none."""
    return msgspec.json.encode(record.raw if isinstance(record, UnknownRecord) else record)


def decode_record(line: bytes) -> Record:
    """Return the record of a line; raises `msgspec.DecodeError` where it is none."""
    try:
        return _DECODER.decode(line)
    except msgspec.ValidationError:
        raw = msgspec.json.decode(line)
        if not isinstance(raw, dict) or not isinstance(raw.get("type"), str) or is_known(raw["type"]):
            raise
        return UnknownRecord(raw, id=str(raw.get("id", "")))
