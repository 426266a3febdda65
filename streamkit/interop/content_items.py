"""Content items: messages, tool calls and tool results as one flat list, and the dicts of a chat API made of them.

`to_items` and `from_items` convert messages, `to_request` and `from_request` whole conversations, `to_response` and
`from_response` answers. Lost on the way to items: images and all other parts that are no text (with a
`HistoryWarning`), thinking, signatures, where one text part ends and the next begins, the text of arguments that were
no JSON object, messages without text and calls, `meta` but for a result's name and error, of an answer who gave it and
all counts but input and output, and of a finish reason all but that it was a failure; a refusal's words are text. Lost
on the way back: text after a call becomes a message of its own, or in an answer comes
before the calls; a result's string becomes text, whichever part it was. The dicts hold of a result its first item
only, as Python prints it.
"""

from __future__ import annotations

import json  # noqa: TID251 - arguments are text in the form that it writes: spaces, ASCII only
from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias, Union

import msgspec
from msgspec import Struct, field

from streamkit import messages
from streamkit.blocks import OpaquePart, ThinkingPart
from streamkit.custom import convert_to_llm
from streamkit.interop.losses import warn_left_out
from streamkit.messages import FinishReason, MessageLike, MessageOutput, Meta, as_message
from streamkit.parts import FunctionCall, FunctionPart, Part, RefusalPart, TextPart, ValuePart
from streamkit.protocols.values import part_text
from streamkit.usage import Usage

__all__ = [
    "ContentItem",
    "LlmRequest",
    "LlmResponse",
    "Message",
    "ToolCall",
    "ToolResult",
    "build_messages",
    "from_items",
    "from_request",
    "from_response",
    "to_items",
    "to_request",
    "to_response",
]

_FORM = "a list of content items"


class Message(Struct, tag="message"):
    """Text of the user or of the assistant."""

    role: Literal["system", "user", "assistant"]
    content: str


class ToolCall(Struct, tag="tool_call"):
    """A tool that the model asks for; `arguments` is a JSON object."""

    tool_call_id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


class ToolResult(Struct, tag="tool_result", omit_defaults=True):
    """What a tool gave, any JSON values; `tool_call_id` is that of the call."""

    tool_call_id: str
    content: list[Any]
    name: str | None = None
    status: Literal["success", "error"] = "success"


ContentItem: TypeAlias = Union[Message, ToolCall, ToolResult]


class LlmRequest(Struct):
    """What is asked of a model: instructions first, then the items in order."""

    instructions: list[str] = field(default_factory=list)
    contents: list[ContentItem] = field(default_factory=list)


class LlmResponse(Struct, omit_defaults=True):
    """What the model gave; `error_message` is set where it failed, was stopped or refused.

    `usage_metadata` has `input_tokens` and `output_tokens`.
    """

    content: list[ContentItem] = field(default_factory=list)
    error_message: str | None = None
    usage_metadata: dict[str, int] = field(default_factory=dict)


def build_messages(request: LlmRequest) -> list[dict[str, Any]]:
    """Return the dicts that a chat API takes.

    A call goes to the assistant's dict right before it, else into a new one without content.
    """
    out: list[dict[str, Any]] = [{"role": "system", "content": text} for text in request.instructions]
    for item in request.contents:
        if isinstance(item, Message):
            out.append({"role": item.role, "content": item.content})
        elif isinstance(item, ToolCall):
            if not out or out[-1]["role"] != "assistant":
                out.append({"role": "assistant", "content": None})
            function = {"name": item.name, "arguments": json.dumps(item.arguments)}
            call = {"id": item.tool_call_id, "type": "function", "function": function}
            out[-1].setdefault("tool_calls", []).append(call)
        else:
            content = str(item.content[0]) if item.content else ""
            out.append({"role": "tool", "tool_call_id": item.tool_call_id, "content": content})
    return out


def to_items(conversation: Iterable[MessageLike]) -> list[ContentItem]:
    """Return a conversation as items, the blocks of each message in the order in which they were written.

    Of custom messages they hold what the model sees.
    """
    return [item for message in convert_to_llm([as_message(one) for one in conversation]) for item in _items(message)]


