"""Seconds and rates out of stamps."""

from __future__ import annotations

import msgspec
import pytest

from streamkit.timing import STALL_NS, Gaps, Timing

WHOLE = Timing(sent_ns=1_000_000_000, headers_ns=1_100_000_000, first_token_ns=1_500_000_000, end_ns=3_500_000_000)


def test_seconds_count_from_the_sending() -> None:
    assert WHOLE.time_to_first_token_s == 0.5
    assert WHOLE.duration_s == 2.5


def test_the_first_token_is_not_counted_in_the_rate() -> None:
    assert WHOLE.tokens_per_second(101) == 50.0


UNKNOWN: list[tuple[str, Timing, int | None]] = [
    ("without a count", WHOLE, None),
    ("of no tokens", WHOLE, 0),
    ("of one token", WHOLE, 1),
    ("without a first token", Timing(end_ns=5), 10),
    ("without an end", Timing(first_token_ns=5), 10),
    ("of tokens that came all at once", Timing(first_token_ns=5, end_ns=5), 10),
]


@pytest.mark.parametrize(("timing", "tokens"), [case[1:] for case in UNKNOWN], ids=[case[0] for case in UNKNOWN])
def test_there_is_no_rate(timing: Timing, tokens: int | None) -> None:
    assert timing.tokens_per_second(tokens) is None


def test_what_did_not_happen_has_no_duration() -> None:
    assert Timing(sent_ns=1).time_to_first_token_s is None
    assert Timing(sent_ns=1).duration_s is None


def test_the_whole_counts_from_the_first_sending() -> None:
    assert WHOLE.total_s == 2.5
    assert msgspec.structs.replace(WHOLE, first_sent_ns=0).total_s == 3.5
    assert Timing(sent_ns=1, first_sent_ns=0).total_s is None


def test_what_is_not_known_is_absent_from_the_json() -> None:
    assert msgspec.json.encode(Timing(sent_ns=5)) == b'{"sent_ns":5}'
    assert msgspec.json.encode(Gaps([0, 1])) == b'{"counts":[0,1]}'


def test_without_gaps_there_are_no_quantiles() -> None:
    empty = Gaps()
    assert (empty.count, empty.p50_s, empty.p99_s) == (0, None, None)


EVEN = Gaps([0] * 94 + [98, 0, 2], longest_ns=15_000_000)


def test_quantiles_come_from_the_bucket_of_their_rank() -> None:
    assert EVEN.count == 100
    low, high = 2 ** (93 / 4) / 1e9, 2 ** (94 / 4) / 1e9
    assert EVEN.p50_s is not None
    assert EVEN.p90_s is not None
    assert low < EVEN.p50_s < EVEN.p90_s < high
    assert EVEN.p99_s == pytest.approx(2 ** (95.25 / 4) / 1e9)
    assert EVEN.quantile_s(0) == pytest.approx(low, rel=0.01)
    assert EVEN.quantile_s(1) == 0.015  # and none is above the longest


def test_gaps_lie_between_stamps() -> None:
    gaps = Gaps.between([5, 5, 6, 22, 22 + STALL_NS + 1])
    assert gaps == Gaps([1, 1, *[0] * 15, 1, *[0] * 102, 1], STALL_NS + 1, 1, STALL_NS + 1)


def test_gaps_of_two_streams_add_up() -> None:
    other = Gaps([3], longest_ns=STALL_NS + 7, stalls=1, stalled_ns=STALL_NS + 7)
    both = EVEN + other
    assert both == other + EVEN
    assert both.count == 103
    assert (both.longest_ns, both.stalls, both.stalled_ns) == (STALL_NS + 7, 1, STALL_NS + 7)
    assert EVEN + Gaps() == EVEN
