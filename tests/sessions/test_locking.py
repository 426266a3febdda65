from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from streamkit.errors import SessionError, SessionLocked
from streamkit.sessions.locking import FileLock

HOLD = """
import sys
from pathlib import Path
from streamkit.sessions.locking import FileLock
lock = FileLock(Path(sys.argv[1]), "trip")
print("held", flush=True)
sys.stdin.read()
"""


def test_another_process_is_told_who_holds_it_and_takes_over_from_the_dead(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(SessionLocked, match=f"'trip' is open for writing in process {holder.pid} on ") as caught:
            FileLock(path, "trip")
        assert (caught.value.pid, caught.value.host) == (holder.pid, socket.gethostname())
        assert (caught.value.session, caught.value.retryable) == ("trip", True)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    lock = FileLock(path, "trip")
    assert f'"pid":{os.getpid()}' in path.read_text()
    lock.release()


def test_two_holders_in_one_process_exclude_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    lock = FileLock(path, "trip")
    with pytest.raises(SessionLocked, match=f"process {os.getpid()}"):
        FileLock(path, "trip")
    lock.release()
    FileLock(path, "trip").release()


def test_a_holder_that_has_not_said_its_name_yet_is_another_process(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    lock = FileLock(path, "trip")
    path.write_text("")
    with pytest.raises(SessionLocked, match="in another process") as caught:
        FileLock(path, "trip")
    assert (caught.value.pid, caught.value.host) == (None, None)
    lock.release()


def test_what_a_dead_holder_wrote_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    path.write_text('{"pid":1,"host":"a name that is longer than ours, and then some"}')
    FileLock(path, "trip").release()
    assert "longer" not in path.read_text()


def test_a_symlink_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "a.lock").symlink_to(tmp_path / "b")
    with pytest.raises(SessionError, match="symlink"):
        FileLock(tmp_path / "a.lock", "trip")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_that_was_forked_off_keeps_no_lock_of_its_parent(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "a.lock", "trip")
    ready, done = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        os.write(ready[1], b"held" if lock.is_held else b"free")
        lock.release()  # of a descriptor that may be another file's by now
        os.read(done[0], 1)
        os._exit(0)
    try:
        assert os.read(ready[0], 4) == b"free"
        with pytest.raises(SessionLocked):
            FileLock(tmp_path / "a.lock", "trip")
        lock.release()
        FileLock(tmp_path / "a.lock", "trip").release()  # while the child goes on
    finally:
        os.write(done[1], b".")
        assert os.waitpid(child, 0)[1] == 0
        for end in (*ready, *done):
            os.close(end)


def test_the_number_of_a_dead_holder_may_be_that_of_a_living_process(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    path.write_text(f'{{"pid":{os.getppid()},"host":"{socket.gethostname()}"}}')
    FileLock(path, "trip").release()
