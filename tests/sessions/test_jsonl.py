from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from streamkit.errors import SessionDamaged, SessionError
from streamkit.sessions.jsonl import JsonLinesLog

LINES = [b'{"type":"a","text":"\xc3\xa9 \\n"}', b"{}", b'{"type":"b","of":[1,2,{"c":"}"}]}', b"{}", b'{"last":1}']
BATCHES = [LINES[:1], LINES[1:3], LINES[3:4], LINES[4:]]
FILE = b"%s\n[%s,%s]\n%s\n%s\n" % tuple(LINES)


def append_all(path: Path) -> None:
    log = JsonLinesLog(path, fsync=False)
    for batch in BATCHES:
        log.append(batch)
    log.close()


def test_what_belongs_together_is_one_line(tmp_path: Path) -> None:
    append_all(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == FILE


@pytest.mark.parametrize("cut", range(len(FILE)))
def test_a_file_cut_at_any_byte_loses_nothing_but_its_last_line(cut: int, tmp_path: Path) -> None:
    path, aside = tmp_path / "a", tmp_path / "a.torn"
    path.write_bytes(FILE[:cut])
    # A line that only lacks its newline is whole.
    ends, at = [], 0
    for batch, line in zip(BATCHES, FILE.splitlines(), strict=True):
        ends.append((at + len(line), batch))
        at += len(line) + 1
    whole = [line for end, batch in ends if end <= cut for line in batch]
    torn = b"" if any(end in (cut, cut - 1) for end, _ in ends) else FILE[:cut].rpartition(b"\n")[2]
    assert JsonLinesLog.read(path) == whole
    log = JsonLinesLog(path, fsync=False)
    assert (log.lines, log.torn) == (whole, torn)
    log.append([b'{"more":1}'])
    log.append([b"{}", b"{}"])
    log.close()
    again = JsonLinesLog(path, fsync=False)
    assert (again.lines, again.torn) == ([*whole, b'{"more":1}', b"{}", b"{}"], b"")
    again.close()
    assert (aside.read_bytes() if torn else b"\n") == torn + b"\n"
    assert aside.exists() == bool(torn)


@pytest.mark.parametrize("tail", [b"\0" * 20, b"\0\0\n", b'{"a":\n{"b"\n\n', b"\xff\xfe\n", b'{"a":"\xff"}\n'])
def test_what_a_loss_of_power_leaves_at_the_end_is_kept_aside(tail: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(FILE + tail)
    assert JsonLinesLog.read(path) == LINES
    log = JsonLinesLog(path, fsync=True)
    assert (log.lines, log.torn) == (LINES, tail)
    log.close()
    assert path.read_bytes() == FILE
    assert (tmp_path / "a.torn").read_bytes() == tail + b"\n"


def test_what_is_torn_off_later_is_kept_beside_what_was_before(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for tail in [b'{"one', b'{"two']:
        with path.open("ab") as file:
            file.write(tail)
        JsonLinesLog(path, fsync=False).close()
    assert (tmp_path / "a.torn").read_bytes() == b'{"one\n{"two\n'


@pytest.mark.parametrize("bad", [b"{\n", b"\n", b"\0\n", b'{"a":1}{"a":2}\n'])
def test_a_bad_line_before_a_good_one_is_an_error_and_nothing_is_changed(bad: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    text = b"{}\n" + bad + b"{}\n"
    path.write_bytes(text)
    for use in [JsonLinesLog.read, lambda path: JsonLinesLog(path, fsync=False)]:
        with pytest.raises(SessionDamaged, match=r"line 2 of .*a\.jsonl is no record") as caught:
            use(path)
        assert caught.value.session == "a"
    assert path.read_bytes() == text
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]


def test_an_append_that_fails_half_way_adds_nothing_and_the_next_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = JsonLinesLog(tmp_path / "a", fsync=False)
    log.append([b'{"one":1}'])
    write, room = os.write, [5, 0]

    def full(file: int, text: Any) -> int:
        if not (space := room.pop(0)):
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, text[:space])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        log.append([b'{"lost":1}'])
    monkeypatch.undo()
    log.append([b'{"two":2}'])
    assert JsonLinesLog.read(tmp_path / "a") == [b'{"one":1}', b'{"two":2}']
    log.close()


def test_each_append_is_flushed_to_the_disk_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", flushed.append)
    for fsync, count in [(False, 0), (True, 3)]:  # the new file's folder, and two appends
        log = JsonLinesLog(tmp_path / f"{fsync}", fsync=fsync)
        log.append([b"{}"])
        log.append([b"{}"])
        log.close()
        assert len(flushed) == count


def test_the_file_beside_is_no_symlink(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'{"torn')
    (tmp_path / "a.torn").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SessionError, match="symlink"):
        JsonLinesLog(tmp_path / "a", fsync=False)
    assert (tmp_path / "a").read_bytes() == b'{"torn'


def test_an_append_that_fails_is_not_seen_by_readers_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = JsonLinesLog(tmp_path / "a", fsync=True)
    log.append([b"{}"])

    def fail(file: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="Input/output"):
            log.append([b'{"lost":1}'])
    assert JsonLinesLog.read(tmp_path / "a") == [b"{}"]
    log.close()
    again = JsonLinesLog(tmp_path / "a", fsync=False)
    assert (again.lines, again.torn) == ([b"{}"], b"")
    again.close()
