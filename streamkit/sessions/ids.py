"""Ids that sort by the time at which they were made.

The form is that of UUID version 7, https://www.rfc-editor.org/rfc/rfc9562#section-5.7, checked 2026-11-30: 48 bits of
milliseconds since 1970, then 74 random bits around the fixed ones. Within a millisecond, or where the clock goes back,
the next id is the last one plus a random step (section 6.2, method 2).
"""

from __future__ import annotations

import secrets
import threading
import time
from uuid import UUID

__all__ = ["new_id"]

RANDOM_BITS = 74
STEP_BITS = 32

_NEVER = 1 << 47  # ms since 1970, of 48 bits: the year 6429
_LOW = (1 << 62) - 1  # what stands after the variant
_lock = threading.Lock()
_last = 0


def new_id(after: str = "") -> str:
    """Return an id greater, as a string too, than every one made before in this process, and than the id `after`."""
    global _last
    with _lock:
        value = time.time_ns() // 1_000_000 << RANDOM_BITS | secrets.randbits(RANDOM_BITS)
        floor = max(_last, _value(after))
        if value <= floor:
            value = floor + 1 + secrets.randbits(STEP_BITS)
        _last = value
    milliseconds, high, low = value >> RANDOM_BITS, value >> 62 & 0xFFF, value & _LOW
    return str(UUID(int=milliseconds << 80 | 7 << 76 | high << 64 | 2 << 62 | low))


def _value(id: str) -> int:
    """What an id says beside its version and variant; 0 for one that was made by others.

    So is one of a time that no clock shows: were others to be greater than that, they would soon have no room.
    """
    try:
        uuid = UUID(id)
    except ValueError:
        return 0
    if uuid.version != 7 or str(uuid) != id or uuid.int >> 80 >= _NEVER:
        return 0
    return uuid.int >> 80 << RANDOM_BITS | (uuid.int >> 64 & 0xFFF) << 62 | uuid.int & _LOW
