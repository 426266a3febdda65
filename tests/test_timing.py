"""Seconds and rates out of stamps."""

from __future__ import annotations

import pytest

from streamkit.timing import Timing

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
