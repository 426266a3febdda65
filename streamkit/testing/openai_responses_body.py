"""A scripted answer as a body of OpenAI's Responses stream.

Facts: https://platform.openai.com/docs/api-reference/responses-streaming and the types of the `openai` package
3.57.0, checked 2026-11-29. Each event has its `event:` name, which its JSON repeats as `type`, and a number of its own;
the last one holds the whole response once more, with the usage. Texts and refusals in a row are parts of one message.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import msgspec

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Block, Call, Refusal, Text, Thinking, cut, take_turns
from streamkit.usage import Usage

__all__ = ["FINISH_WORDS", "REASONS", "error_frame", "extras", "render"]

FINISH_WORDS = {
    "stop": "completed",
    "tool_call": "completed",
    "refusal": "completed",
    "length": "incomplete",
    "aborted": "cancelled",
}
# Why a response is incomplete.
REASONS = {"length": "max_output_tokens"}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream; raises `ConfigError` for more than one choice."""
    if answer.choices:
        raise ConfigError("openai-responses has no answers beside the first; leave out `choices`")
    output: list[dict[str, Any]] = []
    events = [_event("response.created", response=_response(answer, "in_progress", []))]
    for is_call, group in groupby(_items(answer.parts()), key=lambda blocks: isinstance(blocks[0], Call)):
        runs = []
        for blocks in group:
            item = _item(blocks, len(output))
            runs.append(_run(blocks, item, len(output), piece))
            output.append(item)
        events += take_turns(runs) if is_call and interleave else [event for run in runs for event in run]
    word = answer.raw_finish or FINISH_WORDS.get(answer.finish_type, answer.finish_type)
    last = "response.incomplete" if word == "incomplete" else "response.completed"
    events.append(_event(last, response=_response(answer, word, output)))
    return [_frame({**event, "sequence_number": at}) for at, event in enumerate(events)]


def error_frame(message: str, type: str) -> bytes:
    """Return an error as an event of the stream, whose fields stand in the event itself."""
    return _frame(_event("error", code=type, message=message, param=None))


def extras(parts: list[Block]) -> list[dict[str, Any]]:
    """Return what each block ends with: what its item has beside what the block says."""
    out: list[dict[str, Any]] = []
    for at, blocks in enumerate(_items(parts)):
        item = _item(blocks, at)
        kept: dict[str, Any] = {name: item[name] for name in ("id", "status") if name in item}
        if isinstance(blocks[0], Thinking):
            kept["summary"] = [{**part, "text": len(part["text"])} for part in item["summary"]]
        out += [kept for _ in blocks]
    return out


def _items(parts: list[Block]) -> list[list[Block]]:
    """The blocks of each item."""
    out: list[list[Block]] = []
    for is_message, group in groupby(parts, key=lambda block: isinstance(block, (Text, Refusal))):
        blocks = list(group)
        out += [blocks] if is_message else [[block] for block in blocks]
    return out


def _item(blocks: list[Block], at: int) -> dict[str, Any]:
    """An item as it is at its end."""
    first = blocks[0]
    if isinstance(first, Thinking):
        summary = [{"type": "summary_text", "text": first.text}] if first.text else []
        signed = {} if first.signature is None else {"encrypted_content": first.signature}
        return {"type": "reasoning", "id": f"rs_{at}", "summary": summary, **signed}
    if isinstance(first, Call):
        call = {"call_id": first.id, "name": first.name, "arguments": first.text}
        return {"type": "function_call", "id": f"fc_{at}", "status": "completed", **call}
    content = [_part(block, block.text) for block in blocks]
    return {"type": "message", "id": f"msg_{at}", "status": "completed", "role": "assistant", "content": content}


def _part(block: Block, text: str) -> dict[str, Any]:
    if isinstance(block, Refusal):
        return {"type": "refusal", "refusal": text}
    return {"type": "output_text", "text": text, "annotations": []}


def _run(blocks: list[Block], item: dict[str, Any], at: int, piece: int) -> list[dict[str, Any]]:
    """The events of one item."""
    place = {"output_index": at, "item_id": item["id"]}
    empty: dict[str, dict[str, Any]] = {
        "message": {"content": []},
        "reasoning": {"summary": []},
        "function_call": {"arguments": ""},
    }
    begun = {**item, **empty[item["type"]]}
    events = [_event("response.output_item.added", output_index=at, item=begun)]
    for number, block in enumerate(blocks):
        events += _block(block, number, place, piece)
    return [*events, _event("response.output_item.done", output_index=at, item=item)]


def _block(block: Block, number: int, place: dict[str, Any], piece: int) -> list[dict[str, Any]]:
    pieces = list(cut(block.text, piece))
    if isinstance(block, Call):
        name, whole = "response.function_call_arguments", {"arguments": block.text}
        return [*_deltas(name, pieces, place), _event(f"{name}.done", **place, **whole)]
    if isinstance(block, Thinking):
        if not block.text:
            return []
        name, part, field = "response.reasoning_summary_text", "response.reasoning_summary_part", "text"
        place = {**place, "summary_index": 0}
        empty, full = ({"type": "summary_text", "text": text} for text in ("", block.text))
    else:
        refusal = isinstance(block, Refusal)
        name = "response.refusal" if refusal else "response.output_text"
        part, field = "response.content_part", "refusal" if refusal else "text"
        place = {**place, "content_index": number}
        empty, full = _part(block, ""), _part(block, block.text)
    return [
        _event(f"{part}.added", **place, part=empty),
        *_deltas(name, pieces, place),
        _event(f"{name}.done", **place, **{field: block.text}),
        _event(f"{part}.done", **place, part=full),
    ]


def _deltas(name: str, pieces: list[str], place: dict[str, Any]) -> list[dict[str, Any]]:
    return [_event(f"{name}.delta", **place, delta=text) for text in pieces]


def _response(answer: Answer, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    reason = REASONS.get(answer.finish_type) if status == "incomplete" and not answer.raw_finish else None
    ended = status != "in_progress"
    return {
        "id": answer.id,
        "object": "response",
        "created_at": 1760000000,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "model": answer.model,
        "output": output,
        "usage": _usage(answer.usage) if ended and answer.usage is not None else None,
    }


def _usage(usage: Usage) -> dict[str, Any]:
    prompt = sum(n or 0 for n in (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens))
    cached = {"cached_tokens": usage.cache_read_tokens, "cache_write_tokens": usage.cache_write_tokens}
    out: dict[str, Any] = {
        "input_tokens": prompt,
        "input_tokens_details": {name: count for name, count in cached.items() if count is not None},
        "output_tokens": usage.output_tokens or 0,
        "total_tokens": prompt + (usage.output_tokens or 0),
    }
    if usage.reasoning_tokens is not None:
        out["output_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens}
    return out


def _event(type: str, **fields: Any) -> dict[str, Any]:
    return {"type": type, **fields}


def _frame(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: ".encode() + msgspec.json.encode(event) + b"\n\n"
