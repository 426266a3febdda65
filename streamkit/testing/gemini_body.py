"""A scripted answer as a body of Gemini's `streamGenerateContent?alt=sse`.

Facts: https://ai.google.dev/api/generate-content and recordings of the Gemini API, checked 2026-11-29. Records have no
names; each is a whole response with what is new; calls come whole, thoughts are text that is marked; there is no end
sentinel and no finish reason for calls. A signature comes in a part of its own.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import msgspec

from streamkit.testing.answers import Answer, Block, Call, Refusal, Text, Thinking, cut, take_turns
from streamkit.usage import Usage

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

FINISH_WORDS = {
    "stop": "STOP",
    "length": "MAX_TOKENS",
    "tool_call": "STOP",
    "refusal": "SAFETY",
    "error": "MALFORMED_FUNCTION_CALL",
    "other": "OTHER",
}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream; `interleave` changes nothing, since calls are whole."""
    candidates = [heard(each) for each in (answer, *answer.choices)]
    records = [[{"index": index, "content": {"role": "model"}} for index in range(len(candidates))]]
    runs = [
        [{"index": index, "content": {"role": "model", "parts": [part]}} for part in _parts(candidate, piece)]
        for index, candidate in enumerate(candidates)
    ]
    records += [[candidate] for candidate in take_turns(runs)]
    records += [[_end(candidate, index)] for index, candidate in enumerate(candidates)]
    chunks: list[dict[str, Any]] = [
        {"candidates": each, "modelVersion": answer.model, "responseId": answer.id} for each in records
    ]
    if candidates[0].usage is not None:
        chunks[-1]["usageMetadata"] = _counts(candidates[0].usage)
    return list(map(_frame, chunks))


def error_frame(message: str, type: str) -> bytes:
    """Return an error as a record of the stream."""
    return _frame({"error": {"code": 503, "message": message, "status": type}})


def heard(answer: Answer) -> Answer:
    """Return what of an answer the dialect can say.

    Neighbours of one kind are one block, and a signature stands after them; what is written to a cache is input, and
    thinking is part of the output.
    """
    out: list[Block] = []
    for kind, group in groupby(_unsigned(answer.parts()), key=lambda block: (type(block), _signature(block))):
        if kind[0] in (Text, Thinking) and kind[1] is None:
            text = "".join(block.text for block in group)
            out += [Thinking(text) if kind[0] is Thinking else Text(text)] if text else []
        else:
            out += group
    usage = answer.usage
    if usage is not None:
        usage = Usage(
            (usage.input_tokens or 0) + (usage.cache_write_tokens or 0),
            max(usage.output_tokens or 0, usage.reasoning_tokens or 0),
            usage.cache_read_tokens,
            reasoning_tokens=usage.reasoning_tokens,
        )
    return msgspec.structs.replace(answer, blocks=list(out), usage=usage, choices=[])


def _unsigned(blocks: list[Block]) -> list[Block]:
    """The blocks, with each signature in one of its own."""
    out: list[Block] = []
    for block in blocks:
        if isinstance(block, Thinking) and block.signature is not None:
            out += [Thinking(block.text), Thinking("", block.signature)]
        else:
            out.append(block)
    return [block for block in out if not isinstance(block, (Text, Thinking)) or block.text or _signature(block)]


def _signature(block: Block) -> str | None:
    return block.signature if isinstance(block, Thinking) else None


def _parts(answer: Answer, piece: int) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for block in answer.parts():
        match block:
            case Call():
                parts.append({"functionCall": {"id": block.id, "name": block.name, "args": _arguments(block)}})
            case Thinking(signature=str() as signature):
                parts.append({"text": "", "thought": True, "thoughtSignature": signature})
            case Thinking(text=text):
                parts += [{"text": part, "thought": True} for part in cut(text, piece)]
            case Text(text=text):
                parts += [{"text": part} for part in cut(text, piece)]
    return parts


def _arguments(call: Call) -> Any:
    """The arguments as the object that they are, or the text of what is none, as from careless gateways."""
    try:
        value = msgspec.json.decode(call.text)
    except msgspec.DecodeError:
        return call.text
    return value if isinstance(value, dict) else call.text


def _end(answer: Answer, index: int) -> dict[str, Any]:
    word = answer.raw_finish or FINISH_WORDS.get(answer.finish_type, answer.finish_type)
    end = {"index": index, "content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": word}
    refusals = [block.text for block in answer.parts() if isinstance(block, Refusal)]
    return {**end, "finishMessage": "".join(refusals)} if refusals else end


def _counts(usage: Usage) -> dict[str, int]:
    prompt = (usage.input_tokens or 0) + (usage.cache_read_tokens or 0)
    thoughts = usage.reasoning_tokens or 0
    counts = {"promptTokenCount": prompt, "candidatesTokenCount": (usage.output_tokens or 0) - thoughts}
    if usage.cache_read_tokens is not None:
        counts["cachedContentTokenCount"] = usage.cache_read_tokens
    if usage.reasoning_tokens is not None:
        counts["thoughtsTokenCount"] = thoughts
    return {**counts, "totalTokenCount": prompt + (usage.output_tokens or 0)}


def _frame(record: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(record) + b"\n\n"
