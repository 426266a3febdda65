"""One session open for writing: its lock, its log and its conversation. All of it blocks."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import msgspec
from msgspec import structs

from streamkit.errors import ConfigError, SessionError
from streamkit.messages import Message
from streamkit.sessions.conversation import Conversation
from streamkit.sessions.ids import new_id
from streamkit.sessions.locking import FileLock
from streamkit.sessions.log import Log
from streamkit.sessions.recording import Recordable, as_record
from streamkit.sessions.records import Record, RetractionRecord, UnknownRecord, decode_record, encode_record

__all__ = ["Writer"]


class Writer:
    """Adds records to a session.

    `records` are all, those of its parents first. Any thread may call it, one after the other: a call whose caller
    was cancelled ends what it began. Raises `SessionError` where the disk fails, and then nothing was added.
    """

    _is_open = False

    def __init__(self, name: str, lock: FileLock, log: Log, records: list[Record]) -> None:
        self._one_at_a_time = threading.Lock()
        self.name = name
        self.torn = log.torn
        self.records = records
        self._ids = {record.id for record in records if record.id}
        self._conversation = Conversation(records)
        self._lock = lock
        self._log = log
        self._is_open = True

    def record(self, item: Recordable) -> Record | None:
        """Add what becomes of `item`, and return it; None where nothing does."""
        with self._one_at_a_time:
            record = as_record(item, len(self._conversation.records))
            if record is None:
                return None
            if isinstance(record, RetractionRecord) and record.since and not self._conversation.has(record.since):
                raise ConfigError(f"no message of the session {self.name!r} has the id {record.since!r}")
            return self._append([record])[0]

    def keep(self, history: Sequence[Message], *, edits: bool = False) -> None:
        """Add what makes the conversation the `history`, all at once."""
        with self._one_at_a_time:
            try:
                records = self._conversation.changes(history, edits=edits)
            except (TypeError, ValueError, RecursionError) as error:
                raise self._no_json(error) from None
            if records:
                self._append(records)
            self._conversation.is_now(history)

    def messages(self) -> list[Message]:
        """Return the conversation, in messages of the caller's own."""
        standing = [record.message for record in self._conversation.records]
        return msgspec.json.decode(msgspec.json.encode(standing), type=list[Message])

    def close(self) -> None:
        """Let others write; does nothing the second time."""
        with self._one_at_a_time:
            if self._is_open:
                self._is_open = False
                try:
                    self._log.close()
                finally:
                    self._lock.release()

    def __del__(self) -> None:
        self.close()

    def _append(self, records: Sequence[Record]) -> list[Record]:
        if not self._is_open:
            raise SessionError(f"the session {self.name!r} is closed: open it again", session=self.name)
        if not self._lock.is_held:
            raise SessionError(
                f"the session {self.name!r} was opened by the process that forked this one: it is written there only",
                session=self.name,
            )
        stamped: list[Record] = []
        last = next((record.id for record in reversed(self.records) if record.id), "")
        now_ms = time.time_ns() // 1_000_000
        for record in records:
            if not isinstance(record, UnknownRecord):
                record = structs.replace(record, id=record.id or new_id(last), timestamp=record.timestamp or now_ms)
            if record.id in self._ids:
                raise ConfigError(f"the session {self.name!r} has a record of the id {record.id!r} already")
            stamped.append(record)
            last = record.id or last
        try:
            lines = [encode_record(record) for record in stamped]
            added = [decode_record(line) for line in lines]  # kept is what is written, whoever changes a message
        except (TypeError, ValueError, RecursionError) as error:
            raise self._no_json(error) from None
        try:
            self._log.append(lines)
        except OSError as error:
            raise SessionError(
                f"the session {self.name!r} could not be written: {error}. Nothing was added; try it again",
                session=self.name,
            ) from error
        self.records += added
        self._ids.update(record.id for record in added if record.id)
        for one in added:
            self._conversation.feed(one)
        return added

    def _no_json(self, error: Exception) -> SessionError:
        return SessionError(
            f"the session {self.name!r} keeps plain JSON only, and this is none: {error}. Nothing was added",
            session=self.name,
        )
