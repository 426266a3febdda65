"""What both kinds of log do."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamkit.errors import SessionError
from streamkit.sessions.log import Log
from streamkit.sessions.records import Record, encode_record
from tests.sessions.conftest import LOGS, records


@pytest.mark.parametrize("kind", LOGS)
@settings(max_examples=6)
@given(batches=st.lists(st.lists(records(), min_size=1, max_size=3), max_size=4), fsync=st.booleans())
def test_lines_are_read_as_they_were_appended(kind: str, batches: list[list[Record]], fsync: bool) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        written: list[bytes] = []
        for batch in batches:
            log = LOGS[kind](path, fsync=fsync)
            assert (log.lines, log.torn) == (written, b"")
            lines = [encode_record(record) for record in batch]
            log.append(lines)
            written += lines
            assert LOGS[kind].read(path) == written  # while it is open
            log.append([b'{"type":"dream"}'])
            written.append(b'{"type":"dream"}')
            log.close()
        log = LOGS[kind](path, fsync=fsync)
        assert log.lines == LOGS[kind].read(path) == written
        log.close()


def test_a_new_log_is_empty_and_its_owners_only(log: type[Log], tmp_path: Path) -> None:
    path = tmp_path / "a"
    opened = log(path, fsync=True)
    assert opened.lines == log.read(path) == []
    opened.append([b"{}"])
    assert {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {
        file.name: 0o600 for file in tmp_path.iterdir()
    }
    opened.close()


def test_reading_makes_no_file(log: type[Log], tmp_path: Path) -> None:
    with pytest.raises(OSError, match="a"):
        log.read(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_a_symlink_is_opened_by_neither_reader_nor_writer(log: type[Log], tmp_path: Path) -> None:
    log(tmp_path / "real", fsync=False).close()
    (tmp_path / "a").symlink_to(tmp_path / "real")
    with pytest.raises(SessionError, match="symlink"):
        log(tmp_path / "a", fsync=False)
    with pytest.raises(SessionError, match="symlink"):
        log.read(tmp_path / "a")


def test_a_log_leaves_no_file_open(log: type[Log], tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else None
    for number in range(3):
        opened = log(tmp_path / f"{number}", fsync=False)
        opened.append([b"{}"])
        log.read(tmp_path / f"{number}")
        opened.close()
    if before is not None:
        assert len(os.listdir("/proc/self/fd")) == before
