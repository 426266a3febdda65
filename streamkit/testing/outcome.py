"""All that reading one response comes to, for comparing one way of reading it with another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

from msgspec import Struct

from streamkit.accumulator import Accumulator, coalesce
from streamkit.deltas import Delta
from streamkit.errors import APIError, ProtocolError, StreamkitError
from streamkit.messages import MessageOutput
from streamkit.protocols import Parser

__all__ = ["Outcome", "numbered_ids", "read_pieces"]


class Outcome(Struct, frozen=True):
    """The coalesced deltas, the message of each choice, what ended it, and how many heartbeats came.

    `error` is what an error says, field by field; None where the stream was whole.
    """

    deltas: list[Delta]
    outputs: list[MessageOutput]
    error: dict[str, Any] | None
    heartbeats: int


def read_pieces(pieces: Iterable[bytes], parser: Parser) -> Outcome:
    """Feed the pieces of one body to `parser`, to its end or to the first error, and return what came of it.

    Two outcomes are equal where the same was said, however it was cut. Calls that come without an id get a random
    one, unless the parser is made with `mint=numbered_ids()`.
    """
    deltas: list[Delta] = []
    error: StreamkitError | None = None
    try:
        for piece in pieces:
            deltas += parser.feed(piece)
        deltas += parser.finish()
    except StreamkitError as raised:
        error = raised
        deltas += raised.deltas
    accumulator = Accumulator()
    for delta in deltas:
        accumulator.feed(delta)
    outputs = accumulator.outputs()
    return Outcome(coalesce(deltas), outputs, None if error is None else _facts(error), parser.heartbeats)


def numbered_ids() -> Callable[[], str]:
    """Return a source of ids for calls without one that gives the same ones each time: minted_0, minted_1, …"""
    numbers = count()
    return lambda: f"minted_{next(numbers)}"


def _facts(error: StreamkitError) -> dict[str, Any]:
    facts: dict[str, Any] = {"kind": type(error).__name__, "says": str(error)}
    if isinstance(error, ProtocolError):
        facts["frame"] = error.frame
    if isinstance(error, APIError):
        names = ("message", "provider", "status", "request_id", "code", "type", "body", "retryable", "retry_after_s")
        facts |= {name: getattr(error, name) for name in names}
    return facts
