"""The lock of a session: one writer at a time, of all processes.

The operating system keeps the lock on an open file and drops it with the process, however that ends; so there is none
of the dead to be broken. What stands in the file only names the holder to others.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from weakref import WeakSet

import msgspec
from msgspec import Struct

from streamkit.errors import SessionLocked
from streamkit.sessions.names import open_file

__all__ = ["FileLock", "Holder"]

# How much of the file is read, in bytes: more than a holder takes.
_MOST = 4096


_held: WeakSet[FileLock] = WeakSet()


class Holder(Struct, frozen=True):
    """The process that has a session open for writing."""

    pid: int
    host: str


class FileLock:
    """An exclusive lock between processes, and between two holders in one.

    Made, it is held; raises `SessionLocked`, which names the holder, where another has it. The file stays, since two
    processes could else lock two files of one name.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._file = open_file(path, os.O_RDWR | os.O_CREAT)
        self.is_held = True  # until it is released, and in the process that made it only
        try:
            if not _lock(self._file):
                holder = _read(self._file)
                who = f"process {holder.pid} on {holder.host}" if holder else "another process"
                raise SessionLocked(
                    f"the session {name!r} is open for writing in {who}: close it there, or fork the session here",
                    session=name,
                    pid=holder.pid if holder else None,
                    host=holder.host if holder else None,
                )
            text = msgspec.json.encode(Holder(os.getpid(), socket.gethostname()))
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, text)
        except BaseException:  # an interrupt too leaves no lock
            os.close(self._file)
            raise
        _held.add(self)

    def release(self) -> None:
        """Let others have it; does nothing the second time."""
        if self.is_held:
            self.is_held = False
            _held.discard(self)
            os.close(self._file)


def _read(file: int) -> Holder | None:
    """The holder, None while it is still writing its name."""
    os.lseek(file, 0, os.SEEK_SET)
    try:
        return msgspec.json.decode(os.read(file, _MOST), type=Holder)
    except msgspec.DecodeError:
        return None


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> bool:
        os.lseek(file, _MOST, os.SEEK_SET)  # a byte beyond the text, which others may then read
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _let_go() -> None:
        """In a process that was forked off: it would else hold the locks of its parent longer than that."""
        for lock in list(_held):
            lock.release()

    os.register_at_fork(after_in_child=_let_go)

    def _lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
