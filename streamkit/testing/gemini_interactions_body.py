"""A scripted answer as a body of Google's Interactions API.

Facts: the types of `google-genai` 3.6.1 and recordings, checked 2026-11-30. Each event has its `event:` name, which its
JSON repeats as `event_type`, and an id; steps are numbered from 0; usage is in the last event, its input with what a
cache held and its output without thoughts. There is no refusal, and a signature comes after its thought.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import msgspec

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Block, Call, Refusal, Text, Thinking, cut, take_turns
from streamkit.usage import Usage

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

FINISH_WORDS = {
    "stop": "completed",
    "length": "incomplete",
    "tool_call": "requires_action",
    "aborted": "cancelled",
}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream, the end sentinel included; raises `ConfigError` for more than one choice."""
    if answer.choices:
        raise ConfigError("gemini-interactions has no answers beside the first; leave out `choices`")
    said = heard(answer)
    events = [
        _event("interaction.created", interaction=_interaction(said, "in_progress")),
        _event("interaction.status_update", interaction_id=said.id, status="in_progress"),
    ]
    count = 0
    for is_call, group in groupby(said.parts(), key=lambda block: isinstance(block, Call)):
        runs = [_step(block, count + place, piece) for place, block in enumerate(group)]
        count += len(runs)
        events += take_turns(runs) if is_call and interleave else [event for run in runs for event in run]
    word = said.raw_finish or FINISH_WORDS.get(said.finish_type, said.finish_type)
    ended = _interaction(said, word) | ({} if said.usage is None else {"usage": _usage(said.usage)})
    events.append(_event("interaction.completed", interaction=ended))
    return [*(_frame(event, at) for at, event in enumerate(events)), b"event: done\ndata: [DONE]\n\n"]


def error_frame(message: str, type: str) -> bytes:
    """Return an error as an event of the stream."""
    return _frame(_event("error", error={"code": type, "message": message}))


def heard(answer: Answer) -> Answer:
    """Return what of an answer the dialect can say.

    A refusal is text; what is written to a cache is input, and thinking is part of the output.
    """
    usage = answer.usage
    if usage is not None:
        usage = Usage(
            (usage.input_tokens or 0) + (usage.cache_write_tokens or 0),
            max(usage.output_tokens or 0, usage.reasoning_tokens or 0),
            usage.cache_read_tokens,
            reasoning_tokens=usage.reasoning_tokens,
        )
    blocks: list[Block | str] = [Text(block.text) if isinstance(block, Refusal) else block for block in answer.parts()]
    finish = None if answer.finish == "refusal" else answer.finish
    return msgspec.structs.replace(answer, blocks=blocks, finish=finish, usage=usage)


def _step(block: Block, index: int, piece: int) -> list[dict[str, Any]]:
    deltas: list[dict[str, Any]]
    if isinstance(block, Call):
        begun: dict[str, Any] = {"type": "function_call", "id": block.id, "name": block.name, "arguments": {}}
        deltas = [{"type": "arguments_delta", "arguments": text} for text in cut(block.text, piece)]
    elif isinstance(block, Thinking):
        begun = {"type": "thought"}
        deltas = [
            {"type": "thought_summary", "content": {"type": "text", "text": text}} for text in cut(block.text, piece)
        ]
        if block.signature is not None:
            deltas.append({"type": "thought_signature", "signature": block.signature})
    else:
        begun = {"type": "model_output"}
        deltas = [{"type": "text", "text": text} for text in cut(block.text, piece)]
    return [
        _event("step.start", index=index, step=begun),
        *(_event("step.delta", index=index, delta=delta) for delta in deltas),
        _event("step.stop", index=index),
    ]


def _interaction(answer: Answer, status: str) -> dict[str, Any]:
    return {"id": answer.id, "status": status, "object": "interaction", "model": answer.model}


def _usage(usage: Usage) -> dict[str, Any]:
    prompt = (usage.input_tokens or 0) + (usage.cache_read_tokens or 0)
    thoughts = usage.reasoning_tokens or 0
    counts = {"total_input_tokens": prompt, "total_output_tokens": (usage.output_tokens or 0) - thoughts}
    if usage.cache_read_tokens is not None:
        counts["total_cached_tokens"] = usage.cache_read_tokens
    if usage.reasoning_tokens is not None:
        counts["total_thought_tokens"] = thoughts
    return {**counts, "total_tokens": prompt + (usage.output_tokens or 0)}


def _event(kind: str, **fields: Any) -> dict[str, Any]:
    return {**fields, "event_type": kind}


def _frame(event: dict[str, Any], at: int | None = None) -> bytes:
    numbered = event if at is None else {**event, "event_id": f"event_{at}"}
    return f"event: {event['event_type']}\ndata: ".encode() + msgspec.json.encode(numbered) + b"\n\n"
