"""A scripted answer as a body of Cohere's chat, version 2.

Facts: the types of the `cohere` package 7.3.1 and recordings, checked 2026-11-29. Each event has its `event:` name,
which its JSON repeats as `type`; blocks of content and calls are numbered each from 0; usage is in `message-end`, as
floats, its input with what a cache held. There is no model, no signature and no refusal of its own.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import msgspec

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Block, Call, Refusal, Text, Thinking, cut, take_turns
from streamkit.usage import Usage

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

FINISH_WORDS = {"stop": "COMPLETE", "length": "MAX_TOKENS", "tool_call": "TOOL_CALL"}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream, the end sentinel included; raises `ConfigError` for more than one choice."""
    if answer.choices:
        raise ConfigError("cohere has no answers beside the first; leave out `choices`")
    said = heard(answer)
    records: list[dict[str, Any]] = [{"type": "message-start", "id": answer.id, **_message({"role": "assistant"})}]
    counts = {True: 0, False: 0}  # calls, and blocks of content
    for is_call, group in groupby(said.parts(), key=lambda block: isinstance(block, Call)):
        runs = [_block(block, counts[is_call] + place, piece) for place, block in enumerate(group)]
        counts[is_call] += len(runs)
        records += take_turns(runs) if is_call and interleave else [record for run in runs for record in run]
    return [*map(_frame, records), _frame(_end(said)), b"data: [DONE]\n\n"]


def error_frame(message: str, type: str) -> bytes:
    """Return an error as the end that takes the place of the answer's."""
    end = {"finish_reason": "ERROR", "usage": {}, "error": message, "error_type": type.upper()}
    return _frame({"type": "message-end", "delta": end})


def heard(answer: Answer) -> Answer:
    """Return what of an answer the dialect can say: a refusal is text, and no model or signature is sent."""
    usage = answer.usage
    if usage is not None:
        fresh = (usage.input_tokens or 0) + (usage.cache_write_tokens or 0)
        usage = Usage(fresh, usage.output_tokens, usage.cache_read_tokens, reasoning_tokens=usage.reasoning_tokens)
    finish = None if answer.finish == "refusal" else answer.finish
    return Answer([_heard(block) for block in answer.parts()], finish, answer.raw_finish, usage, answer.id, "")


def _heard(block: Block) -> Block:
    if isinstance(block, Refusal):
        return Text(block.text)
    return Thinking(block.text) if isinstance(block, Thinking) else block


def _block(block: Block, index: int, piece: int) -> list[dict[str, Any]]:
    if isinstance(block, Call):
        function = {"name": block.name, "arguments": ""}
        call: dict[str, Any] = {"id": block.id, "type": "function", "function": function}
        pieces: list[dict[str, Any]] = [
            {"tool_calls": {"function": {"arguments": text}}} for text in cut(block.text, piece)
        ]
        return _run("tool-call", index, {"tool_calls": call}, pieces)
    kind = "thinking" if isinstance(block, Thinking) else "text"
    pieces = [{"content": {kind: text}} for text in cut(block.text, piece)]
    return _run("content", index, {"content": {"type": kind, kind: ""}}, pieces)


def _run(family: str, index: int, first: dict[str, Any], pieces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"type": f"{family}-start", "index": index, **_message(first)},
        *({"type": f"{family}-delta", "index": index, **_message(message)} for message in pieces),
        {"type": f"{family}-end", "index": index},
    ]


def _message(message: dict[str, Any]) -> dict[str, Any]:
    return {"delta": {"message": message}}


def _end(answer: Answer) -> dict[str, Any]:
    word = answer.raw_finish or FINISH_WORDS.get(answer.finish_type, answer.finish_type)
    end: dict[str, Any] = {"finish_reason": word}
    if answer.usage is not None:
        end["usage"] = _usage(answer.usage)
    return {"type": "message-end", "delta": end}


def _usage(usage: Usage) -> dict[str, Any]:
    given = (usage.input_tokens or 0) + (usage.cache_read_tokens or 0)
    tokens = {"input_tokens": float(given), "output_tokens": float(usage.output_tokens or 0)}
    if usage.reasoning_tokens is not None:
        tokens["reasoning_tokens"] = float(usage.reasoning_tokens)
    billed = {"input_tokens": 1.0, "output_tokens": 1.0}
    cached = {} if usage.cache_read_tokens is None else {"cached_tokens": float(usage.cache_read_tokens)}
    return {"billed_units": billed, "tokens": tokens, **cached}


def _frame(record: dict[str, Any]) -> bytes:
    return f"event: {record['type']}\ndata: ".encode() + msgspec.json.encode(record) + b"\n\n"
