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

    @property
    def prompt_tokens(self) -> int:
        """How long the prompt was, its cached part included; what was not reported counts as 0."""
        return (self.input_tokens or 0) + (self.cache_read_tokens or 0) + (self.cache_write_tokens or 0)

    def __bool__(self) -> bool:
        """False where every count is zero or unreported: such an object says nothing."""
        return any(_counts(self)) or bool(self.total_tokens) or self.cost is not None

    def merge(self, later: Usage) -> Usage:
        """Return this with each field replaced by the later one's where that is reported, zero included.

        For snapshots of one response; counts of different responses add up with `+`.
        """
        # Some servers send a snapshot with every token, so this is spelt out.
        fresh = self.input_tokens if later.input_tokens is None else later.input_tokens
        output = self.output_tokens if later.output_tokens is None else later.output_tokens
        read = self.cache_read_tokens if later.cache_read_tokens is None else later.cache_read_tokens
        write = self.cache_write_tokens if later.cache_write_tokens is None else later.cache_write_tokens
        reasoning = self.reasoning_tokens if later.reasoning_tokens is None else later.reasoning_tokens
        total = None
        if fresh is output is read is write is None:  # a total may come without the counts that make it
            total = self.total_tokens if later.total_tokens is None else later.total_tokens
        return Usage(fresh, output, read, write, reasoning, total, self.cost if later.cost is None else later.cost)

    def __add__(self, other: Usage) -> Usage:
        """Return the sum over two responses."""
        counts = (_add(a, b) for a, b in zip(_counts(self), _counts(other), strict=True))
        cost = self.cost + other.cost if self.cost and other.cost else self.cost or other.cost
        fresh, output, read, write, reasoning = counts
        return Usage(fresh, output, read, write, reasoning, _add(self.total_tokens, other.total_tokens), cost)

    def __post_init__(self) -> None:
        if self.total_tokens is None and not (
            self.input_tokens is self.output_tokens is self.cache_read_tokens is self.cache_write_tokens is None
        ):
            structs.force_setattr(self, "total_tokens", self.prompt_tokens + (self.output_tokens or 0))


def _counts(usage: Usage) -> list[int | None]:
    """The counts that are not worked out from others."""
    return [
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.reasoning_tokens,
    ]


def _add(a: _N | None, b: _N | None) -> _N | None:
    return b if a is None else a if b is None else a + b
