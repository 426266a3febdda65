"""Sessions for async callers: the disk is waited for in worker threads, on asyncio and trio."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Literal

import anyio
from anyio import to_thread

from streamkit.errors import ConfigError, SessionError
from streamkit.messages import Message
from streamkit.sessions.jsonl import JsonLinesLog
from streamkit.sessions.log import Log
from streamkit.sessions.names import check_name
from streamkit.sessions.recording import Recordable
from streamkit.sessions.records import Record, StartRecord
from streamkit.sessions.sqlite import SqliteLog
from streamkit.sessions.store import Store
from streamkit.sessions.writer import Writer

__all__ = ["Session", "Sessions"]

_LOGS: dict[str, type[Log]] = {"jsonl": JsonLinesLog, "sqlite": SqliteLog}


class Session:
    """One session, open for writing under `async with`; no other process may write to it meanwhile.

    async with Sessions("sessions").open("trip") as session:
        agent = Agent("openai/gpt-5", history=session.messages())
        async for out in agent.run_stream("Where now?"):
            await session.keep(agent.history)

    What `keep` and `record` have returned from is stored, whatever becomes of the process. They raise `SessionError`
    where the disk fails, with nothing added, and may be called again. No cancellation stops them, so that a task that
    is cancelled can still keep what a run has left.
    """

    def __init__(self, name: str, open: Callable[[], Writer]) -> None:
        self.name = name
        self._open = open
        self._writer: Writer | None = None
        self._history: Sequence[Message] | None = None
        self._kept: list[Message] | None = None  # what is stored, if that is the last history

    @property
    def records(self) -> list[Record]:
        """All records, oldest first: those of the parents up to where each was left, then this session's."""
        return list(self._opened().records)

    @property
    def parents(self) -> list[str]:
        """The names of the sessions that this one goes on from, the nearest first."""
        starts = [record for record in self._opened().records if isinstance(record, StartRecord)]
        return [start.parent for start in reversed(starts) if start.parent]

    @property
    def torn(self) -> bytes:
        """What the last writer had begun when it was killed: no record, and kept in a file beside."""
        return self._opened().torn

    def messages(self) -> list[Message]:
        """Return the conversation as it stands, without what was taken back: a history for an agent."""
        return self._opened().messages()

    async def keep(self, history: Sequence[Message]) -> None:
        """Make the stored conversation this history, by records of what is new and of what was taken back.

        To be called with `agent.history` as often as there may be news: without any it costs next to nothing. The
        last list is kept once more when the session is closed, so what a break leaves in it is stored too. A message
        that was edited in place is noticed then at the latest.
        """
        self._opened()
        self._history = history
        now = list(history)
        if now != self._kept:  # of the same messages only that they are the same is looked at
            await self._keep(now)

    async def record(self, item: Recordable) -> Record | None:
        """Store a record, a message, or what an agent yields, and return the record, None where nothing is stored.

        An output, or the event of one, is a message; the end of a run is a summary. Pieces, other events and whatever
        failed are not stored. The messages of an agent are stored by this or by `keep`, not by both. Raises
        `ConfigError` for anything else, and for a retraction of what does not stand.
        """
        writer = self._opened()
        record: Record | None = None
        with anyio.CancelScope(shield=True):
            async with self._turn:
                self._kept = None
                record = await to_thread.run_sync(writer.record, item)
        return record

    async def aclose(self) -> None:
        """Keep the last history once more, and let others write."""
        writer = self._writer
        if writer is None:
            return
        with anyio.CancelScope(shield=True):
            try:
                if self._history is not None:
                    await self._keep(list(self._history), edits=True)
            finally:
                if self._writer is writer:  # nobody else has closed it meanwhile
                    self._writer = None
                try:
                    await to_thread.run_sync(writer.close)
                finally:  # a task that asyncio itself cancels may not have come so far, in spite of the shield
                    writer.close()

    async def __aenter__(self) -> Session:
        if self._writer is not None:
            raise ConfigError(f"the session {self.name!r} is open already")
        opening = _Opening(self._open)
        try:
            self._writer = await to_thread.run_sync(opening.run)
        except BaseException:  # a task that asyncio itself cancels does not wait for the thread
            opening.abandon()
            raise
        self._turn = anyio.Lock()
        self._history = self._kept = None
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"<Session {self.name!r}, {'open' if self._writer else 'closed'}>"

    async def _keep(self, history: list[Message], *, edits: bool = False) -> None:
        writer = self._opened()
        with anyio.CancelScope(shield=True):
            async with self._turn:
                self._kept = None
                await to_thread.run_sync(lambda: writer.keep(history, edits=edits))
                self._kept = history

    def _opened(self) -> Writer:
        if self._writer is None:
            raise SessionError(f"the session {self.name!r} is not open: use it inside `async with`", session=self.name)
        return self._writer


class _Opening:
    """Opens a writer in a thread, and closes it there if nobody waits for it any more."""

    def __init__(self, open: Callable[[], Writer]) -> None:
        self._open = open
        self._lock = threading.Lock()
        self._writer: Writer | None = None
        self._is_abandoned = False

    def run(self) -> Writer:
        writer = self._open()
        with self._lock:
            self._writer = writer
            if self._is_abandoned:
                writer.close()
        return writer

    def abandon(self) -> None:
        with self._lock:
            self._is_abandoned = True
            if self._writer is not None:
                self._writer.close()


class Sessions:
    """The sessions in the folder `root`, which is made where it is missing.

    `store` is how they are kept: `jsonl`, a text file each, or `sqlite`, a database each. With `fsync` whatever was
    stored survives a loss of power; without it that of the process only, and storing is faster.
    """

    def __init__(
        self, root: str | os.PathLike[str], *, store: Literal["jsonl", "sqlite"] = "jsonl", fsync: bool = True
    ) -> None:
        if store not in _LOGS:
            raise ConfigError(f"there is no store {store!r} for sessions: there are {', '.join(_LOGS)}")
        self._store = Store(root, _LOGS[store], fsync=fsync)

    def open(self, name: str, *, create: bool = True) -> Session:
        """Return the session of this name, to be opened by `async with`; a new one unless `create` is false.

        Opening raises `SessionLocked` where another has it, `SessionNotFound` and `SessionDamaged`.
        """
        check_name(name)
        return Session(name, lambda: self._store.open(name, create=create))

    def fork(self, parent: str, name: str, *, at: str | None = None) -> Session:
        """Return a new session that goes on after the record `at` of `parent`, or after its last.

        Opening it makes it, and raises `SessionExists` where there is one of this name. The parent may be in use, and
        may go on; it must stay where it is.
        """
        check_name(parent)
        check_name(name)
        return Session(name, lambda: self._store.fork(parent, name, at))

    async def names(self) -> list[str]:
        """Return the names of all sessions, sorted."""
        return await to_thread.run_sync(self._store.names)

    async def read(self, name: str) -> list[Record]:
        """Return all records of a session, as `Session.records`, also while another process writes to it."""
        return await to_thread.run_sync(self._store.read, name)
