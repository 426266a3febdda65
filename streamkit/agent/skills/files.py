"""Files below a folder, read without ever leaving it.

Paths come from a model, and files from whoever wrote them, perhaps while they are read. So each component of a path is
opened by itself, below the one before and without following a symlink, where the system can do that; elsewhere each is
looked at before, and what was opened is compared with what was seen.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

__all__ = ["Components", "Kind", "Unreadable", "list_entries", "list_files", "read_file", "split_path"]

Components: TypeAlias = tuple[str, ...]
Kind: TypeAlias = Literal["file", "folder", "link", "other"]

MAX_DEPTH = 8  # folders below the root, in a listing

_PIECE = 1 << 20
_OPENS_BELOW = os.open in os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_NOFOLLOW")
_ALWAYS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
# A named pipe without a writer must not block.
_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _ALWAYS
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _ALWAYS
_IS_LINK = {errno.ELOOP, errno.EMLINK, errno.ENOTDIR}  # what systems say of a symlink that must not be followed

_ELSEWHERE = re.compile(r"[\\:]")  # on Windows what sets apart folders, a drive, and a stream inside a file
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # on Windows these are no files


class Unreadable(Exception):
    """A path names no file that may be read; the words tell nothing of what is outside the folder."""


def split_path(path: str) -> Components:
    """Return the components of a relative path with `/`; raises `Unreadable` for any other, on every system alike."""
    if path.startswith("/") or _ELSEWHERE.search(path):
        raise Unreadable("a path is relative, and its folders are set apart by /")
    parts = tuple(part for part in path.split("/") if part != ".")
    if ".." in parts:
        raise Unreadable("a path cannot go up by ..")
    if not parts or not all(_is_plain(part) for part in parts):
        raise Unreadable("this is no path of a file")
    return parts


def read_file(root: Path, parts: Components, max_bytes: int, *, whole: bool = True) -> bytes:
    """Return the file at `parts` below `root`, which is a folder and no symlink.

    Without `whole` only its first `max_bytes` are read. Raises `Unreadable` for a symlink, for what is no regular file
    and, with `whole`, for a larger one, and `OSError` where there is none or it cannot be read.
    """
    with _links_refused():
        file = _open_below(root, parts, _FILE) if _OPENS_BELOW else _open_seen(root, parts)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise Unreadable("it is no regular file")
        pieces, left = [], max_bytes + 1
        while left and (piece := os.read(file, min(left, _PIECE))):
            pieces.append(piece)
            left -= len(piece)
    finally:
        os.close(file)
    if whole and not left:
        raise Unreadable(f"it has more than the {max_bytes} bytes that are read")
    return b"".join(pieces)[:max_bytes]


def list_files(root: Path, parts: Components = ()) -> Iterator[str]:
    """Yield the paths of the files below a folder, relative to it: those in it by name, then those of each folder.

    Left out are symlinks, hidden files, what `split_path` refuses, and what is too deep. Raises as `read_file` does.
    """
    folders = []
    for name, kind in list_entries(root, parts):
        if name.startswith(".") or _ELSEWHERE.search(name) or not _is_plain(name):
            continue
        if kind == "folder":
            folders.append(name)
        elif kind == "file":
            yield name
    if len(parts) < MAX_DEPTH:
        for name in folders:
            for path in list_files(root, (*parts, name)):
                yield f"{name}/{path}"


def list_entries(root: Path, parts: Components = ()) -> list[tuple[str, Kind]]:
    """Return what a folder holds, by name; raises as `read_file` does."""
    with _links_refused():
        if not _OPENS_BELOW:
            _look_at(root, parts)
            return _scan(root.joinpath(*parts))
        folder = _open_below(root, parts, _FOLDER)
        try:
            return _scan(folder)
        finally:
            os.close(folder)


def _is_plain(part: str) -> bool:
    """Whether a component means the same file on every system, and can be shown."""
    return bool(part) and part.isprintable() and not part.endswith((".", " ")) and not _DEVICES.fullmatch(part)


def _scan(folder: int | Path) -> list[tuple[str, Kind]]:
    with os.scandir(folder) as entries:
        return sorted((entry.name, _kind(entry)) for entry in entries)


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


@contextmanager
def _links_refused() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _IS_LINK:
            raise
        raise Unreadable("it is, or leads through, a symlink or what is no folder") from None


def _open_below(root: Path, parts: Components, flags: int) -> int:
    opened = os.open(root, _FOLDER)
    for number, part in enumerate(parts, 1):
        above = opened
        try:
            opened = os.open(part, flags if number == len(parts) else _FOLDER, dir_fd=above)
        finally:
            os.close(above)
    return opened


def _open_seen(root: Path, parts: Components) -> int:
    seen = _look_at(root, parts)
    opened = os.open(root.joinpath(*parts), _FILE)
    if not os.path.samestat(seen, os.fstat(opened)):
        os.close(opened)
        raise Unreadable("it was replaced while it was opened")
    return opened


def _look_at(root: Path, parts: Components) -> os.stat_result:
    """What is at the path; raises `Unreadable` where a component of it is a symlink, or a junction on Windows."""
    path = root
    status = path.lstat()
    for part in ("", *parts):
        path = path / part
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode) or getattr(status, "st_file_attributes", 0) & stat.FILE_ATTRIBUTE_REPARSE_POINT:
            raise Unreadable("it is, or leads through, a symlink")
    return status
