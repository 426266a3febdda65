"""The stream of an answer that is to be a value of a type."""

from __future__ import annotations

from typing import Generic, TypeVar

from streamkit.client.stream import Stream

__all__ = ["TypedStream"]

T = TypeVar("T")


class TypedStream(Stream, Generic[T]):
    """A `Stream` that was asked for with an `output_type`, whose `value` is of that type."""

    @property
    def value(self) -> T:
        """See `Stream.value`."""
        value: T = super().value
        return value
