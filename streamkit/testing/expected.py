"""The message that a scripted answer must become, worked out from the script and by no part of the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import msgspec

from streamkit.blocks import BlockRef, thinking_ref
from streamkit.messages import FinishReason, Message, MessageOutput, Meta, Origin
from streamkit.parts import FunctionCall, FunctionPart, RefusalPart, TextPart
from streamkit.testing.answers import Answer, Block, Call, Refusal, Text, Thinking
from streamkit.testing.scripts import dialect_of

__all__ = ["expected"]

# The dialects that say where a block ends, so that neighbours of one kind are two.
EXPLICIT_BLOCKS = {"openai-responses", "anthropic", "gemini", "gemini-interactions", "cohere", "bedrock-converse"}
# Those in which a refusal is no block: it is in the finish reason.
REFUSAL_AS_REASON = {"anthropic", "gemini"}


def expected(answer: Answer, protocol: str = "openai-chat", provider: str = "") -> MessageOutput:
    """Return what reading `render(answer, protocol)` as `provider` must give, without `timing`.

    Of `answer.choices` each is asked for by itself; what is the response's (id, model, usage) is the first one's.
    Raises `ConfigError` for a protocol in which no answer can be scripted.
    """
    answer = dialect_of(protocol).heard(answer)
    blocks = answer.parts() if protocol in EXPLICIT_BLOCKS else _openai_chat(answer.parts())
    if protocol in REFUSAL_AS_REASON:
        blocks = [block for block in blocks if not isinstance(block, Refusal)]
    extras = dialect_of(protocol).extras
    message = _message(blocks, extras(blocks) if extras else [None] * len(blocks))
    if message.thinking or message.signature or message.blocks:
        message.meta = Meta(Origin(protocol, provider, answer.model))
    return MessageOutput(
        message,
        finish_reason=_finish(answer, protocol),
        usage=answer.usage,
        model=answer.model or None,
        provider=provider or None,
        id=answer.id or None,
    )


def _openai_chat(blocks: list[Block]) -> list[Block]:
    """Neighbours of one kind cannot be told apart, and a signature is not sent."""
    out: list[Block] = []
    said = [block for block in blocks if isinstance(block, Call) or block.text]
    for kind, group in groupby(said, type):
        if kind is Call:
            out += group
        else:
            out.append(kind("".join(block.text for block in group)))
    return out


def _message(blocks: list[Block], extras: Sequence[dict[str, Any] | None]) -> Message:
    message = Message("assistant")
    calls: list[FunctionPart] = []
    refs: list[BlockRef] = []
    thinking = "".join(block.text for block in blocks if isinstance(block, Thinking))
    at = 0
    for block, extra in zip(blocks, extras, strict=True):
        match block:
            case Thinking(text=text, signature=signature):
                if not text and signature is None and extra is None:
                    continue
                refs.append(thinking_ref(thinking, at, at + len(text), signature, extra))
                at += len(text)
            case Call():
                refs.append(BlockRef("tool_calls", len(calls), extra=extra))
                calls.append(_function(block))
            case Text(text=text) | Refusal(text=text):
                if not text:
                    continue
                refs.append(BlockRef("contents", len(message.contents), extra=extra))
                message.contents.append(TextPart(text) if isinstance(block, Text) else RefusalPart(text))
    message.thinking = thinking or None
    message.tool_calls = calls or None
    signatures = [ref.signature for ref in refs if ref.of == "thinking"]
    message.signature = signatures[0] if len(signatures) == 1 else None
    order = [("thinking", "contents", "tool_calls").index(ref.of) for ref in refs]
    if order != sorted(order) or len(signatures) > 1 or any(ref.extra for ref in refs):
        message.blocks = refs
    return message


def _function(call: Call) -> FunctionPart:
    text = call.text
    if not text:
        return FunctionPart(call.id, FunctionCall(call.name))
    try:
        arguments: Any = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return FunctionPart(call.id, FunctionCall(call.name), text, "the arguments are not valid JSON")
    if not isinstance(arguments, dict):
        return FunctionPart(call.id, FunctionCall(call.name), text, "the arguments are not a JSON object")
    return FunctionPart(call.id, FunctionCall(call.name, arguments))


def _finish(answer: Answer, protocol: str) -> FinishReason:
    if not dialect_of(protocol).finish_words:
        return FinishReason("stop", synthesized=True)
    word = answer.raw_finish or dialect_of(protocol).finish_words.get(answer.finish_type, answer.finish_type)
    refusals = [block.text for block in answer.parts() if isinstance(block, Refusal)]
    reason = None if answer.raw_finish else dialect_of(protocol).reasons.get(answer.finish_type)
    if refusals and protocol in REFUSAL_AS_REASON:
        reason = "".join(refusals)
    return FinishReason(answer.finish_type, raw=word, reason=reason)
