"""A scripted answer as Claude streams it at Amazon Bedrock: Anthropic's records in chunks of an AWS event stream.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html and the service
model of botocore 1.44.8, checked 2026-11-30. The last record has the counts of the invocation besides; each chunk has a
member `p` of random length.
"""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.testing import anthropic_body
from streamkit.testing.answers import Answer
from streamkit.testing.bedrock_body import error_frame
from streamkit.testing.event_stream import event_message
from streamkit.usage import Usage

__all__ = ["FINISH_WORDS", "error_frame", "render", "wrap"]

FINISH_WORDS = anthropic_body.FINISH_WORDS

_PADDING = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the messages of the stream; raises `ConfigError` for more than one choice."""
    frames = anthropic_body.render(answer, piece, interleave)
    records = [msgspec.json.decode(frame.partition(b"data: ")[2]) for frame in frames]
    records[-1]["amazon-bedrock-invocationMetrics"] = _metrics(answer.usage or Usage())
    return [wrap(msgspec.json.encode(record), at) for at, record in enumerate(records)]


def wrap(record: bytes, at: int = 0) -> bytes:
    """Return the message of the event stream that holds a record; `at` only varies its padding."""
    padding = _PADDING[: 1 + at * 17 % len(_PADDING)]
    return event_message("chunk", msgspec.json.encode({"bytes": record, "p": padding}))


def _metrics(usage: Usage) -> dict[str, Any]:
    counts = {"inputTokenCount": usage.input_tokens or 0, "outputTokenCount": usage.output_tokens or 0}
    return {**counts, "invocationLatency": 1311, "firstByteLatency": 640}
