"""The sessions of one root, and the branches that they are. All of it blocks."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import structs

from streamkit.errors import ConfigError, SessionDamaged, SessionError, SessionExists, SessionNotFound
from streamkit.sessions.ids import new_id
from streamkit.sessions.locking import FileLock
from streamkit.sessions.log import Log
from streamkit.sessions.names import check_name, check_regular, is_name, make_root
from streamkit.sessions.records import Record, StartRecord, decode_record, encode_record
from streamkit.sessions.writer import Writer

__all__ = ["Store", "start_of"]


class Store:
    """Opens and reads the sessions in the folder `root`, which is made where it is missing."""

    def __init__(self, root: str | os.PathLike[str], log: type[Log], *, fsync: bool = True) -> None:
        self._root = root
        self._log = log
        self._fsync = fsync
        self._folder: Path | None = None

    def names(self) -> list[str]:
        """Return the names of all sessions, sorted."""
        with _told(""):
            found = self._made_root().glob(f"*{self._log.suffix}")
            files = (path for path in found if path.is_file() and not path.is_symlink())
            return sorted(filter(is_name, (path.name.removesuffix(self._log.suffix) for path in files)))

    def read(self, name: str) -> list[Record]:
        """Return the records of a session, those of its parents first, whoever writes to it now."""
        path = self._path(name)
        with _told(name):
            if not check_regular(path):
                raise self._not_found(name)
            return self._with_parents(name, _records(name, self._log.read(path)))

    def open(self, name: str, *, create: bool = True) -> Writer:
        """Open a session for writing; a new one where there is none, unless `create` is false."""
        return self._open(name, StartRecord() if create else None)

    def fork(self, parent: str, name: str, at: str | None = None) -> Writer:
        """Begin the session `name`, which goes on after the record `at` of `parent`, or after its last."""
        records = self.read(parent)
        ids = [record.id for record in records if record.id]
        if at is None and ids:
            at = ids[-1]
        if at not in ids:
            raise ConfigError(f"no record of the session {parent!r} has the id {at!r}")
        return self._open(name, StartRecord(parent=parent, at=at or ""))

    def _open(self, name: str, start: StartRecord | None) -> Writer:
        path = self._path(name)
        with _told(name):
            if start is None and not check_regular(path):
                raise self._not_found(name)
            lock = FileLock(path.with_name(path.name + ".lock"), name)
            log: Log | None = None
            try:
                log = self._log(path, fsync=self._fsync)
                records = _records(name, log.lines)
                if not records and start is None:  # its maker died before the first line was written
                    raise self._not_found(name)
                if records and start is not None and start.parent:
                    raise SessionExists(f"there is a session {name!r} already: fork to another name", session=name)
                if not records and start is not None:
                    start = structs.replace(start, id=new_id(start.at), timestamp=time.time_ns() // 1_000_000)
                    log.append([encode_record(start)])
                    records = [start]
                return Writer(name, lock, log, self._with_parents(name, records))
            except BaseException:  # an interrupt too leaves neither file nor lock
                if log is not None:
                    log.close()
                lock.release()
                raise

    def _with_parents(self, name: str, own: list[Record]) -> list[Record]:
        """The records of a session after those that it goes on from."""
        line, chain = [name], [own]
        while (start := start_of(chain[-1])) is not None and start.parent:
            parent = start.parent
            if not is_name(parent):
                raise SessionDamaged(f"the session {line[-1]!r} goes on from {parent!r}: that is no name", session=name)
            if parent in line:
                raise SessionDamaged(f"the session {name!r} is its own parent: {' → '.join(line)}", session=name)
            path = self._path(parent)
            if not check_regular(path):
                raise SessionNotFound(
                    f"the session {line[-1]!r} goes on from {parent!r}, which is not there: put it back", session=parent
                )
            line.append(parent)
            chain.append(_records(parent, self._log.read(path)))
        records = chain.pop()
        while chain:
            branch = chain.pop()
            start = start_of(branch)
            at = start.at if start is not None else ""
            end = next((number for number, record in enumerate(records, 1) if record.id == at), None)
            if end is None:
                raise SessionDamaged(
                    f"the session {name!r} goes on from the record {at!r} of {start and start.parent!r}, which has "
                    "none of that id",
                    session=name,
                )
            records = records[:end] + branch
        return records

    def _path(self, name: str) -> Path:
        check_name(name)
        with _told(name):
            return self._made_root() / f"{name}{self._log.suffix}"

    def _made_root(self) -> Path:
        if self._folder is None:
            self._folder = make_root(self._root)
        return self._folder

    def _not_found(self, name: str) -> SessionNotFound:
        return SessionNotFound(f"there is no session {name!r} in {self._folder}", session=name)


def start_of(records: list[Record]) -> StartRecord | None:
    """The record that a session began with, if it is there."""
    first = records[0] if records else None
    return first if isinstance(first, StartRecord) else None


def _records(name: str, lines: list[bytes]) -> list[Record]:
    records = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(decode_record(line))
        except (msgspec.DecodeError, RecursionError) as error:
            raise SessionDamaged(
                f"record {number} of the session {name!r} is of no known form: {error}", session=name
            ) from None
    return records


@contextmanager
def _told(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = f"the session {name!r}" if name else "the folder of sessions"
        raise SessionError(f"{what} could not be read or made: {error}", session=name) from error
