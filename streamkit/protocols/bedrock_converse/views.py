"""What is read of the events of ConverseStream, and what its counts and stop reasons mean.

Facts: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from streamkit.messages import Finish, FinishReason
from streamkit.protocols.lenient import rejoin
from streamkit.protocols.values import scrub
from streamkit.usage import Usage

__all__ = ["NO_INDEX", "decode_delta", "read_finish", "read_usage"]

NO_INDEX = -1

_FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_call",
    "guardrail_intervened": "refusal",
    "content_filtered": "refusal",
    "malformed_model_output": "error",
    "malformed_tool_use": "error",
}


class ToolView(Struct, gc=False):
    """A piece of the arguments of a call."""

    input: str | None = None


class ReasoningView(Struct, gc=False):
    """A piece of thinking, of the kind that nearly all are."""

    text: str | None = None
    signature: msgspec.Raw | None = None
    redacted: msgspec.Raw | None = field(default=None, name="redactedContent")


class PieceView(Struct, gc=False):
    """The delta of a `contentBlockDelta`, of the three kinds that nearly all are."""

    text: str | None = None
    tool: ToolView | None = field(default=None, name="toolUse")
    reasoning: ReasoningView | None = field(default=None, name="reasoningContent")


class DeltaView(Struct, gc=False):
    """A `contentBlockDelta`."""

    index: int = field(default=NO_INDEX, name="contentBlockIndex")
    delta: PieceView | None = None


class UsageView(Struct, rename="camel"):
    """The counts; the three of the prompt leave each other out."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None


decode_delta = msgspec.json.Decoder(DeltaView).decode


def read_usage(value: Any) -> Usage:
    """Return the counts of a `usage` object, none below 0; raises `msgspec.ValidationError` for what is none."""
    view = msgspec.convert(scrub(value or {}), UsageView, strict=False)
    read, written = _natural(view.cache_read_input_tokens), _natural(view.cache_write_input_tokens)
    return Usage(_natural(view.input_tokens), _natural(view.output_tokens), read, written)


def read_finish(word: str | None, *, calls: bool, fields: Any = None, trace: Any = None) -> FinishReason:
    """Return why the model stopped; `reason` is the sequence that stopped it, or why a guardrail stepped in.

    `fields` are the `additionalModelResponseFields`, `trace` is that of the metadata.
    """
    if not word:
        return FinishReason("tool_call" if calls else "stop", synthesized=True)
    kind = _FINISH.get(word, "other")
    if kind == "stop" and calls:
        kind = "tool_call"
    if word == "guardrail_intervened":
        return FinishReason(kind, word, _text(_at(trace, "guardrail", "actionReason")))
    stopped_by = _at(fields, "stop_sequence") or _at(fields, "delta", "stop_sequence")
    return FinishReason(kind, word, _text(stopped_by))


def _at(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _text(value: Any) -> str | None:
    return rejoin(value) if isinstance(value, str) and value else None


def _natural(count: int | None) -> int | None:
    """A count below none says nothing."""
    return count if count is None or count >= 0 else None
