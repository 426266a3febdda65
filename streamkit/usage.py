"""Token counts and costs, one meaning for every provider."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct, structs

__all__ = ["Usage", "UsageCost"]

_N = TypeVar("_N", int, float)


class UsageCost(Struct, frozen=True, omit_defaults=True):
    """What a response cost, in US dollars; None means not reported."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    total: float | None = None

    def __add__(self, other: UsageCost) -> UsageCost:
        return UsageCost(*(_add(a, b) for a, b in zip(structs.astuple(self), structs.astuple(other), strict=True)))


class Usage(Struct, frozen=True, omit_defaults=True):
    """Token counts of a response; None means not reported.

    `input_tokens` leaves out what was read from or written to a cache, `output_tokens` includes
    `reasoning_tokens`, and `total_tokens` is input + output + cache read + cache write, worked out when it is not
    given. On a stream each snapshot is cumulative.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    total_tokens: int | None = None
    cost: UsageCost | None = None

    def __bool__(self) -> bool:
        """False where every count is zero or unreported: such an object says nothing."""
        return any(structs.astuple(self)[:6]) or self.cost is not None

    def merge(self, later: Usage) -> Usage:
        """Return this with each field replaced by the later one's where that is reported, zero included.

        For snapshots of one response; counts of different responses add up with `+`.
        """
        new = [b if b is not None else a for a, b in zip(structs.astuple(self), structs.astuple(later), strict=True)]
        return Usage(*new[:5], total_tokens=_total(new[:4]), cost=new[6])

    def __add__(self, other: Usage) -> Usage:
        """Return the sum over two responses."""
        pairs = zip(structs.astuple(self)[:6], structs.astuple(other)[:6], strict=True)
        cost = self.cost + other.cost if self.cost and other.cost else self.cost or other.cost
        return Usage(*(_add(a, b) for a, b in pairs), cost=cost)

    def __post_init__(self) -> None:
        if self.total_tokens is None:
            structs.force_setattr(self, "total_tokens", _total(structs.astuple(self)[:4]))


def _add(a: _N | None, b: _N | None) -> _N | None:
    return b if a is None else a if b is None else a + b


def _total(counts: list[int | None] | tuple[int | None, ...]) -> int | None:
    known = [n for n in counts if n is not None]
    return sum(known) if known else None
