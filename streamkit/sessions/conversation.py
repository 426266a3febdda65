"""The conversation that records make up, and what has to be recorded so that it becomes another."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Iterable, Sequence
from itertools import takewhile

import msgspec

from streamkit.messages import Message
from streamkit.sessions.records import ConversationRecord, Record, RetractionRecord

__all__ = ["Conversation"]

REASON = "the history was changed"


class Conversation:
    """The messages that stand, by their records: those that were added and not taken back."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.records: list[ConversationRecord] = []
        self._digests: list[bytes] = []
        self._given: list[Message] = []  # the very messages of the history that this was last compared with
        for record in records:
            self.feed(record)

    def feed(self, record: Record) -> None:
        """Take in the next record; one that is no message and takes none back changes nothing."""
        if isinstance(record, ConversationRecord):
            self.records.append(record)
            self._digests.append(_digest(record.message))
        elif isinstance(record, RetractionRecord) and (at := self._position(record.since)) is not None:
            del self.records[at:], self._digests[at:], self._given[at:]

    def has(self, id: str) -> bool:
        """Whether the message of this record stands."""
        return self._position(id) is not None

    def changes(self, history: Sequence[Message], *, edits: bool = False) -> list[Record]:
        """Return the records that make this conversation the `history`, none where it is.

        What differs is taken back, with all that follows it, and added anew. A message that was edited in place since
        the last time is only found with `edits`.
        """
        same = 0
        if not edits:  # the very messages of last time are passed over, which costs no encoding
            same = sum(takewhile(bool, map(operator.is_, self._given, history)))
        while same < min(len(history), len(self._digests)) and _digest(history[same]) == self._digests[same]:
            same += 1
        records: list[Record] = [ConversationRecord(message) for message in history[same:]]
        if same < len(self.records):
            records.insert(0, RetractionRecord(REASON, self.records[same].id))
        return records

    def is_now(self, history: Sequence[Message]) -> None:
        """Say that this conversation is the `history`, so that comparing them again costs little."""
        self._given = list(history)

    def _position(self, id: str) -> int | None:
        """Where the message of this record stands: looked for from the end, near which it mostly is."""
        found = (at for at in range(len(self.records) - 1, -1, -1) if self.records[at].id == id)
        return next(found, None)


def _digest(message: Message) -> bytes:
    return hashlib.blake2b(msgspec.json.encode(message), digest_size=16).digest()
