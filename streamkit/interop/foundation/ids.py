"""The ids of messages and records: SCRU128, which sort by the time at which they were made.

48 bits of milliseconds since 1970, 48 of counter, 32 random, as 25 digits to the base of 36; within a millisecond, or
where the clock goes back, the counter grows. https://github.com/scru128/spec, checked 2026-11-30.
"""

from __future__ import annotations

import secrets
import threading
import time

__all__ = ["new_scru128"]

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LENGTH = 25
_COUNTER_BITS, _ENTROPY_BITS = 48, 32
_START_BITS = 47  # of the counter in a new millisecond: the upper half is left to grow into

_lock = threading.Lock()
_last = 0  # time and counter of the newest id


def new_scru128() -> str:
    """Return an id greater, as a string too, than every one made before in this process."""
    global _last
    with _lock:
        fresh = time.time_ns() // 1_000_000 << _COUNTER_BITS | secrets.randbits(_START_BITS)
        _last = fresh if fresh >> _COUNTER_BITS > _last >> _COUNTER_BITS else _last + 1
        value = _last << _ENTROPY_BITS | secrets.randbits(_ENTROPY_BITS)
    digits = []
    for _ in range(_LENGTH):
        value, digit = divmod(value, 36)
        digits.append(_DIGITS[digit])
    return "".join(reversed(digits))
