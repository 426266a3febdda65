"""How long a provider asks to wait: two headers, and half a dozen ways to say it in the body."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["MAX_DELAY_S", "duration_s", "read_delay"]

# A longer wait is a broken header, or as good as a refusal.
MAX_DELAY_S = 86_400.0

_LONGEST = 100  # characters of a duration; the search for its steps is quadratic in them

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_STEP = r"(\d+(?:\.\d+)?)\s*(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d)(?![a-z])"
_STEPS = re.compile(_STEP, re.IGNORECASE)
# "Please try again in 7.66s" (OpenAI and Groq, also "2m59.56s", "17ms"), "Please retry in 34.07s" (Gemini), "Please
# retry after 26 seconds" (Azure).
_ASKS = re.compile(rf"(?:try again|retry)(?: your request)? (?:in|after) ((?:{_STEP}\s*)+)", re.IGNORECASE)


def read_delay(
    headers: Mapping[str, str], given: Iterable[object], text: str, now: datetime | None = None
) -> float | None:
    """Return the seconds that a provider asks to wait, or None.

    Taken from `retry-after-ms`, then `retry-after` (seconds, also with a unit, or an HTTP date, measured from `now` or
    else from the header `date`), then the first usable of `given` (numbers of seconds, or durations as text), then
    `text`. The names in `headers` are in lower case. What is negative, no number or over `MAX_DELAY_S` is passed over.
    """
    millis = _number(headers.get("retry-after-ms"))
    after = headers.get("retry-after")
    candidates = [None if millis is None else millis / 1000, duration_s(after), _until(after, headers.get("date"), now)]
    candidates.extend(duration_s(value) for value in given)
    if asks := _ASKS.search(text):
        candidates.append(duration_s(asks[1]))
    return next((delay for delay in candidates if delay is not None and 0 <= delay <= MAX_DELAY_S), None)


def duration_s(value: object) -> float | None:
    """Return a duration in seconds: a number of them, or text such as `34.07s`, `2m59.56s`, `17ms`, `6 minutes`."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return _number(str(value))
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    steps = _STEPS.findall(value)
    if not steps or _STEPS.sub("", value).strip():
        return _number(value)
    return sum(float(count) * _unit_s(unit.lower()) for count, unit in steps)


def _unit_s(unit: str) -> float:
    return _UNITS["ms"] if unit.startswith(("ms", "milli")) else _UNITS[unit[0]]


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _until(after: str | None, date: str | None, now: datetime | None) -> float | None:
    """Seconds from `now`, or from the server's own `date`, until the HTTP date `after`."""
    then, start = _http_date(after), now or _http_date(date)
    if then is None or start is None:
        return None
    return (then - (start if start.tzinfo else start.replace(tzinfo=UTC))).total_seconds()


def _http_date(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
