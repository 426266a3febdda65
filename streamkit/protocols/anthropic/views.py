"""What is read of the records of an Anthropic stream, and what its counts and stop reasons mean.

Facts: the types of the `anthropic` package 2.14.0 and https://docs.claude.com/en/docs/build-with-claude/streaming,
checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from streamkit.messages import Finish, FinishReason
from streamkit.usage import Usage

__all__ = [
    "NO_INDEX",
    "OF_THE_WHOLE",
    "MessageView",
    "StopView",
    "decode_event",
    "read_finish",
    "read_metrics",
    "read_usage",
    "successor",
]

# `pause_turn` and `compaction` ask for the conversation to be sent again: no end, and not for the caller's tools.
_FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_call",
    "refusal": "refusal",
}


NO_INDEX = -1

# What a message says of the answer as a whole beside its blocks, at the start or with the stop reason.
OF_THE_WHOLE = ("container", "context_management", "input_transformations", "diagnostics")


class DeltaView(Struct, gc=False):
    """The delta of a `content_block_delta`, of the three kinds that nearly all are."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    partial_json: str | None = None


class EventView(Struct, gc=False):
    """Any record."""

    type: str = ""
    index: int = NO_INDEX
    delta: DeltaView | None = None


class MessageView(Struct):
    """The message of a `message_start`, or a whole one that was not streamed."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: list[dict[str, Any]] | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None


class StopView(Struct):
    """The delta of a `message_delta`."""

    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: dict[str, Any] | None = None


class OutputDetails(Struct):
    """What output consists of."""

    thinking_tokens: int | None = None


class UsageView(Struct):
    """The counts; the three of the prompt leave each other out."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens_details: OutputDetails | None = None


class MetricsView(Struct):
    """What Bedrock adds to `message_stop`."""

    input_token_count: int | None = msgspec.field(default=None, name="inputTokenCount")
    output_token_count: int | None = msgspec.field(default=None, name="outputTokenCount")
    cache_read_count: int | None = msgspec.field(default=None, name="cacheReadInputTokenCount")
    cache_write_count: int | None = msgspec.field(default=None, name="cacheWriteInputTokenCount")


decode_event = msgspec.json.Decoder(EventView).decode


def read_usage(value: Mapping[str, Any] | None) -> Usage:
    """Return the counts of a `usage` object; raises `msgspec.ValidationError` where they are none."""
    view = msgspec.convert(value or {}, UsageView, strict=False)
    return _usage(
        view.input_tokens,
        view.output_tokens,
        view.cache_read_input_tokens,
        view.cache_creation_input_tokens,
        view.output_tokens_details.thinking_tokens if view.output_tokens_details else None,
    )


def read_metrics(value: Any) -> Usage:
    """Return the counts of Bedrock's invocation metrics; raises `msgspec.ValidationError` where they are none."""
    view = msgspec.convert(value or {}, MetricsView, strict=False)
    return _usage(view.input_token_count, view.output_token_count, view.cache_read_count, view.cache_write_count)


def read_finish(stop: StopView, has_calls: bool) -> FinishReason:
    """Return why the model stopped; `reason` is the sequence that stopped it, or why it refused."""
    if not stop.stop_reason:
        return FinishReason("tool_call" if has_calls else "stop", synthesized=True)
    kind = _FINISH.get(stop.stop_reason, "other")
    if kind == "stop" and has_calls:
        kind = "tool_call"
    if kind == "refusal":
        details = stop.stop_details or {}
        reason, category = details.get("explanation"), details.get("category")
        return FinishReason(kind, stop.stop_reason, _text(reason), _text(category))
    return FinishReason(kind, stop.stop_reason, stop.stop_sequence or None)


def successor(block: Mapping[str, Any]) -> str | None:
    """Return the model that goes on with the answer from a block of type `fallback` on; None for any other block."""
    to = block.get("to") if block.get("type") == "fallback" else None
    return _text(to.get("model")) if isinstance(to, dict) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _usage(
    fresh: int | None, output: int | None, read: int | None, written: int | None, thought: int | None = None
) -> Usage:
    return Usage(_natural(fresh), _natural(output), _natural(read), _natural(written), _natural(thought))


def _natural(count: int | None) -> int | None:
    """A count below none says nothing."""
    return count if count is None or count >= 0 else None
