from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from streamkit.errors import SessionDamaged, SessionError
from streamkit.sessions.sqlite import SqliteLog
from streamkit.sessions.store import Store

BATCHES = [[b'{"one":1}'], [b'{"two":2}', b'{"three":3}'], [b'{"four":"%s"}' % (b"4" * 5000)], [b"{}"]]
PREFIXES = [[line for batch in BATCHES[:count] for line in batch] for count in range(len(BATCHES) + 1)]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database as a killed process leaves it: all appends are in the write-ahead log alone."""
    folder = tmp_path_factory.mktemp("killed")
    log = SqliteLog(folder / "live", fsync=False)
    for batch in BATCHES:
        log.append(batch)
    for suffix in ("", "-wal"):
        shutil.copy(folder / f"live{suffix}", folder / f"a{suffix}")
    log.close()
    return folder / "a"


def test_a_log_cut_anywhere_holds_the_appends_before(killed: Path, tmp_path: Path) -> None:
    path, wal = tmp_path / "a", tmp_path / "a-wal"
    text = killed.with_name("a-wal").read_bytes()
    counts = set()
    for cut in [*range(0, len(text), 1499), len(text) - 1, len(text)]:
        shutil.copy(killed, path)
        wal.write_bytes(text[:cut])
        log = SqliteLog(path, fsync=False)
        assert log.lines in PREFIXES
        counts.add(len(log.lines))
        log.append([b'{"more":1}'])
        log.close()
        assert SqliteLog.read(path) == [*log.lines, b'{"more":1}']
    assert counts == {len(lines) for lines in PREFIXES}


def test_a_database_that_others_have_changed_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    path.write_bytes(b"This is no database, though it is long enough to have a head." * 100)
    with pytest.raises(SessionDamaged, match="no whole database") as caught:
        SqliteLog(path, fsync=False)
    assert caught.value.session == "a"
    with pytest.raises(SessionDamaged, match="no whole database"):
        SqliteLog.read(path)


def test_a_database_that_was_cut_is_never_taken_for_another(tmp_path: Path) -> None:
    store = Store(tmp_path, SqliteLog, fsync=False)
    writer = store.open("a")
    for text in ["one", "two", "4" * 5000, "last"]:
        writer.record(text)
    writer.close()
    path, records = tmp_path / "a.sqlite3", store.read("a")
    text = path.read_bytes()
    refused = 0
    for cut in [1, 50, 99, 100, 4095, 4096, 8191, 8192, len(text) - 1]:
        path.write_bytes(text[:cut])
        try:
            assert store.read("a") == records[: len(store.read("a"))]
        except SessionError:
            refused += 1
    assert refused


def test_others_who_hold_the_database_are_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamkit.sessions.sqlite.BUSY_S", 0.01)
    log = SqliteLog(tmp_path / "a", fsync=False)
    with closing(sqlite3.connect(tmp_path / "a", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OSError, match="locked"):
            log.append([b"{}"])
    log.append([b'{"again":1}'])
    assert SqliteLog.read(tmp_path / "a") == [b'{"again":1}']
    log.close()


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_the_files_beside_are_no_symlinks(suffix: str, tmp_path: Path) -> None:
    (tmp_path / f"a{suffix}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SessionError, match="symlink"):
        SqliteLog(tmp_path / "a", fsync=False)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(("fsync", "level"), [(True, 2), (False, 1)])  # FULL and NORMAL
def test_each_append_is_flushed_to_the_disk_where_that_is_asked_for(fsync: bool, level: int, tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "a", fsync=fsync)
    assert log._database.execute("PRAGMA synchronous").fetchone() == (level,)
    assert log._database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    log.close()
