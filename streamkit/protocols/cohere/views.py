"""The fields of Cohere's events that are read: those of the commonest as a view, all others from plain data.

Facts: the types of the `cohere` package 7.3.1 and recordings, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from streamkit.messages import Finish, FinishReason
from streamkit.usage import Usage

__all__ = ["FAILED", "ContentView", "EventView", "at", "decode_event", "read_finish", "read_usage"]

# Version 1 had the two last of the second group.
_TYPES: dict[str, Finish] = {
    "COMPLETE": "stop",
    "STOP_SEQUENCE": "stop",
    "MAX_TOKENS": "length",
    "TOOL_CALL": "tool_call",
    "ERROR_TOXIC": "refusal",
    "ERROR_LIMIT": "length",
    "USER_CANCEL": "aborted",
}

# The words that report an error in place of an answer's end.
FAILED = frozenset({"ERROR", "TIMEOUT"})


class ContentView(Struct, gc=False):
    """A piece of a block of content."""

    text: str | None = None
    thinking: str | None = None


class MessageView(Struct, gc=False):
    """What an event adds to the message."""

    content: ContentView | None = None


class DeltaView(Struct, gc=False):
    """What an event adds."""

    message: MessageView | None = None


class EventView(Struct, gc=False):
    """A `content-delta`, and the type of any other event."""

    type: Any = None
    index: Any = None
    delta: DeltaView | None = None
    logprobs: Any = None


decode_event = msgspec.json.Decoder(EventView).decode


def at(value: Any, *path: str) -> Any:
    """Return what stands at a path of names in plain data, None where there is nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def read_finish(word: Any, *, calls: bool) -> FinishReason:
    """Return the reason for `finish_reason`; a stop with calls is a tool call."""
    if not isinstance(word, str) or not word:
        return FinishReason("tool_call" if calls else "stop", synthesized=True)
    kind = _TYPES.get(word.upper(), "other")
    return FinishReason("tool_call" if kind == "stop" and calls else kind, word)


def read_usage(raw: Any) -> Usage:
    """Return the counts, which come as floats: the model's tokens, else those that are billed.

    The input includes what a cache held (`cached_tokens`), the output reasoning.
    """
    counts = at(raw, "tokens") or at(raw, "billed_units")
    given, output = _count(at(counts, "input_tokens")), _count(at(counts, "output_tokens"))
    read = _count(at(raw, "cached_tokens"))
    fresh = given if given is None else max(given - (read or 0), 0)
    return Usage(fresh, output, read, reasoning_tokens=_count(at(counts, "reasoning_tokens")))


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 2**63:
        return None
    return int(value)
