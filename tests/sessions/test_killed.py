"""Whatever is stored outlives a kill at any moment, and the next process goes on from there."""

from __future__ import annotations

import logging
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import anyio
import pytest

from streamkit import Message, Sessions, TextPart
from streamkit.sessions.records import ConversationRecord
from streamkit.sessions.store import Store
from tests.sessions.conftest import LOGS
from tests.sessions.victim import LENGTH, run_agent, text


@pytest.fixture(scope="module")
def victims() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The pipes to a process that makes writers to be killed; see victim.py."""
    command = [sys.executable, "-W", "error", "-m", "tests.sessions.victim"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdin, process.stdout
        process.stdin.close()
        assert process.wait(10) == 0


def kill_one(order: str, pipes: tuple[IO[bytes], IO[bytes]], chance: random.Random) -> list[str]:
    """Have a victim write, kill it at a random moment, and return what it said before."""
    stdin, stdout = pipes
    stdin.write(f"{order}\n".encode())
    stdin.flush()
    child = int(stdout.readline())
    said: list[str] = []
    for _ in range(chance.randint(0, 3 * LENGTH)):
        said.append(stdout.readline().decode().strip())
        if said[-1] == "done":
            break
    time.sleep(chance.random() * 0.004)
    os.kill(child, signal.SIGKILL)
    while (line := stdout.readline().decode().strip()) != "dead":
        said.append(line)
    return said


def check_kills(
    pipes: tuple[IO[bytes], IO[bytes]], kind: str, job: str, root: Path, *, points: int, turns: int
) -> dict[str, int]:
    """Kill a writer at so many points, check after each that nothing is lost, and return what was seen."""
    chance = random.Random(points)
    store = Store(root, LOGS[kind], fsync=False)
    reference = [Message("user", [TextPart(text(number))]) for number in range(3 * turns)]
    if job == "agent":
        reference = anyio.run(run_agent, Sessions(root / "reference", fsync=False), "a", turns)
        assert len(reference) == turns * LENGTH
    seen = {"points": 0, "torn": 0, "sessions": 1, "unsaid": 0, "messages": 0}
    stored = 0
    while seen["points"] < points:
        name = f"{job}-{seen['sessions']}"
        said = kill_one(f"{kind} {root} {name} {job} {turns}", pipes, chance)
        writer = store.open(name)
        messages = writer.messages()
        writer.close()
        seen["torn"] += bool(writer.torn)
        assert messages == reference[: len(messages)]
        if said and said[-1] == "done":
            assert len(messages) == len(reference) or job == "records"
            seen["sessions"] += 1
            stored = 0
            continue
        seen["points"] += 1
        seen["unsaid"] += bool(said) and len(messages) != int(said[-1])
        seen["messages"] += max(len(messages) - stored, 0)
        if job == "records":
            assert stored <= len(messages)
            assert int(said[-1]) <= len(messages) <= int(said[-1]) + 3 if said else len(messages) <= stored + 3
        else:
            # A victim first takes back the turn that the one before it could not end.
            assert len(messages) >= stored // LENGTH * LENGTH
            assert int(said[-1]) <= len(messages) if said else True
        stored = len(messages)
        if job == "records" and stored > turns:
            seen["sessions"] += 1
            stored = 0
    return seen


@pytest.mark.parametrize(
    ("kind", "job", "points"), [("jsonl", "records", 16), ("sqlite", "records", 16), ("jsonl", "agent", 8)]
)
def test_a_process_that_is_killed_loses_only_what_it_was_writing(
    victims: tuple[IO[bytes], IO[bytes]], kind: str, job: str, points: int, tmp_path: Path
) -> None:
    seen = check_kills(victims, kind, job, tmp_path, points=points, turns=12)
    assert seen["points"] == points
    assert seen["messages"] > points


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "job"), [(kind, job) for kind in LOGS for job in ("records", "agent")])
def test_500_kills_lose_only_what_was_being_written(
    victims: tuple[IO[bytes], IO[bytes]], kind: str, job: str, tmp_path: Path
) -> None:
    seen = check_kills(victims, kind, job, tmp_path, points=500, turns=200)
    logging.getLogger(__name__).info("%s %s: %s", kind, job, seen)  # shown with -o log_cli=1 --log-cli-level=INFO
    assert seen["points"] == 500


def check_every_byte(root: Path, rooms: range) -> None:
    """Have the system kill a writer of JSON lines at each of these bytes, and go on after it."""
    store = Store(root, LOGS["jsonl"], fsync=False)
    history = [Message("user", [TextPart(f"{number} é")]) for number in range(4)]
    seen = set()
    for room in rooms:
        name = f"s{room}"
        child = os.fork()
        if not child:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            writer = store.open(name)
            for count in [1, 3, 4]:
                writer.keep(history[:count])
            os._exit(0)
        _, status = os.waitpid(child, 0)
        writer = store.open(name)
        messages = writer.messages()
        assert messages == history[: len(messages)]
        seen.add((os.WIFSIGNALED(status), len(messages), bool(writer.torn)))
        writer.keep(history)
        writer.close()
        assert [record.message for record in store.read(name) if isinstance(record, ConversationRecord)] == history
    assert {count for killed, count, _ in seen if killed} >= {0, 1, 3}
    assert (False, 4, False) in seen


def test_a_writer_killed_in_the_middle_of_a_line_loses_that_line(tmp_path: Path) -> None:
    check_every_byte(tmp_path, range(5, 800, 29))


@pytest.mark.soak
def test_a_writer_killed_at_every_byte_loses_the_line_being_written(tmp_path: Path) -> None:
    check_every_byte(tmp_path, range(1, 800))
