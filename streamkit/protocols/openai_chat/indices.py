"""The numbers of choices and of calls, in every form in which servers write them."""

from __future__ import annotations

from typing import Any

__all__ = ["read_index"]

_DIGITS = 9  # more of them are no index, and from 4301 on no number that Python reads


def read_index(value: Any) -> int | None:
    """Return an index, given as a number or as its digits; None where `value` is none."""
    if isinstance(value, str) and value.isdecimal() and len(value) <= _DIGITS:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
