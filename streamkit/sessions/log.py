"""What a store of one session can do; JSON lines and SQLite do it in two ways."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Protocol

__all__ = ["Log"]


class Log(Protocol):
    """The records of one session, open for writing: lines of JSON that are only ever added to. All of it blocks.

    Made of the path of a file, which it makes where there is none, and of `fsync`: whether what was appended survives
    a loss of power, too. What is found unfinished is put right. Raises `OSError`, or `SessionDamaged` where the file
    has been changed by others.
    """

    suffix: ClassVar[str]
    lines: list[bytes]  # what was there
    torn: bytes  # what had been begun when the last writer ended, and is kept aside

    def __init__(self, path: Path, *, fsync: bool) -> None: ...

    @classmethod
    def read(cls, path: Path) -> list[bytes]:
        """Return the lines of a file, whoever writes to it now."""
        ...

    def append(self, lines: Sequence[bytes]) -> None:
        """Add all of the lines or, where this raises, none."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...
