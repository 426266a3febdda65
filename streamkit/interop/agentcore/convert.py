"""Conversations and answers → AgentCore's messages, and back.

Lost on the way to AgentCore: thinking and signatures, images of the model, parts that are neither text nor image (with
a `HistoryWarning`), whether a text was a value or a refusal, of `meta` all but the time, an answer's origin and a
result's name, error and details, and of a finish reason all but its word; a refusal is an error with its reason, and a
system message after the front is the user's. Lost on the way back: what was wrong with a call's arguments (it counts as
cut short, and so does the free text of a custom tool), a result's usage and the tools that it added. For messages of an
application see `custom`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from streamkit import usage as ours
from streamkit.accumulator import accumulate
from streamkit.blocks import OpaquePart, ThinkingPart
from streamkit.deltas import (
    Delta,
    MessageEnd,
    MessageStart,
    TextDelta,
    TextEnd,
    TextStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UsageSnapshot,
)
from streamkit.interop.agentcore.contents import FORM, contents_of, parts_of
from streamkit.interop.agentcore.custom import from_custom, to_custom
from streamkit.interop.agentcore.messages import (
    AssistantContent,
    AssistantMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UsageCost,
    UserMessage,
)
from streamkit.interop.losses import warn_left_out
from streamkit.messages import FinishReason, Message, MessageLike, MessageOutput, Meta, Origin, as_message
from streamkit.parts import FunctionPart
from streamkit.protocols.values import json_text, part_text

__all__ = [
    "answer_deltas",
    "finish_of",
    "from_agentcore",
    "from_answer",
    "from_usage",
    "stop_of",
    "to_agentcore",
    "to_answer",
    "to_usage",
]

_DONE = {"done", "stop", "toolUse"}  # the last two are the words of what AgentCore is modelled on


def to_agentcore(conversation: Iterable[MessageLike]) -> list[Any]:
    """Return a conversation, its custom messages as those of an application.

    Raises `ImageNotEmbedded` for an image that is an address, and `ConfigError` for a custom message that is not of its
    kind.
    """
    out: list[Any] = []
    for given in conversation:
        message = as_message(given)
        meta = message.meta or Meta()
        timestamp = meta.timestamp or 0
        if meta.custom is not None:
            custom = from_custom(message)
            out += [] if custom is None else [custom]
        elif message.role == "assistant":
            out.append(from_answer(MessageOutput(message, FinishReason("stop"))))
        elif message.role == "tool":
            contents = contents_of(message.contents)
            out.append(
                ToolResultMessage(
                    message.id or "",
                    meta.name or "",
                    contents,
                    meta.details,
                    is_error=meta.is_error,
                    timestamp=timestamp,
                )
            )
        else:
            out.append(UserMessage(contents_of(message.contents), timestamp))
    return out


def from_agentcore(messages: Iterable[Any]) -> list[Message]:
    """Return AgentCore's messages as a conversation, those of an application as custom messages.

    Raises `ConfigError` for a message of a type that is not registered by `streamkit.register_message`.
    """
    out: list[Message] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            out.append(to_answer(message).message)
        elif isinstance(message, ToolResultMessage):
            meta = Meta(
                is_error=message.is_error,
                name=message.tool_name or None,
                details=message.details,
                timestamp=message.timestamp or None,
            )
            out.append(Message("tool", parts_of(message.content), id=message.tool_call_id, meta=_meta(meta)))
        elif isinstance(message, UserMessage):
            meta = Meta(timestamp=message.timestamp or None)
            out.append(Message("user", parts_of(message.content), meta=_meta(meta)))
        else:
            out.append(to_custom(message))
    return out


def from_answer(output: MessageOutput) -> AssistantMessage:
    """Return an answer, its text and calls in the order in which they were written."""
    message, finish = output.message, output.finish_reason
    meta = message.meta or Meta()
    origin = meta.origin or Origin()
    failed = finish is not None and finish.type in ("error", "refusal")
    return AssistantMessage(
        list(_said(message)),
        origin.protocol,
        output.provider or origin.provider,
        output.model or origin.model,
        from_usage(output.usage),
        stop_of(finish),
        (finish.reason or finish.raw or finish.type) if failed and finish is not None else None,
        meta.timestamp or 0,
    )


def to_answer(message: AssistantMessage) -> MessageOutput:
    """Return one of AgentCore's answers; `done` is a stop, or a call of tools where there are calls."""
    return accumulate(answer_deltas(message))


