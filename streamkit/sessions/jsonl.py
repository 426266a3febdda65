"""Sessions as JSON lines: a record a line, or several that belong together as one array.

A line is written by one call and ends in a newline, so a process that is killed leaves at most one unfinished line, at
the end. After a loss of power that may be some lines, or zeros. What is no JSON there is torn off and kept in a file
beside; what is no JSON before a good line was not written here, and is an error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import msgspec
from msgspec import Raw

from streamkit.errors import SessionDamaged
from streamkit.sessions.names import check_regular, open_file

__all__ = ["JsonLinesLog"]

_PIECE = 1 << 20


class JsonLinesLog:
    """The records of one session in a file of JSON lines; see `Log`.

    With `fsync` each append is flushed to the disk before it returns (`os.fsync`), and so is the folder when the file
    is made. Without it the operating system writes when it likes: a killed process loses nothing, a machine without
    power the last seconds.
    """

    suffix: ClassVar[str] = ".jsonl"

    def __init__(self, path: Path, *, fsync: bool) -> None:
        is_new = not check_regular(path)
        self._fsync = fsync
        self._file = open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            text = _read_all(self._file)
            self.lines, self._end = _parse(text, path)
            self.torn = text[self._end :]
            self._is_clean = True
            if self.torn:
                _keep_aside(path, self.torn)
                os.ftruncate(self._file, self._end)
            elif text and not text.endswith(b"\n"):  # only that was missing
                self._write(b"\n")
            if fsync and is_new:
                _flush_folder(path.parent)
        except BaseException:  # an interrupt too leaves no open file
            os.close(self._file)
            raise

    @classmethod
    def read(cls, path: Path) -> list[bytes]:
        file = open_file(path, os.O_RDONLY)
        try:
            return _parse(_read_all(file), path)[0]
        finally:
            os.close(file)

    def append(self, lines: Sequence[bytes]) -> None:
        self._write((lines[0] if len(lines) == 1 else b"[" + b",".join(lines) + b"]") + b"\n")

    def close(self) -> None:
        os.close(self._file)

    def _write(self, text: bytes) -> None:
        if not self._is_clean:
            os.ftruncate(self._file, self._end)
        self._is_clean = False
        try:
            _write_all(self._file, text)
            if self._fsync:
                os.fsync(self._file)
        except BaseException:  # on a full disk, say: no reader is to find what was told to be not there
            with suppress(OSError):  # then the next append does it
                os.ftruncate(self._file, self._end)
            raise
        self._end += len(text)
        self._is_clean = True


def _parse(text: bytes, path: Path) -> tuple[list[bytes], int]:
    """The records, and where the last line that is whole ends; raises `SessionDamaged` for a bad line before it."""
    records: list[bytes] = []
    whole, at, number, bad = 0, 0, 0, 0
    while at < len(text):
        newline = text.find(b"\n", at)
        end = len(text) if newline < 0 else newline + 1
        number += 1
        try:
            found = _records(text[at:end])
        except (msgspec.DecodeError, UnicodeDecodeError):
            bad = bad or number
        except RecursionError as error:
            raise SessionDamaged(f"line {number} of {path} is nested too deep to be read", session=path.stem) from error
        else:
            if bad:
                raise SessionDamaged(
                    f"line {bad} of {path} is no record, and others follow: it was not written by this. Mend or "
                    "remove the line, or put back a copy",
                    session=path.stem,
                )
            records += found
            whole = end
        at = end
    return records, whole


def _records(line: bytes) -> list[bytes]:
    line.decode()  # which msgspec leaves to whoever reads the strings
    if line.startswith(b"["):
        return [bytes(item) for item in msgspec.json.decode(line, type=list[Raw])]
    return [bytes(msgspec.json.decode(line, type=Raw))]


def _keep_aside(path: Path, torn: bytes) -> None:
    aside = path.with_name(path.name + ".torn")
    file = open_file(aside, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        _write_all(file, torn + b"\n")
        os.fsync(file)
    finally:
        os.close(file)


def _read_all(file: int) -> bytes:
    pieces = []
    while piece := os.read(file, _PIECE):
        pieces.append(piece)
    return b"".join(pieces)


def _write_all(file: int, text: bytes) -> None:
    rest = memoryview(text)
    while rest:
        rest = rest[os.write(file, rest) :]


def _flush_folder(folder: Path) -> None:
    if os.name == "nt":  # which opens no folders
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
