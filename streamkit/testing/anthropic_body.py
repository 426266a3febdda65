"""A scripted answer as a body of Anthropic's Messages stream.

Facts: https://docs.anthropic.com/en/docs/build-with-claude/streaming and the types of the `anthropic` package,
checked 2026-11-30. Each record has its `event:` name, which its JSON repeats as `type`; usage in `message_delta` is
cumulative, and never left out: where an answer has none, its counts are zero; there is no end sentinel beside
`message_stop`.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import msgspec

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Block, Call, Refusal, Thinking, cut, take_turns
from streamkit.usage import Usage

__all__ = ["FINISH_WORDS", "error_frame", "render"]

FINISH_WORDS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_call": "tool_use",
    "refusal": "refusal",
    "other": "pause_turn",
}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream; raises `ConfigError` for more than one choice."""
    if answer.choices:
        raise ConfigError("anthropic has no answers beside the first; leave out `choices`")
    parts = answer.parts()
    records = [_start(answer)]
    at = 0
    for is_call, group in groupby(
        (block for block in parts if not isinstance(block, Refusal)), key=lambda block: isinstance(block, Call)
    ):
        runs = [_block(block, at + offset, piece) for offset, block in enumerate(group)]
        at += len(runs)
        records += take_turns(runs) if is_call and interleave else [record for run in runs for record in run]
    refusals = [block for block in parts if isinstance(block, Refusal)]
    records += [_end(answer, refusals), {"type": "message_stop"}]
    return list(map(_frame, records))


def error_frame(message: str, type: str) -> bytes:
    """Return an error as a record of the stream."""
    return _frame({"type": "error", "error": {"type": type, "message": message}})


def _start(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {
        "id": answer.id,
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    if answer.usage is not None:
        message["usage"] |= {**_input(answer.usage), "output_tokens": 1}
    return {"type": "message_start", "message": message}


def _block(block: Block, index: int, piece: int) -> list[dict[str, Any]]:
    opening: dict[str, Any]
    if isinstance(block, Call):
        opening = {"type": "tool_use", "id": block.id, "name": block.name, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": text} for text in cut(block.text, piece)]
    elif isinstance(block, Thinking):
        opening = {"type": "thinking", "thinking": "", "signature": ""}
        deltas = [{"type": "thinking_delta", "thinking": text} for text in cut(block.text, piece)]
        if block.signature is not None:
            deltas.append({"type": "signature_delta", "signature": block.signature})
    else:
        opening = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": text} for text in cut(block.text, piece)]
    return [
        {"type": "content_block_start", "index": index, "content_block": opening},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def _end(answer: Answer, refusals: list[Refusal]) -> dict[str, Any]:
    word = answer.raw_finish or FINISH_WORDS.get(answer.finish_type, answer.finish_type)
    delta: dict[str, Any] = {"stop_reason": word, "stop_sequence": None}
    if refusals:
        explanation = "".join(block.text for block in refusals)
        delta["stop_details"] = {"type": "refusal", "category": None, "explanation": explanation}
    usage = {"output_tokens": 0} if answer.usage is None else _output(answer.usage)
    return {"type": "message_delta", "delta": delta, "usage": usage}


def _input(usage: Usage) -> dict[str, Any]:
    counts = {
        "input_tokens": usage.input_tokens,
        "cache_read_input_tokens": usage.cache_read_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
    }
    return {name: count for name, count in counts.items() if count is not None}


def _output(usage: Usage) -> dict[str, Any]:
    out: dict[str, Any] = {"output_tokens": usage.output_tokens or 0}
    if usage.reasoning_tokens is not None:
        out["output_tokens_details"] = {"thinking_tokens": usage.reasoning_tokens}
    return out


def _frame(record: dict[str, Any]) -> bytes:
    return f"event: {record['type']}\ndata: ".encode() + msgspec.json.encode(record) + b"\n\n"
