"""Conversations and answers → foundation's messages, and back.

Lost on the way to foundation: parts without a place there and thinking that only its origin can read (with a
`HistoryWarning`), whether a text was a value or a refusal, that the parts of a user's message were one message, the
text of arguments that were no JSON object, the dialect that a message came in and what else it wants back, the
provider's id, reasoning tokens, of a finish reason the provider's own word and its category, empty texts of an answer,
messages of a user without content, and of `meta` all but an answer's origin and time, a user's name and a result's
name, error, time and details (which become text). Lost on the way back:
the ids of messages, the signatures of users and results, which text of a result is its error, fingerprints and timing,
what a model's name is beside a name, and where one answer ends and the next begins with nothing between them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from streamkit.accumulator import accumulate
from streamkit.blocks import Block, ThinkingPart
from streamkit.custom import convert_to_llm
from streamkit.deltas import (
    BlockAdded,
    Delta,
    Logprobs,
    MessageEnd,
    MessageStart,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UsageSnapshot,
)
from streamkit.errors import ConfigError
from streamkit.interop.foundation.content import (
    Embedding,
    GenerationMetadata,
    ImageContent,
    LogProbs,
    ModelOutput,
    RefusalReason,
    TextContent,
    ThinkingContent,
    ToolCall,
    UserModelContent,
    to_usage,
    to_usage_report,
)
from streamkit.interop.foundation.messages import Assistant, Messages, ToolResult, User
from streamkit.interop.foundation.stops import error_of, finish_of, stop_of
from streamkit.interop.images import embedded, image_part
from streamkit.interop.losses import warn_left_out
from streamkit.messages import FinishReason, Message, MessageLike, MessageOutput, Meta, as_message
from streamkit.models import ModelId
from streamkit.parts import FunctionPart, ImagePart, Part, TextPart, ValuePart
from streamkit.protocols.values import base64_text, json_text, part_text

__all__ = [
    "from_answer",
    "from_foundation",
    "metadata_of",
    "output_of",
    "part_of",
    "to_answer",
    "to_foundation",
]

logger = logging.getLogger("streamkit")

_FORM = "foundation's form"
_FAILED = "failed"  # the error of a result that has no text


def to_foundation(conversation: Iterable[MessageLike]) -> list[Messages]:
    """Return a conversation with one message for each of its blocks; of custom messages it holds what the model sees.

    Raises `ImageNotEmbedded` for an image that is an address.
    """
    out: list[Messages] = []
    for message in convert_to_llm([as_message(given) for given in conversation]):
        if message.role == "assistant":
            finish = FinishReason("tool_call" if message.tool_calls else "stop")
            out += from_answer(MessageOutput(message, finish))
        elif message.role == "tool":
            out += _results(message)
        else:
            role = message.role if message.role == "system" else (message.meta and message.meta.name) or "user"
            out += (User(content, role) for content in _contents(message))
    return out


def from_foundation(messages: Iterable[Messages | str]) -> list[Message]:
    """Return foundation's messages as a conversation; a string is what a human says."""
    out: list[Message] = []
    for (kind, _), group in groupby(messages, _group):
        if kind is Assistant:
            out.append(to_answer([one for one in group if isinstance(one, Assistant)]).message)
        elif kind is ToolResult:
            out.append(_result([one for one in group if isinstance(one, ToolResult)]))
        else:
            out += (_user(one) for one in group)
    return out


def from_answer(output: MessageOutput) -> list[Assistant]:
    """Return an answer as one message for each block; the last has the usage and the metadata."""
    origin = output.message.meta.origin if output.message.meta else None
    model = ModelId(output.model or (origin.model if origin else ""))
    provider = output.provider or (origin.provider if origin else "")
    timestamp = (output.message.meta.timestamp if output.message.meta else None) or 0
    stop, error = stop_of(output.finish_reason), error_of(output.finish_reason)
    outputs = list(_outputs(output.message)) or [TextContent("")]
    made = [Assistant(one, model, provider, stop, timestamp=timestamp) for one in outputs]
    made[-1].usage, made[-1].error_detail = to_usage_report(output.usage), error
    made[-1].metadata = metadata_of(output) or None
    return made


def to_answer(messages: Sequence[Assistant]) -> MessageOutput:
    """Return the messages of one answer as that; the last usage and reason to stop are the answer's.

    Raises `ConfigError` where there is none.
    """
    if not messages:
        raise ConfigError("an answer in foundation's form has at least one message, for that says why it ended")
    first, last = messages[0], messages[-1]
    meta = Meta(timestamp=first.timestamp) if first.timestamp else None
    deltas: list[Delta] = [
        MessageStart(model=first.model.name or None, provider=first.provider or None, meta=meta),
    ]
    index = 0
    for message in messages:
        block = list(_block(index, message.content))
        deltas += block
        index += bool(block)
        for one in message.metadata or ():
            if isinstance(one, LogProbs):
                deltas.append(Logprobs(one.content, one.refusal))
        usage = to_usage(message.usage)
        if usage is not None:
            deltas.append(UsageSnapshot(usage))
    deltas.append(MessageEnd(finish_of(last)))
    output = accumulate(deltas)
    calls = [message.content for message in messages if isinstance(message.content, ToolCall)]
    if calls:  # deltas know nothing of an order of calls
        made = zip(output.message.tool_calls or (), calls, strict=True)
        output.message.tool_calls = [_ordered(part, call) for part, call in made]
    return output


