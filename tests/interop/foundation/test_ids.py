from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from streamkit.interop.foundation.ids import new_scru128


def value(id: str) -> int:
    return int(id, 36)


@pytest.mark.feature("3.5")
def test_a_thousand_ids_strictly_increase_as_texts_and_as_numbers() -> None:
    ids = [new_scru128() for _ in range(1000)]
    assert all(a < b and value(a) < value(b) for a, b in pairwise(ids))
    assert all(len(id) == 25 and id.isalnum() and id == id.lower() and value(id) < 2**128 for id in ids)


def test_an_id_holds_the_time_in_milliseconds() -> None:
    before = time.time_ns() // 1_000_000
    made = value(new_scru128()) >> 80
    assert before <= made <= time.time_ns() // 1_000_000 + 1


def test_ids_go_on_where_the_clock_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    first = new_scru128()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    assert new_scru128() > first


def test_threads_get_different_ids() -> None:
    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(lambda _: new_scru128(), range(400)))
    assert len(set(ids)) == 400