def answer_deltas(message: AssistantMessage) -> list[Delta]:
    """Return the deltas that make an answer."""
    origin = Origin(message.api, message.provider, message.model)
    meta = Meta(None if origin == Origin() else origin, timestamp=message.timestamp or None)
    deltas: list[Delta] = [
        MessageStart(
            model=message.model or None,
            provider=message.provider or None,
            protocol=message.api or None,
            meta=_meta(meta),
        ),
    ]
    for index, content in enumerate(message.content):
        if isinstance(content, TextContent):
            deltas += [TextStart(index), TextDelta(index, content.text), TextEnd(index)]
        else:
            deltas.append(ToolCallStart(index, content.id, content.name))
            if content.partial_json is None:
                deltas += [ToolCallDelta(index, json_text(content.arguments)), ToolCallEnd(index)]
            else:  # without an end it is one that was cut short, which is never run
                deltas.append(ToolCallDelta(index, content.partial_json))
    usage = to_usage(message.usage)
    if usage is not None:
        deltas.append(UsageSnapshot(usage))
    return [*deltas, MessageEnd(finish_of(message))]


def stop_of(finish: FinishReason | None) -> str:
    """Return why the model stopped, in AgentCore's words."""
    if finish is None:
        return "aborted"
    if finish.type in ("stop", "tool_call"):
        return "done"
    if finish.type in ("error", "refusal"):
        return "error"
    return finish.type if finish.type != "other" else finish.raw or "other"


def finish_of(message: AssistantMessage) -> FinishReason:
    """Return why the model stopped, in ours."""
    word = message.stop_reason
    if word in _DONE:
        calls = any(isinstance(content, ToolCall) for content in message.content)
        return FinishReason("tool_call" if calls else "stop", word)
    if word == "error":
        return FinishReason("error", word, message.error_message)
    if word == "length":
        return FinishReason("length", word)
    return FinishReason("aborted" if word == "aborted" else "other", word)


def from_usage(usage: ours.Usage | None) -> Usage:
    """Return counts: 0 where they were not reported, and without reasoning."""
    if usage is None:
        return Usage()
    cost = usage.cost or ours.UsageCost()
    return Usage(
        usage.input_tokens or 0,
        usage.output_tokens or 0,
        usage.cache_read_tokens or 0,
        usage.cache_write_tokens or 0,
        usage.total_tokens or 0,
        UsageCost(
            cost.input or 0.0, cost.output or 0.0, cost.cache_read or 0.0, cost.cache_write or 0.0, cost.total or 0.0
        ),
    )


def to_usage(usage: Usage) -> ours.Usage | None:
    """Return counts: None where all are 0, and caches that are 0 as not reported."""
    if usage == Usage():
        return None
    cost, known = usage.cost, usage.cost != UsageCost()
    return ours.Usage(
        usage.input,
        usage.output,
        usage.cache_read or None,
        usage.cache_write or None,
        total_tokens=usage.total_tokens or None,
        cost=ours.UsageCost(cost.input, cost.output, cost.cache_read, cost.cache_write, cost.total) if known else None,
    )


def _said(message: Message) -> Iterator[AssistantContent]:
    for block in message.iter_blocks():
        part = block.part
        text = part_text(part)
        if text is not None:
            yield TextContent(text)
        elif isinstance(part, FunctionPart):
            yield ToolCall(part.id, part.function.name, part.function.arguments, part.raw_arguments)
        elif not isinstance(part, (ThinkingPart, OpaquePart)):
            warn_left_out(part, FORM)


def _meta(meta: Meta) -> Meta | None:
    return None if meta == Meta() else meta
