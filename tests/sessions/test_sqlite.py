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


def test_a_record_that_is_no_text_is_damage(tmp_path: Path) -> None:
    store = Store(tmp_path, SqliteLog, fsync=False)
    store.open("a").close()
    for value in ["CAST(x'7b22ff227d' AS TEXT)", "x'00'", "7"]:
        with closing(sqlite3.connect(tmp_path / "a.sqlite3", isolation_level=None)) as other:
            other.execute(f"INSERT INTO records (position, record) VALUES (2, {value})")
        with pytest.raises(SessionDamaged, match="record 2 of the session 'a' is of no known form"):
            store.read("a")
        with closing(sqlite3.connect(tmp_path / "a.sqlite3", isolation_level=None)) as other:
            other.execute("DELETE FROM records WHERE position = 2")


def test_what_a_killed_writer_left_beside_is_read_up_to_where_it_is_whole(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "a", fsync=False)
    for number in range(4):
        log.append([b"%d" % number])
    database, wal = ((tmp_path / name).read_bytes() for name in ["a", "a-wal"])  # as a kill leaves them
    log.close()
    seen = set()
    for number, cut in enumerate([*range(0, len(wal), 997), len(wal)]):
        (tmp_path / f"b{number}").write_bytes(database)
        (tmp_path / f"b{number}-wal").write_bytes(wal[:cut])
        log = SqliteLog(tmp_path / f"b{number}", fsync=False)
        assert log.lines == [b"%d" % at for at in range(len(log.lines))]
        log.append([b"more"])
        seen.add(len(log.lines))
        log.close()
    assert seen == {0, 1, 2, 3, 4}


def test_what_was_beside_a_database_that_was_removed_comes_not_back(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "a", fsync=False)
    log.append([b"{}"])
    wal = (tmp_path / "a-wal").read_bytes()
    log.close()
    (tmp_path / "a").unlink()
    (tmp_path / "a-wal").write_bytes(wal)
    log = SqliteLog(tmp_path / "a", fsync=False)
    assert log.lines == []
    log.close()
