from __future__ import annotations

import threading
import time
from uuid import UUID

import pytest

from streamkit.sessions.ids import new_id


def test_ids_strictly_increase_within_a_process() -> None:
    ids = [new_id() for _ in range(1000)]
    assert ids == sorted(set(ids))


def test_ids_of_many_threads_differ_and_each_sees_its_own_increase() -> None:
    made: list[list[str]] = [[] for _ in range(4)]

    def make(into: list[str]) -> None:
        into.extend(new_id() for _ in range(500))

    threads = [threading.Thread(target=make, args=[into]) for into in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id for into in made for id in into}) == 2000
    assert all(into == sorted(into) for into in made)


def test_an_id_is_a_uuid_of_version_7_that_tells_when_it_was_made() -> None:
    before = time.time_ns() // 1_000_000
    uuid = UUID(new_id())
    assert (uuid.version, uuid.variant) == (7, "specified in RFC 4122")
    assert abs((uuid.int >> 80) - before) < 60_000


def test_ids_go_on_where_the_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    first = new_id()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    assert first < new_id() < new_id()


def test_an_id_is_greater_than_the_one_of_another_process_that_is_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamkit.sessions.ids._last", 0)
    ahead = str(UUID(int=UUID(new_id()).int + (3_600_000 << 80)))
    assert new_id(ahead) > ahead


@pytest.mark.parametrize("foreign", ["", "msg_1", "123e4567-e89b-42d3-a456-426614174000"])
def test_an_id_of_another_form_is_no_bound(foreign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamkit.sessions.ids._last", 0)
    assert abs((UUID(new_id(foreign)).int >> 80) - time.time_ns() // 1_000_000) < 60_000


@pytest.mark.parametrize("time", ["ffffffff-ffff", "800000000000"[:8] + "-0000"])
def test_an_id_of_a_time_that_no_clock_shows_is_no_bound(time: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamkit.sessions.ids._last", 0)
    foreign = f"{time}-7fff-bfff-ffffffffffff"
    assert new_id(foreign) < new_id(foreign) < foreign


def test_an_id_in_another_spelling_is_no_bound() -> None:
    ahead = UUID(int=UUID(new_id()).int + (3_600_000 << 80))
    assert new_id(f"{{{ahead}}}") < str(ahead)
