"""A scripted answer as a body of Bedrock's ConverseStream, in real binary messages.

Facts: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html and recordings, checked
2026-11-29. Only calls say that they begin; each event has a member `p` of random length; the counts come after the end.
There is neither a response id nor a model.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import msgspec

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Block, Call, Refusal, Text, Thinking, cut, take_turns
from streamkit.testing.event_stream import event_message, message
from streamkit.usage import Usage

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

FINISH_WORDS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_call": "tool_use",
    "refusal": "content_filtered",
    "error": "malformed_model_output",
}

_PADDING = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the messages of the stream; raises `ConfigError` for more than one choice."""
    if answer.choices:
        raise ConfigError("bedrock-converse has no answers beside the first; leave out `choices`")
    said = heard(answer)
    events: list[tuple[str, dict[str, Any]]] = [("messageStart", {"role": "assistant"})]
    at = 0
    for is_call, group in groupby(said.parts(), key=lambda block: isinstance(block, Call)):
        runs = [_block(block, at + offset, piece) for offset, block in enumerate(group)]
        at += len(runs)
        events += take_turns(runs) if is_call and interleave else [event for run in runs for event in run]
    word = answer.raw_finish or FINISH_WORDS.get(said.finish_type, said.finish_type)
    events.append(("messageStop", {"stopReason": word}))
    counts = {} if said.usage is None else {"usage": _counts(said.usage)}
    events.append(("metadata", {**counts, "metrics": {"latencyMs": 25}}))
    return [_event(name, event, at) for at, (name, event) in enumerate(events)]


def error_frame(text: str, type: str) -> bytes:
    """Return an exception inside the stream; a `type` that is none of AWS's is a service that is unavailable."""
    kind = type if type.endswith("Exception") else "serviceUnavailableException"
    headers = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return message(headers, msgspec.json.encode({"message": text}))


def heard(answer: Answer) -> Answer:
    """Return what of an answer the dialect can say: a refusal is text, and thinking is part of the output."""
    blocks: list[Block | str] = [Text(block.text) if isinstance(block, Refusal) else block for block in answer.parts()]
    usage = answer.usage
    if usage is not None:
        usage = Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
    return Answer(blocks, answer.finish_type, answer.raw_finish, usage, "", "")


def _block(block: Block, index: int, piece: int) -> list[tuple[str, dict[str, Any]]]:
    number = {"contentBlockIndex": index}
    opening: list[dict[str, Any]] = []
    if isinstance(block, Call):
        opening = [{"toolUse": {"toolUseId": block.id, "name": block.name}}]
        deltas: list[dict[str, Any]] = [{"toolUse": {"input": text}} for text in cut(block.text, piece)]
    elif isinstance(block, Thinking):
        deltas = [{"reasoningContent": {"text": text}} for text in cut(block.text, piece)]
        if block.signature is not None:
            deltas.append({"reasoningContent": {"signature": block.signature}})
    else:
        deltas = [{"text": text} for text in cut(block.text, piece)]
    return [
        *(("contentBlockStart", {**number, "start": start}) for start in opening),
        *(("contentBlockDelta", {**number, "delta": delta}) for delta in deltas),
        ("contentBlockStop", number),
    ]


def _counts(usage: Usage) -> dict[str, int]:
    counts = {
        "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens,
        "totalTokens": usage.total_tokens,
        "cacheReadInputTokens": usage.cache_read_tokens,
        "cacheWriteInputTokens": usage.cache_write_tokens,
    }
    return {name: count for name, count in counts.items() if count is not None}


def _event(name: str, event: dict[str, Any], at: int) -> bytes:
    padding = _PADDING[: 1 + at * 17 % len(_PADDING)]
    return event_message(name, msgspec.json.encode({**event, "p": padding}))
