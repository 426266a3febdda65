"""Sessions as SQLite databases, one a session: a record a row, whatever belongs together in one transaction.

SQLite itself puts right what a killed process left (its write-ahead log). The database is only ever opened by SQLite:
closing a file descriptor of our own would drop its locks, https://www.sqlite.org/howtocorrupt.html, checked 2026-11-30.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import ClassVar

from streamkit.errors import SessionDamaged
from streamkit.sessions.names import check_regular, create_file

__all__ = ["SqliteLog"]

_SCHEMA = "CREATE TABLE IF NOT EXISTS records (position INTEGER PRIMARY KEY, record TEXT NOT NULL)"
_ALL = "SELECT CAST(record AS BLOB) FROM records ORDER BY position"
_ADD = "INSERT INTO records (record) VALUES (?)"
# The files that SQLite makes beside a database.
_BESIDE = ("-wal", "-shm", "-journal")
# How long a reader may hold up the writer, or the writer a reader, in s.
BUSY_S = 5.0


class SqliteLog:
    """The records of one session in a database; see `Log`.

    With `fsync` each append is flushed to the disk before it returns (`synchronous=FULL`). Without it (`NORMAL`) a
    killed process loses nothing and the database stays whole, but a machine without power loses the last appends.
    """

    suffix: ClassVar[str] = ".sqlite3"

    def __init__(self, path: Path, *, fsync: bool) -> None:
        create_file(path)
        self._path = path
        self.torn = b""
        self._database = _connect(path)
        try:
            with _told(path):
                self._database.execute("PRAGMA journal_mode=WAL")
                self._database.execute(f"PRAGMA synchronous={'FULL' if fsync else 'NORMAL'}")
                self._database.execute(_SCHEMA)
                self.lines = _rows(self._database)
        except BaseException:  # an interrupt too leaves no open database
            self._database.close()
            raise

    @classmethod
    def read(cls, path: Path) -> list[bytes]:
        with _told(path), closing(_connect(path)) as database:
            database.execute("PRAGMA query_only=1")
            if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'records'").fetchone() is None:
                return []  # it is being made
            return _rows(database)

    def append(self, lines: Sequence[bytes]) -> None:
        with _told(self._path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._database.executemany(_ADD, [(line.decode(),) for line in lines])
                self._database.execute("COMMIT")
            except BaseException:  # an interrupt too leaves no open transaction
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def close(self) -> None:
        with _told(self._path):
            self._database.close()


def _connect(path: Path) -> sqlite3.Connection:
    for suffix in ("", *_BESIDE):
        check_regular(path.with_name(path.name + suffix))
    with _told(path):
        return sqlite3.connect(
            path.as_uri() + "?mode=rw", uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )


def _rows(database: sqlite3.Connection) -> list[bytes]:
    return [record for (record,) in database.execute(_ALL)]


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Raise what is wrong with the file as `SessionDamaged`, and what is wrong with the machine as `OSError`."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise OSError(f"{path}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise SessionDamaged(f"{path} is no whole database: {error}. Put back a copy", session=path.stem) from error
