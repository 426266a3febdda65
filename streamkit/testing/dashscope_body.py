"""A scripted answer as a body of DashScope's own API, in increments.

Facts: the `dashscope` package 2.0.2 and recordings, checked 2026-11-29. Each event has an id, a name, its status as a
comment and no space after colons; `finish_reason` is the text "null" until the answer ends; every record has the
counts so far, of its own choice. There is no model, no signature and no refusal of its own.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import msgspec

from streamkit.testing.answers import Answer, Block, Call, Refusal, Text, Thinking, cut, take_turns
from streamkit.usage import Usage

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

FINISH_WORDS = {"stop": "stop", "length": "length", "tool_call": "tool_calls"}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream, which has no sentinel."""
    said = heard(answer)
    runs = [_choice(choice, at, piece, interleave) for at, choice in enumerate([said, *said.choices])]
    records = [_record(said, choice) for choice in take_turns(runs)]
    return [_frame(at, "result", record) for at, record in enumerate(records, 1)]


def error_frame(message: str, type: str) -> bytes:
    """Return an error as an event of the stream, of which only its code says what it is."""
    return b"event:error\ndata:" + msgspec.json.encode({"code": type, "message": message, "request_id": "r"}) + b"\n\n"


def heard(answer: Answer) -> Answer:
    """Return what of an answer the dialect can say: a refusal is text, and no model or signature is sent."""
    finish = None if answer.finish == "refusal" else answer.finish
    blocks: list[Block | str] = [_heard(block) for block in answer.parts()]
    choices = [heard(choice) for choice in answer.choices]
    return Answer(blocks, finish, answer.raw_finish, answer.usage, answer.id, "", choices)


def _heard(block: Block) -> Block:
    if isinstance(block, Refusal):
        return Text(block.text)
    return Thinking(block.text) if isinstance(block, Thinking) else block


def _choice(answer: Answer, index: int, piece: int, interleave: bool) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{}]
    calls = 0
    for is_call, group in groupby(answer.parts(), key=lambda block: isinstance(block, Call)):
        if is_call:
            runs = [_call(block, at, piece) for at, block in enumerate(group, calls) if isinstance(block, Call)]
            calls += len(runs)
            messages += take_turns(runs) if interleave else [message for run in runs for message in run]
            continue
        for block in group:
            field = "reasoning_content" if isinstance(block, Thinking) else "content"
            messages += [{field: text} for text in cut(block.text, piece)]
    word = answer.raw_finish or FINISH_WORDS.get(answer.finish_type, answer.finish_type)
    words = ["null"] * len(messages) + [word]
    return [
        {"index": index, "finish_reason": word, "message": {"role": "assistant", "content": "", **message}}
        for word, message in zip(words, [*messages, {}], strict=True)
    ]


def _call(call: Call, at: int, piece: int) -> list[dict[str, Any]]:
    first = {"index": at, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
    more = (
        {"index": at, "id": "", "type": "function", "function": {"arguments": text}} for text in cut(call.text, piece)
    )
    return [{"tool_calls": [fragment]} for fragment in (first, *more)]


def _record(answer: Answer, choice: dict[str, Any]) -> dict[str, Any]:
    record: dict[str, Any] = {"output": {"choices": [choice]}}
    if answer.usage is not None:
        record["usage"] = _usage(answer.usage, counts=choice["index"] == 0)
    return record | {"request_id": answer.id}


def _usage(usage: Usage, *, counts: bool) -> dict[str, Any]:
    """The counts of a choice; the first has written all that the answer counts."""
    given = sum(n or 0 for n in (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens))
    written = (usage.output_tokens or 0) if counts else 0
    out: dict[str, Any] = {"input_tokens": given, "output_tokens": written, "total_tokens": given + written}
    if usage.reasoning_tokens is not None:
        out["output_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens if counts else 0}
    cached = {"cached_tokens": usage.cache_read_tokens, "cache_creation_input_tokens": usage.cache_write_tokens}
    if any(count is not None for count in cached.values()):
        out["prompt_tokens_details"] = {name: count for name, count in cached.items() if count is not None}
    return out


def _frame(at: int, event: str, record: dict[str, Any]) -> bytes:
    return b"id:%d\nevent:%s\n:HTTP_STATUS/200\ndata:%s\n\n" % (at, event.encode(), msgspec.json.encode(record))