def output_of(block: Block) -> ModelOutput | None:
    """Return a block of a message in foundation's form, None where that has no place for it."""
    part = block.part
    if isinstance(part, ThinkingPart):
        return ThinkingContent(part.text, block.signature)
    if isinstance(part, FunctionPart):
        arguments: dict[str, Any] | None = part.function.arguments
        if part.error is not None or part.custom:
            logger.warning("the call %s of %s has no arguments: %s", part.id, part.function.name, part.error)
            arguments = None
        hint = part.execution_hint or "unspecified"
        return ToolCall(part.id, part.function.name, arguments, block.signature, list(part.depends_on), hint)
    if isinstance(part, ImagePart):
        return _image(part)
    if isinstance(part, ValuePart) and isinstance(part.value, dict) and set(part.value) == {"dimensions", "values"}:
        return Embedding(part.value["dimensions"], part.value["values"])
    text = part_text(part)
    return None if text is None else TextContent(text, block.signature)


def metadata_of(output: MessageOutput) -> list[GenerationMetadata]:
    """Return what the provider said beside the message."""
    out: list[GenerationMetadata] = []
    if output.logprobs or output.refusal_logprobs:
        out.append(LogProbs(output.logprobs or [], output.refusal_logprobs))
    finish = output.finish_reason
    if finish is not None and finish.type == "refusal":
        out.append(RefusalReason(finish.reason or ""))
    return out


def part_of(content: ImageContent | Embedding) -> Part:
    """Return what is no text as a part; raises `ConfigError` where an image is no base64."""
    if isinstance(content, Embedding):
        return ValuePart({"dimensions": content.dimensions, "values": content.values})
    return image_part(content.mime_type, content.b64)


def _ordered(part: FunctionPart, call: ToolCall) -> FunctionPart:
    hint = None if call.execution_hint == "unspecified" else call.execution_hint
    return msgspec.structs.replace(part, depends_on=tuple(call.depends_on), execution_hint=hint)


def _group(message: Messages | str) -> tuple[type, Any]:
    """What neighbours share that belong together: chunks of one answer, parts of one result."""
    if isinstance(message, ToolResult):
        return ToolResult, message.tool_call_id
    return (Assistant, None) if isinstance(message, Assistant) else (User, None)


def _user(message: Messages | str) -> Message:
    if isinstance(message, str):
        return Message("user", [TextPart(message)])
    if not isinstance(message, User):
        raise ConfigError(f"this is no message of foundation's: {type(message).__name__}")
    contents = [_content_part(message.content)]
    if message.role == "system":
        return Message("system", contents)
    return Message("user", contents, meta=None if message.role == "user" else Meta(name=message.role))


def _result(messages: Sequence[ToolResult]) -> Message:
    first = messages[0]
    contents = [_content_part(message.content) for message in messages]
    errors = dict.fromkeys(message.error_detail for message in messages if message.error_detail is not None)
    failed = bool(errors)
    said = {part.text for part in contents if isinstance(part, TextPart)}
    told: list[Part] = [TextPart(error) for error in errors if error and error not in {*said, _FAILED}]
    contents = told if told and contents == [TextPart("")] else [*contents, *told]
    meta = Meta(is_error=failed, name=first.name or None, details=first.details, timestamp=first.timestamp or None)
    return Message("tool", contents, id=first.tool_call_id, meta=None if meta == Meta() else meta)


def _results(message: Message) -> Iterator[ToolResult]:
    meta = message.meta or Meta()
    details = meta.details if meta.details is None or isinstance(meta.details, str) else json_text(meta.details)
    for content in _contents(message) or [TextContent("")]:
        error = (content.content if isinstance(content, TextContent) else _FAILED) if meta.is_error else None
        yield ToolResult(
            message.id or "",
            meta.name or "",
            content,
            timestamp=meta.timestamp or 0,
            details=details,
            error_detail=error,
        )


def _contents(message: Message) -> list[UserModelContent]:
    out: list[UserModelContent] = []
    for part in message.contents:
        text = part_text(part)
        if text is not None:
            out.append(TextContent(text))
        elif isinstance(part, ImagePart):
            out.append(_image(part))
        else:
            warn_left_out(part, _FORM)
    return out


def _content_part(content: UserModelContent) -> Part:
    return TextPart(content.content) if isinstance(content, TextContent) else part_of(content)


def _outputs(message: Message) -> Iterator[ModelOutput]:
    for block in message.iter_blocks():
        output = output_of(block)
        if output is None:
            warn_left_out(block.part, _FORM)
        else:
            yield output


def _image(part: ImagePart) -> ImageContent:
    image = embedded(part, _FORM)
    return ImageContent(base64_text(image.data), image.mime_type)


def _block(index: int, content: ModelOutput) -> Iterator[Delta]:
    if isinstance(content, TextContent):
        if content.content or content.signature:
            yield TextStart(index)
            yield TextDelta(index, content.content)
            yield TextEnd(index, signature=content.signature)
    elif isinstance(content, ThinkingContent):
        yield ThinkingStart(index)
        yield ThinkingDelta(index, content.thinking)
        yield ThinkingEnd(index, signature=content.signature)
    elif isinstance(content, ToolCall):
        yield ToolCallStart(index, content.id, content.name)
        yield ToolCallDelta(index, json_text(content.arguments))
        yield ToolCallEnd(index, signature=content.signature)
    else:
        yield BlockAdded(index, part_of(content))
