"""What is read of the events of a Responses stream.

Nearly all are a piece of text: those are decoded as `EventView`. All others are decoded as plain data and read by the
functions here, which raise `msgspec.ValidationError` where a field is not of its form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

__all__ = ["NO_INDEX", "EventView", "decode_event", "listed", "mapping", "number", "text"]

# The index of what a server does not number.
NO_INDEX = -1


class EventView(Struct, gc=False):
    """Any event, with what tells where its piece of text belongs."""

    type: str = ""
    output_index: int = NO_INDEX
    content_index: int = NO_INDEX
    summary_index: int = NO_INDEX
    sequence_number: int = NO_INDEX
    delta: str = ""
    logprobs: tuple[Any, ...] | None = None  # nearly always empty, and the empty tuple costs nothing


decode_event = msgspec.json.Decoder(EventView).decode


def text(value: Mapping[str, Any], field: str) -> str:
    """Return the text at `field`; "" where it is missing or null."""
    found = value.get(field)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise msgspec.ValidationError(f"`{field}` is not a text")
    return found


def number(value: Mapping[str, Any], field: str) -> int:
    """Return the number at `field`; `NO_INDEX` where it is missing or null."""
    found = value.get(field)
    if found is None:
        return NO_INDEX
    if not isinstance(found, int) or isinstance(found, bool):
        raise msgspec.ValidationError(f"`{field}` is not a number")
    return found


def mapping(value: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Return the object at `field`, which must be there."""
    found = value.get(field)
    if not isinstance(found, dict):
        raise msgspec.ValidationError(f"`{field}` is not an object")
    return found


def listed(value: Mapping[str, Any], field: str) -> list[dict[str, Any]]:
    """Return the objects in the list at `field`; [] where it is missing or null. Null items are left out."""
    found = value.get(field)
    if found is None:
        return []
    if not isinstance(found, list) or not all(item is None or isinstance(item, dict) for item in found):
        raise msgspec.ValidationError(f"`{field}` is not a list of objects")
    return [item for item in found if item is not None]
