"""What a tool gave, or why it failed, as a message for the model; and such a message as deltas."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from streamkit.deltas import BlockAdded, Delta, MessageEnd, MessageStart, UsageSnapshot
from streamkit.errors import ToolError
from streamkit.messages import FinishReason, Message, Meta
from streamkit.params import encode_json
from streamkit.parts import FunctionPart, Part, TextPart, ValuePart
from streamkit.tools import ToolResult
from streamkit.usage import Usage

__all__ = [
    "ABORTED_CALL",
    "CALL_LEFT_OUT",
    "CUT_OFF",
    "MAX_RESULT_CHARS",
    "NOT_KEPT",
    "RESULT_END",
    "RESULT_LEFT_OUT",
    "STEERED_CALL",
    "as_json",
    "describe",
    "is_error",
    "not_run",
    "result_deltas",
    "result_message",
    "text_of",
]

RESULT_END = FinishReason("stop")

# How much text of a result the model gets unless an agent or a tool says otherwise: some 7,500 tokens of prose.
MAX_RESULT_CHARS = 30_000

# What the model is told of a call without a result.
CUT_OFF = "The call was interrupted before it had a result; what it did until then may have had effects."
ABORTED_CALL = "The call was interrupted by the user; what it did until then may have had effects."
STEERED_CALL = "The call was interrupted by a message from the user; what it did until then may have had effects."
NOT_KEPT = "There is no result: the program that ran the call ended first. What the call did may have had effects."
RESULT_LEFT_OUT = "There is no result any more: it was left out when the conversation was made shorter."

# Why a call was not run, by how its answer ended; else the answer was cut off from outside.
_NOT_RUN_BECAUSE = {
    "length": "the answer reached its limit of length",
    "refusal": "the answer was refused or blocked",
    "aborted": "the user ended the run",
    "steered": "a message from the user came first",
    "error": "an error cut off the answer",
    "stop": "the answer ended as one without calls",
    "other": "the answer ended otherwise than by its calls",
}

# What stands before a result whose call is no longer there, by whether it failed.
CALL_LEFT_OUT = {
    False: "An earlier call of {}, left out when the conversation was made shorter, had this result:",
    True: "An earlier call of {}, left out when the conversation was made shorter, failed with this result:",
}

_PARTS = get_args(Part)


def result_message(call: FunctionPart, value: Any, *, failed: bool = False, max_chars: int | None = None) -> Message:
    """Return the message that answers `call`: one `ValuePart`, or the parts that the tool gave.

    A part, a list of parts, and the contents of a message go through as they are. What else a `ToolResult` says stands
    in `meta`. Text and values in JSON have no more than `max_chars` together; where some was cut, they end with a note
    of how much, which counts too, or with `…` where the limit has no room for it. What was cut is not kept. Raises
    `ToolError` for a value, or details, without a JSON form.
    """
    result = value if isinstance(value, ToolResult) else ToolResult(value, is_error=failed)
    meta = Meta(
        name=call.function.name,
        is_error=result.is_error,
        details=None if result.details is None else as_json(result.details),
        added_tool_names=result.added_tool_names,
    )
    contents = _contents(result.value)
    return Message("tool", contents if max_chars is None else _cut(contents, max_chars), id=call.id, meta=meta)


def _contents(value: Any) -> list[Part]:
    if isinstance(value, Message):
        return list(value.contents)
    if isinstance(value, _PARTS):
        return [value]
    if isinstance(value, list) and value and all(isinstance(item, _PARTS) for item in value):
        return list(value)
    return [ValuePart(as_json(value))]


def _cut(parts: list[Part], limit: int) -> list[Part]:
    """The parts with so many characters of text, the note included; images and all else stay."""
    texts = [_text(part) for part in parts]
    total = sum(len(text) for text in texts if text is not None)
    if total <= limit:
        return parts
    left = limit - len(_note(total, total, limit))  # no note of fewer is longer
    note = _note(total - left, total, limit)
    if left < 0:
        left, note = limit - 1, "…"
    kept = list[Part]()
    for part, text in zip(parts, texts, strict=True):
        if text is None or len(text) <= left:
            kept.append(part)
            left -= len(text or "")
        elif note:
            short = text[:left] + note
            kept.append(TextPart(short) if isinstance(part, TextPart) else ValuePart(short))
            left, note = 0, ""
    return kept


def _note(missing: int, total: int, limit: int) -> str:
    return f"\n[{missing:,} of {total:,} characters left out: a result may have {limit:,}]"


def _text(part: Part) -> str | None:
    """What a part costs of the limit, None for what is not cut."""
    if isinstance(part, TextPart):
        return part.text
    if isinstance(part, ValuePart):
        return part.value if isinstance(part.value, str) else encode_json(part.value).decode()
    return None


def not_run(ended: str | None, *, aborted: bool = False) -> str:
    """Return what the model is told of a call that was not run, by the finish reason of its answer, None for none.

    An answer that ended by its calls was `aborted` before they were run, or else a message from the user came.
    """
    if ended == "tool_call":
        ended = "aborted" if aborted else "steered"
    return f"The call was not run, because {_NOT_RUN_BECAUSE.get(ended or '', 'the answer was cut off')}."


def result_deltas(message: Message, usage: Usage | None = None) -> list[Delta]:
    """Return the deltas that fold to `message` and to what its tool has used, the end included."""
    start = MessageStart("tool", message.id, meta=msgspec.structs.replace(message.meta) if message.meta else None)
    blocks = [BlockAdded(index, part) for index, part in enumerate(message.contents)]
    spent = [] if usage is None else [UsageSnapshot(usage)]
    return [start, *blocks, *spent, MessageEnd(RESULT_END)]


def is_error(message: Message) -> bool:
    """Whether a tool message says that the call failed."""
    return message.meta is not None and message.meta.is_error


def as_json(value: Any) -> Any:
    """Return `value` as JSON would give it back, a copy; raises `ToolError` where it has no JSON form.

    Lone surrogates, as names of files may hold, are U+FFFD.
    """
    try:
        return msgspec.json.decode(encode_json(value))
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise ToolError(f"{type(value).__name__} has no JSON form: {error}") from None


def describe(error: BaseException) -> str:
    """Return what the model is told of an exception: its type and message, of a `ToolError` the message alone."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(describe(one) for one in error.exceptions)
    text = text_of(error)
    if isinstance(error, ToolError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def text_of(error: BaseException) -> str:
    """Return the message of an exception, none where making it fails: that must not take the place of the error."""
    try:
        return str(error).encode("utf-8", "replace").decode()
    except Exception:  # `__str__` may raise anything
        return ""
