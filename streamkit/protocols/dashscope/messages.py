"""Messages → the `messages` of DashScope's text and multimodal generation.

Text models take a string as content, multimodal ones a list of parts that are named by their field. Facts:
https://help.aliyun.com/en/model-studio/qwen-api-via-dashscope and the `dashscope` package 2.0.2, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from streamkit.blocks import ThinkingPart
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import (
    AudioPart,
    CitationPart,
    EmbeddedImage,
    FilePart,
    FunctionPart,
    ImagePart,
    RawPart,
    ServerToolPart,
)
from streamkit.protocols.history import fit_history, is_own
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.results import encode_result
from streamkit.protocols.values import data_url, json_text, part_text

__all__ = ["encode_messages", "is_multimodal"]

# What is put between the texts of one message, by its role.
_JOINERS = {"system": "\n\n", "user": "\n\n", "tool": "\n", "assistant": ""}
# What a tool message says whose result has no text, and the user message that brings the rest of it.
_ATTACHED = "The result follows as an attachment."
_ATTACHMENTS = "The attachments of the tool results:"
_MEDIA = ("image", "audio", "video")


def is_multimodal(messages: Iterable[Message]) -> bool:
    """Whether a user or a tool shows what only a multimodal model can see or hear."""
    parts = (block.part for message in messages if message.role != "assistant" for block in message.iter_blocks())
    return any(isinstance(part, (ImagePart, AudioPart, FilePart, RawPart)) for part in parts)


def encode_messages(
    messages: Sequence[Message], quirks: Quirks, provider: str = "", *, multimodal: bool = False
) -> list[dict[str, Any]]:
    """Return the messages in the form of the dialect; the history is fitted by `fit_history`.

    Thinking goes back to its origin, in the field that `quirks.thinking_field` names. What a tool shows follows its
    run of tool messages as a user message. Assistant messages of which nothing can be sent are left out. Raises
    `ConfigError` for what a user or system message holds and the dialect has no form for.
    """
    out: list[dict[str, Any]] = []
    attached: list[dict[str, Any]] = []
    for message in fit_history(messages, quirks.tool_id_pattern):
        if message.role == "tool":
            out.append(_result(message, attached, multimodal))
            continue
        _attach(attached, out)
        if message.role == "assistant":
            answer = _answer(message, quirks, is_own(message, "dashscope", provider), multimodal)
            if answer is not None:
                out.append(answer)
        else:
            out.append({"role": message.role, "content": _content(_spoken(message), message.role, multimodal)})
    _attach(attached, out)
    return out


def _attach(attached: list[dict[str, Any]], out: list[dict[str, Any]]) -> None:
    if attached:
        out.append({"role": "user", "content": [{"text": _ATTACHMENTS}, *attached]})
        attached.clear()


def _spoken(message: Message) -> list[dict[str, Any]]:
    """What a user, a system or a tool says."""
    parts = [part for block in message.iter_blocks() if (part := _part(block.part)) is not None]
    if message.role == "system" and any("text" not in part for part in parts):
        raise ConfigError("a system message holds text only; images go in a user message")
    return parts


def _part(part: object) -> dict[str, Any] | None:
    if (text := part_text(part)) is not None:
        return {"text": text}
    if isinstance(part, ImagePart):
        image = part.image
        return {"image": data_url(image.mime_type, image.data) if isinstance(image, EmbeddedImage) else image.url}
    if isinstance(part, AudioPart) and part.data:
        return {"audio": data_url(f"audio/{part.format or 'wav'}", part.data)}
    if isinstance(part, FilePart):
        return _file(part)
    if isinstance(part, RawPart) and isinstance(part.raw, dict):
        return dict(part.raw)
    if isinstance(part, (CitationPart, ServerToolPart)):
        return None
    raise ConfigError(f"a message to DashScope holds text, images, sound and video, no {type(part).__name__}")


def _file(part: FilePart) -> dict[str, Any]:
    kind = (part.mime_type or "").partition("/")[0]
    if kind in _MEDIA and part.data is not None:
        return {kind: data_url(part.mime_type or "", part.data)}
    if kind in _MEDIA and part.url is not None:
        return {kind: part.url}
    raise ConfigError(
        "DashScope takes files that are images, sound or video, by their bytes or address; what another says goes into "
        "the text"
    )


def _result(message: Message, attached: list[dict[str, Any]], multimodal: bool) -> dict[str, Any]:
    parts = [part for _, part in encode_result(message, lambda block: _part(block.part))]
    texts = [part for part in parts if "text" in part]
    attached += [part for part in parts if "text" not in part]
    content = _content([{"text": _ATTACHED}] if parts and not texts else texts, "tool", multimodal)
    return {"role": "tool", "content": content, "tool_call_id": message.id}


def _answer(message: Message, quirks: Quirks, own: bool, multimodal: bool) -> dict[str, Any] | None:
    texts: list[dict[str, Any]] = []
    thinking: list[str] = []
    calls: list[dict[str, Any]] = []
    for block in message.iter_blocks():
        part = block.part
        if isinstance(part, FunctionPart):
            calls.append(_call(part, len(calls)))
        elif isinstance(part, ThinkingPart):
            thinking.append(part.text)
        elif isinstance(part, RawPart):
            if own and multimodal and isinstance(part.raw, dict):
                texts.append(part.raw)
        elif told := _told(part):
            texts.append({"text": told})
    if not (texts or calls):
        return None
    out: dict[str, Any] = {"role": "assistant", "content": _content(texts, "assistant", multimodal)}
    if own and quirks.thinking_field and any(thinking):
        out[quirks.thinking_field] = "".join(thinking)
    return out | ({"tool_calls": calls} if calls else {})


def _call(call: FunctionPart, index: int) -> dict[str, Any]:
    given = {"input": call.raw_arguments or ""} if call.custom else call.function.arguments
    function = {"name": call.function.name, "arguments": json_text(given)}
    return {"index": index, "id": call.id, "type": "function", "function": function}


def _told(part: object) -> str | None:
    """What can be told of a part of an answer in words."""
    if isinstance(part, ImagePart):
        return "[image]"
    if isinstance(part, FilePart):
        return f"[file {part.name}]" if part.name else "[file]"
    return part.transcript if isinstance(part, AudioPart) else part_text(part)


def _content(parts: list[dict[str, Any]], role: str, multimodal: bool) -> str | list[dict[str, Any]]:
    return parts if multimodal else _JOINERS[role].join(part["text"] for part in parts)
