"""A scripted answer as a body of OpenAI's chat completions stream.

Facts: https://platform.openai.com/docs/api-reference/chat-streaming and the types of the `openai` package,
checked 2026-11-29. Records are `data:` lines only, the end is `data: [DONE]`, and usage comes in a last chunk with
no choices, whose `prompt_tokens` include cached ones.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import msgspec

from streamkit.testing.answers import Answer, Call, Refusal, Text, cut, take_turns
from streamkit.usage import Usage

__all__ = ["FINISH_WORDS", "error_frame", "render", "usage_fields"]

FINISH_WORDS = {
    "stop": "stop",
    "length": "length",
    "tool_call": "tool_calls",
    "refusal": "stop",  # a refusal in text of its own ends like any answer; a filter says content_filter
    "error": "error",
}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream, the end sentinel included."""
    runs = [_choice(choice, at, piece, interleave) for at, choice in enumerate([answer, *answer.choices])]
    chunks = [_chunk(answer, [choice]) for choice in take_turns(runs)]
    if answer.usage is not None:
        chunks.append({**_chunk(answer, []), "usage": usage_fields(answer.usage)})
    return [*map(_frame, chunks), b"data: [DONE]\n\n"]


def error_frame(message: str, type: str) -> bytes:
    """Return an error as a record of the stream: a top-level `error`."""
    return _frame({"error": {"message": message, "type": type, "param": None, "code": None}})


def _choice(answer: Answer, index: int, piece: int, interleave: bool) -> list[dict[str, Any]]:
    has_text = any(isinstance(block, Text) for block in answer.parts())
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "" if has_text else None}]
    calls = 0
    for is_call, group in groupby(answer.parts(), key=lambda block: isinstance(block, Call)):
        if is_call:
            runs = [_call(block, at, piece) for at, block in enumerate(group, calls) if isinstance(block, Call)]
            calls += len(runs)
            deltas += take_turns(runs) if interleave else [delta for run in runs for delta in run]
            continue
        for block in group:
            field = _field(block)
            deltas += [{field: text} for text in cut(block.text, piece)]
    word = answer.raw_finish or FINISH_WORDS.get(answer.finish_type, answer.finish_type)
    choices = [{"index": index, "delta": delta, "finish_reason": None} for delta in deltas]
    return [*choices, {"index": index, "delta": {}, "finish_reason": word}]


def _field(block: Any) -> str:
    return "content" if isinstance(block, Text) else "refusal" if isinstance(block, Refusal) else "reasoning_content"


def _call(call: Call, at: int, piece: int) -> list[dict[str, Any]]:
    first = {"index": at, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
    more = [{"index": at, "function": {"arguments": text}} for text in cut(call.text, piece)]
    return [{"tool_calls": [fragment]} for fragment in (first, *more)]


def _chunk(answer: Answer, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": answer.id,
        "object": "chat.completion.chunk",
        "created": 1760000000,
        "model": answer.model,
        "choices": choices,
    }


def usage_fields(usage: Usage) -> dict[str, Any]:
    """Return the counts as OpenAI's dialects write them: `prompt_tokens` include cached ones."""
    prompt = sum(n or 0 for n in (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens))
    out: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output_tokens or 0,
        "total_tokens": prompt + (usage.output_tokens or 0),
    }
    cached = {"cached_tokens": usage.cache_read_tokens, "cache_write_tokens": usage.cache_write_tokens}
    if any(count is not None for count in cached.values()):
        out["prompt_tokens_details"] = {name: count for name, count in cached.items() if count is not None}
    if usage.reasoning_tokens is not None:
        out["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens}
    return out


def _frame(chunk: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(chunk) + b"\n\n"