def from_items(items: Iterable[ContentItem]) -> list[messages.Message]:
    """Return items as messages; calls belong to the assistant's message right before them, else to a new one."""
    out: list[messages.Message] = []
    for item in items:
        if isinstance(item, Message):
            out.append(messages.Message(item.role, [TextPart(item.content)]))
        elif isinstance(item, ToolResult):
            contents: list[Part] = [
                TextPart(value) if isinstance(value, str) else ValuePart(value) for value in item.content
            ]
            failed = item.status == "error"
            meta = Meta(is_error=failed, name=item.name) if failed or item.name is not None else None
            out.append(messages.Message("tool", contents, id=item.tool_call_id, meta=meta))
        else:
            if not out or out[-1].role != "assistant":
                out.append(messages.Message("assistant"))
            call = FunctionPart(item.tool_call_id, FunctionCall(item.name, item.arguments))
            out[-1].tool_calls = [*(out[-1].tool_calls or []), call]
    return out


def to_request(conversation: Iterable[MessageLike]) -> LlmRequest:
    """Return a conversation as a request; the system messages at its front become instructions."""
    items = to_items(conversation)
    front = 0
    while front < len(items) and isinstance(item := items[front], Message) and item.role == "system":
        front += 1
    instructions = [item.content for item in items[:front] if isinstance(item, Message)]
    return LlmRequest(instructions, items[front:])


def from_request(request: LlmRequest) -> list[messages.Message]:
    """Return a request as a conversation; each instruction is a system message at its front."""
    instructions = [messages.Message("system", [TextPart(text)]) for text in request.instructions]
    return [*instructions, *from_items(request.contents)]


def to_response(output: MessageOutput) -> LlmResponse:
    """Return an answer as a response; one that failed, was stopped or refused has an `error_message`."""
    finish, usage = output.finish_reason, output.usage
    error = None
    if finish is not None and finish.type in ("error", "aborted", "refusal"):
        error = finish.reason or finish.raw or finish.type
    counts = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens} if usage else {}
    known = {name: count for name, count in counts.items() if count is not None}
    return LlmResponse(to_items([output.message]), error, known)


def from_response(response: LlmResponse) -> MessageOutput:
    """Return a response as an answer, its items in one message; why it ended is worked out from them."""
    message = messages.Message("assistant")
    for part in from_items(response.content):
        message.contents += part.contents
        if part.tool_calls:
            message.tool_calls = [*(message.tool_calls or []), *part.tool_calls]
    if response.error_message is not None:
        finish = FinishReason("error", reason=response.error_message, synthesized=True)
    else:
        finish = FinishReason("tool_call" if message.tool_calls else "stop", synthesized=True)
    usage = msgspec.convert(response.usage_metadata, Usage) if response.usage_metadata else None
    return MessageOutput(message, finish, usage)


def _items(message: messages.Message) -> Iterator[ContentItem]:
    if message.role == "tool":
        yield _result(message)
        return
    texts: list[str] = []
    for block in message.iter_blocks():
        part = block.part
        text = part_text(part)
        if text is not None:
            texts.append(text)
        elif isinstance(part, FunctionPart):
            if texts:
                yield Message(message.role, "".join(texts))
                texts = []
            yield ToolCall(part.id, part.function.name, part.function.arguments)
        elif not isinstance(part, (ThinkingPart, OpaquePart)):
            warn_left_out(part, _FORM)
    if texts:
        yield Message(message.role, "".join(texts))


def _result(message: messages.Message) -> ToolResult:
    content: list[Any] = []
    for part in message.contents:
        if isinstance(part, (TextPart, RefusalPart)):
            content.append(part.text)
        elif isinstance(part, ValuePart):
            content.append(part.value)
        else:
            warn_left_out(part, _FORM)
    meta = message.meta or Meta()
    return ToolResult(message.id or "", content, meta.name, "error" if meta.is_error else "success")
