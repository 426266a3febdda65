"""Decoding of JSON that is broken in the ways of real servers.

msgspec refuses lone surrogates, NaN, raw control characters, bad UTF-8 and byte order marks, all of which are sent. A
frame that it refuses is read once more here; so the cost falls on those frames alone.
"""

from __future__ import annotations

import json  # noqa: TID251 - the only decoder that takes what msgspec refuses
import math
from typing import Any, TypeVar

import msgspec

from streamkit.errors import ProtocolError

__all__ = ["decode_as", "decode_lenient", "decode_value", "rejoin", "split_surrogate", "too_deep"]

T = TypeVar("T")

# What msgspec takes, as plain data.
decode_value = msgspec.json.Decoder().decode


def decode_as(data: bytes, kind: type[T]) -> T:
    """Decode `data` as `kind`, leniently where that must be; raises `ProtocolError` where it cannot be."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (ValueError, RecursionError):
        return decode_lenient(data, kind)


def decode_lenient(data: bytes, kind: type[T]) -> T:
    """Decode `data` as `kind`, with bad bytes replaced; raises `ProtocolError` with the frame where it cannot be.

    Strings may hold lone surrogates: see `split_surrogate`. Numbers that JSON has no word for are None.
    """
    try:
        value = json.loads(data.decode("utf-8-sig", "replace"), strict=False, parse_constant=_no_number)
        return msgspec.convert(value, kind)
    except RecursionError:
        raise too_deep(data) from None
    except (ValueError, msgspec.ValidationError) as error:
        raise ProtocolError(f"a frame is not what its dialect says ({error})", frame=data) from None


def too_deep(data: bytes) -> ProtocolError:
    """Return the error for a frame whose nesting the interpreter cannot follow."""
    return ProtocolError("the JSON of a frame is nested too deeply", frame=data[:1000])


def split_surrogate(text: str) -> tuple[str, str]:
    """Cut `text` before a trailing high surrogate, whose other half may come with the next piece.

    Both halves are as they came: pass the first through `rejoin`, and put the second before the next piece.
    """
    if text and "\ud800" <= text[-1] <= "\udbff":
        return text[:-1], text[-1]
    return text, ""


def rejoin(text: str) -> str:
    """Return `text` with surrogate pairs joined and lone surrogates as U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _no_number(word: str) -> Any:
    return None if math.isnan(float(word)) else float(word)
