from __future__ import annotations

from time import perf_counter_ns

import anyio
import pytest

from streamkit.errors import FirstTokenTimeout, IdleTimeout, TotalTimeout, TransportTimeout
from streamkit.timing import Timeouts
from streamkit.transport.watchdog import Watchdog

S = 1_000_000_000


def watchdog(began_s: float = 0.0, sent_s: float = 0.0, **limits: float) -> Watchdog:
    """A watch over a stream that began so many seconds ago, and whose request was sent so many seconds ago."""
    now = perf_counter_ns()
    watch = Watchdog(Timeouts(**limits), now - int(began_s * S))
    watch.expect(now - int(sent_s * S), "acme at a.test")
    return watch


async def test_a_limit_that_holds_is_no_error() -> None:
    assert watchdog(began_s=1, sent_s=1, first_token_s=2, idle_s=2, total_s=2).check() is None


BROKEN: list[tuple[str, dict[str, float], type[TransportTimeout], str]] = [
    ("first token", {"sent_s": 3, "first_token_s": 2}, FirstTokenTimeout, r"acme at a.test gave no token within 2 s"),
    ("total", {"began_s": 3, "total_s": 2.5}, TotalTimeout, r"longer than 2.5 s for the whole \(total_timeout_s\)"),
    ("both", {"began_s": 3, "sent_s": 3, "first_token_s": 2, "total_s": 2}, TotalTimeout, "total_timeout_s"),
]


@pytest.mark.parametrize(("times", "kind", "words"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
async def test_a_broken_limit_is_named(times: dict[str, float], kind: type[TransportTimeout], words: str) -> None:
    watch = watchdog(**times)
    error = watch.check()
    assert type(error) is kind
    with pytest.raises(kind, match=words):
        raise error
    assert watch.check() is error


async def test_silence_counts_only_while_the_reader_waits() -> None:
    watch = watchdog(idle_s=0.02)
    watch.hold(token=True)
    await anyio.sleep(0.04)
    assert watch.check() is None
    watch.wait()
    assert watch.check() is None
    await anyio.sleep(0.03)
    assert type(watch.check()) is IdleTimeout


async def test_until_the_first_token_silence_has_its_own_limit() -> None:
    watch = watchdog(idle_s=0.001, first_token_s=10)
    watch.hold(token=False)
    watch.wait()
    await anyio.sleep(0.01)
    assert watch.check() is None


@pytest.mark.feature("D: pi#8593")
async def test_what_is_no_news_ends_no_silence_and_the_time_of_the_consumer_is_its_own() -> None:
    watch = watchdog(idle_s=0.1)
    watch.hold(token=True)
    watch.wait()
    await anyio.sleep(0.06)
    watch.hold(token=True, news=False)
    await anyio.sleep(0.1)
    assert watch.check() is None
    watch.wait()
    assert 0 < watch.left_s() < 0.05
    await anyio.sleep(0.06)
    assert type(watch.check()) is IdleTimeout


async def test_the_first_token_waits_while_the_consumer_has_the_head_of_the_message() -> None:
    watch = watchdog(first_token_s=0.1)
    watch.hold(token=False)
    await anyio.sleep(0.15)
    assert watch.check() is None
    watch.wait()
    assert 0 < watch.left_s() <= 0.1


async def test_the_next_request_has_its_own_first_token() -> None:
    watch = watchdog(sent_s=3, first_token_s=2)
    assert watch.check() is not None
    watch.expect(perf_counter_ns(), "acme at a.test")
    assert watch.check() is None
    watch.rest()
    assert watch.left_s() == float("inf")


@pytest.mark.parametrize("limits", [{"first_token_s": 0.05}, {"total_s": 0.05}, {"idle_s": 0.05}], ids=str)
async def test_the_connection_is_closed_when_a_limit_is_broken(limits: dict[str, float]) -> None:
    watch, closed = watchdog(**limits), anyio.Event()

    async def close() -> None:
        closed.set()

    watch.start(close)
    if "idle_s" in limits:
        watch.hold(token=True)
        await anyio.sleep(0.02)
        watch.wait()
    assert not closed.is_set()
    with anyio.fail_after(1):
        await closed.wait()
    assert watch.late is not None
    await watch.stop()


async def test_a_watch_that_is_stopped_closes_nothing() -> None:
    watch = watchdog(total_s=0.02)

    async def close() -> None:
        pytest.fail("closed")

    watch.start(close)
    await watch.stop()
    await watch.stop()
    await anyio.sleep(0.04)
