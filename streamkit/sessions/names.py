"""Names of sessions, and that what they name is a file of its own inside the root."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from streamkit.errors import ConfigError, SessionError

__all__ = ["check_name", "check_regular", "create_file", "is_name", "make_root", "open_file"]

# One component of a path on every system, on those too that take no other characters.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # on Windows these are no files

_ALWAYS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
# A conversation is private.
_FILE_MODE = 0o600
_ROOT_MODE = 0o700


def is_name(name: str) -> bool:
    """Whether `name` may name a session."""
    return bool(_NAME.fullmatch(name)) and not _DEVICES.fullmatch(name) and not name.endswith(".")


def check_name(name: str) -> str:
    """Return `name`; raises `ConfigError` where it may not name a session."""
    if not is_name(name):
        raise ConfigError(
            f"{name!r} is no name for a session: it takes up to 128 of the letters a–z, digits, '.', '_' and '-', "
            "and begins with a letter or a digit"
        )
    return name


def make_root(root: str | os.PathLike[str]) -> Path:
    """Return the folder of sessions, made where it is missing; a symlink to it is followed, once and for all."""
    path = Path(root).expanduser().resolve()
    path.mkdir(mode=_ROOT_MODE, parents=True, exist_ok=True)
    return path


def check_regular(path: Path) -> bool:
    """Whether there is a file at `path`; raises `SessionError` where it is a symlink or anything else."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        what = "a symlink, which might lead out of the root" if stat.S_ISLNK(mode) else "no regular file"
        raise SessionError(f"{path} is {what}: it is not opened")
    return True


def open_file(path: Path, flags: int) -> int:
    """Open the file at `path` without following a symlink, and return its descriptor."""
    check_regular(path)
    return os.open(path, flags | _ALWAYS, _FILE_MODE)


def create_file(path: Path) -> None:
    """Make an empty file at `path` if there is none."""
    if not check_regular(path):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | _ALWAYS, _FILE_MODE))
        except FileExistsError:
            check_regular(path)
