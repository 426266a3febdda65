"""The items of foundation's streams: what a model or an agent gives, mixed with hints and signals of the scheduler."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, Union

from msgspec import Struct

from streamkit.interop.foundation.messages import Messages
from streamkit.interop.foundation.records import Progress, SessionRecord, as_progress

__all__ = [
    "AgentStream",
    "Delayed",
    "Ignore",
    "Init",
    "ModelStream",
    "Next",
    "Pending",
    "Spread",
    "Wait",
    "items",
]

D = TypeVar("D")


class Init(Struct, tag="init"):
    """It has started."""


class Pending(Struct, tag="pending"):
    """A hint at how far it is, no data."""

    if TYPE_CHECKING:
        progress: Progress
    else:  # decoded as plain data, since a hint of an unknown kind must not be an error
        progress: Any

    def __post_init__(self) -> None:
        self.progress = as_progress(self.progress)


class Next(Struct, Generic[D], tag="next"):
    """One thing."""

    item: D


class Spread(Struct, Generic[D], tag="spread"):
    """Several things, in order."""

    items: list[D]


class Wait(Struct, tag="wait"):
    """Nothing to do yet."""


class Delayed(Struct, tag="delayed"):
    """Nothing to do for `milliseconds`."""

    milliseconds: int


class Ignore(Struct, tag="ignore"):
    """Nothing."""


_Signal: TypeAlias = Union[Init, Pending, Wait, Delayed, Ignore]
ModelStream: TypeAlias = Union[_Signal, Next[Messages], Spread[Messages]]
AgentStream: TypeAlias = Union[_Signal, Next[SessionRecord], Spread[SessionRecord]]


def items(stream: Iterable[_Signal | Next[D] | Spread[D]]) -> Iterator[D]:
    """Yield the things of a stream in order; hints and signals are skipped."""
    for item in stream:
        if isinstance(item, Next):
            yield item.item
        elif isinstance(item, Spread):
            yield from item.items
