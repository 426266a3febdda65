"""Each way in which a provider asks to wait."""

from datetime import UTC, datetime

import pytest

from streamkit.protocols.failures.reader import read_failure
from streamkit.protocols.failures.retry_after import duration_s

NOW = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)
SOON = "Sun, 29 Nov 2026 12:00:30 GMT"

# name, headers, body, expected
CASES = [
    ("whole seconds", {"retry-after": "7"}, "", 7.0),
    ("a fraction", {"Retry-After": "1.5"}, "", 1.5),
    ("now", {"retry-after": "0"}, "", 0.0),
    ("with a unit", {"retry-after": "1m30s"}, "", 90.0),
    ("negative with a unit", {"retry-after": "-30s"}, "", None),
    ("an old form of a date", {"retry-after": "Sunday, 29-Nov-26 12:00:30 GMT"}, "", 30.0),
    ("a date to come", {"retry-after": SOON}, "", 30.0),
    ("a date gone by", {"retry-after": "Sun, 29 Nov 2026 11:59:00 GMT"}, "", None),
    ("negative", {"retry-after": "-1"}, "", None),
    ("no number", {"retry-after": "abc"}, "", None),
    ("not a number", {"retry-after": "nan"}, "", None),
    ("infinite", {"retry-after": "inf"}, "", None),
    ("huge", {"retry-after": "1000000000"}, "", None),
    ("milliseconds first", {"retry-after-ms": "250", "retry-after": "9"}, "", 0.25),
    ("broken milliseconds", {"retry-after-ms": "soon", "retry-after": "9"}, "", 9.0),
    ("nothing", {}, "{}", None),
    ("gemini", {}, {"error": {"details": [{"@type": "RetryInfo", "retryDelay": "34.07s"}]}}, 34.07),
    ("gemini's text", {}, {"error": {"message": "Please retry in 34.07s."}}, 34.07),
    ("openai's text", {}, {"error": {"message": "Please try again in 7.66s. Visit x."}}, 7.66),
    ("openai's milliseconds", {}, {"error": {"message": "Please try again in 17ms."}}, 0.017),
    ("groq's minutes", {}, {"error": {"message": "Please try again in 2m59.56s."}}, 179.56),
    ("hours", {}, {"error": {"message": "try again in 1h2m3s"}}, 3723.0),
    ("azure's text", {}, {"error": {"message": "Please retry after 26 seconds."}}, 26.0),
    ("hugging face", {}, {"error": "Model is loading", "estimated_time": 20.5}, 20.5),
    ("a header before the body", {"retry-after": "3"}, {"error": {"message": "try again in 9s"}}, 3.0),
    ("a broken header before the body", {"retry-after": "-3"}, {"error": {"message": "try again in 9s"}}, 9.0),
    ("other words", {}, {"error": {"message": "try again in 5 models"}}, None),
]


@pytest.mark.parametrize(("headers", "body", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_delay_is_read(headers, body, expected):
    error = read_failure(body, provider="p", status=429, headers=headers, now=NOW)
    assert error.retry_after_s == pytest.approx(expected)


def test_a_date_is_measured_from_the_servers_own_clock_without_another():
    headers = {"retry-after": SOON, "date": "Sun, 29 Nov 2026 12:00:10 GMT"}
    assert read_failure("", provider="p", status=429, headers=headers).retry_after_s == 20.0
    assert read_failure("", provider="p", status=429, headers={"retry-after": SOON}).retry_after_s is None
    later = NOW.replace(tzinfo=None)
    assert read_failure("", provider="p", status=429, headers={"retry-after": SOON}, now=later).retry_after_s == 30.0


DURATIONS = [
    (20, 20.0),
    (1.5, 1.5),
    ("1s", 1.0),
    ("6m0s", 360.0),
    ("17ms", 0.017),
    ("6 minutes", 360.0),
    ("1 day", 86_400.0),
    ("12", 12.0),
    ("soon", None),
    ("5s or so", None),
    ("1" * 101, None),
    (None, None),
    (True, None),
    ([], None),
]


@pytest.mark.parametrize(("value", "expected"), DURATIONS, ids=[repr(case[0]) for case in DURATIONS])
def test_a_duration_is_read(value, expected):
    assert duration_s(value) == pytest.approx(expected)
