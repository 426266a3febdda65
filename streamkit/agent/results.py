"""What a tool gave, or why it failed, as a message for the model; and such a message as deltas."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from streamkit.deltas import BlockAdded, Delta, MessageEnd, MessageStart
from streamkit.errors import ToolError
from streamkit.messages import FinishReason, Message, Meta
from streamkit.params import encode_json
from streamkit.parts import FunctionPart, Part, ValuePart
from streamkit.tools import ToolResult

__all__ = ["RESULT_END", "as_json", "describe", "is_error", "result_deltas", "result_message"]

RESULT_END = FinishReason("stop")

_PARTS = get_args(Part)


def result_message(call: FunctionPart, value: Any, *, failed: bool = False) -> Message:
    """Return the message that answers `call`: one `ValuePart`, or the parts that the tool gave.

    A part, a list of parts, and the contents of a message go through as they are. What else a `ToolResult` says stands
    in `meta`. Raises `ToolError` for a value, or details, without a JSON form.
    """
    result = value if isinstance(value, ToolResult) else ToolResult(value, is_error=failed)
    meta = Meta(
        name=call.function.name,
        is_error=result.is_error,
        details=None if result.details is None else as_json(result.details),
        added_tool_names=result.added_tool_names,
    )
    return Message("tool", _contents(result.value), id=call.id, meta=meta)


def _contents(value: Any) -> list[Part]:
    if isinstance(value, Message):
        return list(value.contents)
    if isinstance(value, _PARTS):
        return [value]
    if isinstance(value, list) and value and all(isinstance(item, _PARTS) for item in value):
        return list(value)
    return [ValuePart(as_json(value))]


def result_deltas(message: Message) -> list[Delta]:
    """Return the deltas that fold to `message`, the end included."""
    start = MessageStart("tool", message.id, meta=msgspec.structs.replace(message.meta) if message.meta else None)
    blocks = [BlockAdded(index, part) for index, part in enumerate(message.contents)]
    return [start, *blocks, MessageEnd(RESULT_END)]


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
    try:
        text = str(error).encode("utf-8", "replace").decode()
    except Exception:  # an error whose own text fails must not end the run in place of the call
        text = ""
    if isinstance(error, ToolError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
