"""The fields of Ollama's records that are read.

Every record is decoded as `Record`; what only the first or the last has is in views of its own, so that the others do
not pay for it. Facts: `api/types.go` of https://github.com/ollama/ollama, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from streamkit.messages import Finish, FinishReason
from streamkit.protocols.lenient import rejoin
from streamkit.usage import Usage

__all__ = ["Function", "Head", "Last", "Record", "Said", "ToolCall", "read_finish", "read_usage"]

_TYPES: dict[str, Finish] = {"stop": "stop", "length": "length"}  # `load` and `unload` are no answers: "other"


class Function(Struct, gc=False):
    """What a call calls; the arguments are an object, whole."""

    name: str = ""
    arguments: Any = None


class ToolCall(Struct, gc=False):
    """A call, which always comes whole; `function.index` starts anew with each record, so it says nothing."""

    id: Any = None
    function: Function | None = None


class Said(Struct, gc=False):
    """What a record adds to the message of `/api/chat`."""

    content: str | None = None
    thinking: str | None = None
    tool_calls: list[ToolCall | None] | None = None
    images: list[str] | None = None


class Record(Struct, gc=False):
    """One line of the stream; `/api/generate` has the fields of the message on the record itself."""

    message: Said | None = None
    response: str | None = None
    thinking: str | None = None
    tool_calls: list[ToolCall | None] | None = None
    image: str | None = None  # of a model that makes images
    done: bool | None = None
    error: Any = None
    logprobs: list[Any] | None = None


class Head(Struct):
    """What the first record says of the response."""

    model: Any = None


class Last(Struct):
    """What only the last record has; counts of zero are left out by the server."""

    done_reason: Any = None
    prompt_eval_count: Any = None
    eval_count: Any = None


def read_usage(last: Last) -> Usage | None:
    """Return the counts, None where there are none; output includes thinking, and input what a cache held."""
    usage = Usage(_count(last.prompt_eval_count), _count(last.eval_count))
    return usage if usage else None


def read_finish(last: Last, *, calls: bool) -> FinishReason:
    """Return the reason for `done_reason`, which older servers leave out; a stop with calls is a tool call."""
    word = rejoin(last.done_reason) if isinstance(last.done_reason, str) else ""
    kind = _TYPES.get(word, "other") if word else "stop"
    if kind == "stop" and calls:
        kind = "tool_call"
    return FinishReason(kind, word or None, synthesized=not word)


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None
