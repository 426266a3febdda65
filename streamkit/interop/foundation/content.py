"""What messages hold in foundation's form: one thing each, with the model, the usage and the reason to stop."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias, Union

from msgspec import Struct, field

from streamkit.usage import Usage, UsageCost

__all__ = [
    "Embedding",
    "ExecutionHint",
    "GenerationMetadata",
    "ImageContent",
    "LogProbs",
    "MessageRole",
    "ModelOutput",
    "RefusalReason",
    "StopReason",
    "SystemFingerprint",
    "TextContent",
    "ThinkingContent",
    "TimingMetadata",
    "ToolCall",
    "UsageCosting",
    "UsageReport",
    "UserModelContent",
    "parse_stop_reason",
    "to_usage",
    "to_usage_report",
]

# `user` is a human, `agent` another agent, `system` an instruction, `tool` a tool's context; any other is custom.
MessageRole: TypeAlias = str
# `stop`, `length`, `tool_use`, `error` or `aborted`; any other is the provider's own word.
StopReason: TypeAlias = str
ExecutionHint: TypeAlias = Literal["unspecified", "parallel", "sequential"]

_SAME_REASON = {"tool_calls": "tool_use"}


class TextContent(Struct, tag="text", omit_defaults=True):
    """Text."""

    content: str
    signature: str | None = None


class ImageContent(Struct, tag="image"):
    """An image as base64."""

    b64: str
    mime_type: str


class ThinkingContent(Struct, tag="thinking", omit_defaults=True):
    """Thinking of the model."""

    thinking: str
    signature: str | None = None


class ToolCall(Struct, tag="tool_call", omit_defaults=True):
    """A call; `arguments` is None where what came was no JSON object. `depends_on` are ids of calls to wait for."""

    id: str
    name: str
    arguments: dict[str, Any] | None = None
    signature: str | None = None
    depends_on: list[str] = field(default_factory=list)
    execution_hint: ExecutionHint = "unspecified"


class Embedding(Struct, tag="embedding"):
    """A vector."""

    dimensions: int
    values: list[float]


ModelOutput: TypeAlias = Union[TextContent, ImageContent, ThinkingContent, ToolCall, Embedding]
UserModelContent: TypeAlias = Union[TextContent, ImageContent]


class LogProbs(Struct, tag="log_probs", omit_defaults=True):
    """Log probabilities, one entry a token, as the provider gave them."""

    content: list[Any] = field(default_factory=list)
    refusal: list[Any] | None = None


class SystemFingerprint(Struct, tag="system_fingerprint"):
    """What names the set-up that answered."""

    fingerprint: str


class TimingMetadata(Struct, tag="timing", omit_defaults=True):
    """How long it took."""

    total_ms: int
    time_to_first_ms: int | None = None
    tokens_per_sec: float | None = None


class RefusalReason(Struct, tag="refusal_reason"):
    """Why the model refused."""

    reason: str


GenerationMetadata: TypeAlias = Union[LogProbs, SystemFingerprint, TimingMetadata, RefusalReason]


class UsageCosting(Struct, frozen=True):
    """What it cost, in US dollars."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0
    total: float = 0.0


class UsageReport(Struct, frozen=True):
    """Token counts, on a stream those so far: the counts of several chunks of one answer do not add up."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0
    total_tokens: float = 0.0
    cost: UsageCosting = UsageCosting()


def parse_stop_reason(word: str) -> StopReason:
    """Return a provider's word as a reason to stop; `tool_calls` is `tool_use`, what is not known stays as it is."""
    return _SAME_REASON.get(word, word)


def to_usage_report(usage: Usage | None) -> UsageReport:
    """Return counts as floats: 0 where they were not reported, and without reasoning."""
    if usage is None:
        return UsageReport()
    cost = usage.cost or UsageCost()
    return UsageReport(
        float(usage.input_tokens or 0),
        float(usage.output_tokens or 0),
        float(usage.cache_read_tokens or 0),
        float(usage.cache_write_tokens or 0),
        float(usage.total_tokens or 0),
        UsageCosting(
            cost.input or 0.0, cost.output or 0.0, cost.cache_read or 0.0, cost.cache_write or 0.0, cost.total or 0.0
        ),
    )


def to_usage(report: UsageReport) -> Usage | None:
    """Return floats as counts: None where all are 0, and caches that are 0 as not reported.

    What is no count (negative, infinite, not a number) is 0.
    """
    if report == UsageReport():
        return None
    cost = report.cost
    known = cost != UsageCosting()
    return Usage(
        _count(report.input),
        _count(report.output),
        _count(report.cache_read) or None,
        _count(report.cache_write) or None,
        total_tokens=_count(report.total_tokens) or None,
        cost=UsageCost(cost.input, cost.output, cost.cache_read, cost.cache_write, cost.total) if known else None,
    )


def _count(value: float) -> int:
    return int(value) if math.isfinite(value) and value > 0 else 0
