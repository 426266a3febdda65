from __future__ import annotations

from typing import Any

import pytest

from streamkit.client.retries import Retry, as_retry
from streamkit.errors import (
    AuthenticationError,
    ConfigError,
    ContextOverflow,
    Overloaded,
    ProtocolError,
    QuotaExceeded,
    RateLimited,
    ServerError,
    StreamkitError,
    TransportError,
    TransportTimeout,
    TruncatedStream,
)

ERRORS: list[tuple[StreamkitError, bool]] = [
    (TransportError("no connection"), True),
    (TransportTimeout("silence"), True),
    (TruncatedStream("cut"), True),
    (RateLimited("slow down"), True),
    (Overloaded("busy"), True),
    (ServerError("down"), True),
    (ServerError("down for good", retryable=False), False),
    (QuotaExceeded("no credit"), False),
    (AuthenticationError("no key"), False),
    (ContextOverflow("too long"), False),
    (ProtocolError("garbage"), False),
    (ConfigError("no such model"), False),
]


@pytest.mark.parametrize(("error", "allowed"), ERRORS, ids=[f"{type(e).__name__}: {e}" for e, _ in ERRORS])
def test_what_may_pass_is_tried_again_and_only_that(error: StreamkitError, allowed: bool) -> None:
    assert Retry().allows(error, delivered=False) is allowed
    assert Retry().allows(error, delivered=True) is False
    assert Retry(after_content=True).allows(error, delivered=True) is allowed


@pytest.mark.parametrize(("number", "least", "most"), [(1, 0.25, 0.5), (2, 0.5, 1), (3, 1, 2), (6, 4, 8), (5000, 4, 8)])
def test_each_wait_is_twice_the_one_before_up_to_a_cap(number: int, least: float, most: float) -> None:
    policy = Retry(times=10_000)
    assert policy.wait_s(TransportError("x"), number, 0.0) == least
    assert policy.wait_s(TransportError("x"), number, 1.0) == most


@pytest.mark.parametrize(("asked", "wait"), [(0.0, 0.0), (7.5, 7.5), (120.0, 120.0), (121.0, None)])
def test_what_the_provider_asks_to_wait_is_waited_unless_it_is_too_long(asked: float, wait: float | None) -> None:
    assert Retry().wait_s(RateLimited("x", retry_after_s=asked), 1, 0.5) == wait


@pytest.mark.parametrize("times", [0, 1, 2])
def test_there_are_no_more_retries_than_were_asked_for(times: int) -> None:
    waits = [Retry(times=times).wait_s(Overloaded("x"), number, 0.5) for number in range(1, 4)]
    assert [wait is not None for wait in waits] == [number <= times for number in range(1, 4)]


GIVEN: list[tuple[Any, Retry]] = [
    (None, Retry()),
    (0, Retry(times=0)),
    (5, Retry(times=5)),
    (Retry(cap_s=1), Retry(cap_s=1)),
]


@pytest.mark.parametrize(("given", "policy"), GIVEN)
def test_a_policy_may_be_given_as_a_number(given: Any, policy: Retry) -> None:
    assert as_retry(given) == policy


@pytest.mark.parametrize("given", [True, "3", 1.5, -1])
def test_what_is_no_policy_is_refused(given: Any) -> None:
    with pytest.raises(ConfigError):
        as_retry(given)


@pytest.mark.parametrize("field", ["first_wait_s", "cap_s", "longest_wait_s"])
@pytest.mark.parametrize("value", [-1.0, float("inf"), float("nan")])
def test_a_wait_must_be_a_time(field: str, value: float) -> None:
    with pytest.raises(ConfigError, match="must be 0 or more"):
        Retry(**{field: value})
