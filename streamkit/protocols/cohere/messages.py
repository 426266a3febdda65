"""Messages → the `messages` of Cohere's chat.

An answer that calls tools has a plan in a field of its own; a result is a text, or documents, which alone can be cited.
Facts: the types of the `cohere` package 7.3.1 and https://docs.cohere.com/v2/reference/chat, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streamkit.blocks import Block, ThinkingPart
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import (
    AudioPart,
    CitationPart,
    EmbeddedImage,
    FilePart,
    FunctionPart,
    ImagePart,
    ImageUrl,
    RawPart,
    ServerToolPart,
    ValuePart,
)
from streamkit.protocols.cohere.blocks import PLAN
from streamkit.protocols.history import fit_history, is_own
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.results import encode_result
from streamkit.protocols.values import data_url, json_text, part_text

__all__ = ["encode_messages"]

# What a tool message says whose result has no text, and the user message that brings the rest of it.
_ATTACHED = "The result follows as an attachment."
_ATTACHMENTS = "The attachments of the tool results:"


def encode_messages(messages: Sequence[Message], quirks: Quirks, provider: str = "") -> list[dict[str, Any]]:
    """Return the messages in the form of the dialect; the history is fitted by `fit_history`.

    Thinking, the plan and citations go back to their origin only; what was said beside calls is the plan where there
    is none. The images that a tool gives follow its run of tool messages as a user message. Assistant messages of which
    nothing can be sent are left out. Raises `ConfigError` for what a user or system message holds and the dialect has
    no form for.
    """
    out: list[dict[str, Any]] = []
    attached: list[dict[str, Any]] = []
    for message in fit_history(messages, quirks.tool_id_pattern):
        if message.role == "tool":
            out.append(_result(message, attached))
            continue
        _attach(attached, out)
        if message.role == "assistant":
            answer = _answer(message, is_own(message, "cohere", provider))
            if answer is not None:
                out.append(answer)
        else:
            out.append({"role": message.role, "content": _collapse(_spoken(message))})
    _attach(attached, out)
    return out


def _attach(attached: list[dict[str, Any]], out: list[dict[str, Any]]) -> None:
    if attached:
        out.append({"role": "user", "content": [_text(_ATTACHMENTS), *attached]})
        attached.clear()


def _spoken(message: Message) -> list[dict[str, Any]]:
    """What a user or a system says."""
    parts = [part for block in message.iter_blocks() if (part := _part(block)) is not None]
    if message.role == "system" and any(part.get("type") != "text" for part in parts):
        raise ConfigError("a system message holds text only; images go in a user message")
    return parts


def _part(block: Block) -> dict[str, Any] | None:
    part = block.part
    if (text := part_text(part)) is not None:
        return _text(text)
    if isinstance(part, ImagePart):
        return _image(part.image)
    if isinstance(part, FilePart) and part.data is not None and (part.mime_type or "").startswith("image/"):
        return _image(EmbeddedImage(part.mime_type or "", part.data))
    if isinstance(part, RawPart) and isinstance(part.raw, dict):
        return dict(part.raw)
    if isinstance(part, (CitationPart, ServerToolPart)):
        return None
    raise ConfigError(
        f"a message to Cohere holds text and images, no {type(part).__name__}; what a file says goes into `documents`"
    )


def _result(message: Message, attached: list[dict[str, Any]]) -> dict[str, Any]:
    blocks = list(message.iter_blocks())
    values = [block.part.value for block in blocks if isinstance(block.part, ValuePart)]
    content: str | list[dict[str, Any]]
    if values and len(values) == len(blocks) and all(isinstance(value, dict) for value in values):
        content = [{"type": "document", "document": {"data": value}} for value in values]
    else:
        parts = [part for _, part in encode_result(message, _part)]
        attached += [part for part in parts if part.get("type") == "image_url"]
        texts = [part for part in parts if part.get("type") != "image_url"]
        content = _collapse([_text(_ATTACHED)] if parts and not texts else texts, "\n")
    return {"role": "tool", "tool_call_id": message.id, "content": content}


def _answer(message: Message, own: bool) -> dict[str, Any] | None:
    parts: list[dict[str, Any]] = []
    plan: list[str] = []
    citations: list[Any] = []
    calls: list[dict[str, Any]] = []
    for block in message.iter_blocks():
        part = block.part
        if isinstance(part, FunctionPart):
            calls.append(_call(part))
        elif isinstance(part, ThinkingPart):
            if own and block.extra and block.extra.get(PLAN):
                plan.append(part.text)
            elif own and part.text:
                parts.append({"type": "thinking", "thinking": part.text})
        elif isinstance(part, RawPart):
            if own and isinstance(part.raw, dict):
                if isinstance(part.raw.get(PLAN), str):
                    plan.append(part.raw[PLAN])
                else:
                    parts.append(part.raw)
        elif isinstance(part, CitationPart):
            if own:
                citations.append(part.citation)
        elif told := _told(part):
            parts.append(_text(told))
    if calls and not plan:
        plan = [part["text"] for part in parts if part.get("type") == "text"]
        parts = [part for part in parts if part.get("type") != "text"]
    said = any(part.get("type") != "thinking" for part in parts)
    if not (said or calls or any(plan)):
        return None
    out: dict[str, Any] = {"role": "assistant"}
    if any(plan):
        out[PLAN] = "".join(plan)
    if parts:
        out["content"] = _collapse(parts)
    if calls:
        out["tool_calls"] = calls
    return out | ({"citations": citations} if citations else {})


def _call(call: FunctionPart) -> dict[str, Any]:
    given = {"input": call.raw_arguments or ""} if call.custom else call.function.arguments
    function = {"name": call.function.name, "arguments": json_text(given)}
    return {"id": call.id, "type": "function", "function": function}


def _told(part: object) -> str | None:
    """What can be told of a part of an answer in words."""
    if isinstance(part, ImagePart):
        return "[image]"
    if isinstance(part, FilePart):
        return f"[file {part.name}]" if part.name else "[file]"
    return part.transcript if isinstance(part, AudioPart) else part_text(part)


def _image(image: ImageUrl | EmbeddedImage) -> dict[str, Any]:
    if isinstance(image, EmbeddedImage):
        return {"type": "image_url", "image_url": {"url": data_url(image.mime_type, image.data)}}
    detail = {} if image.detail is None else {"detail": image.detail}
    return {"type": "image_url", "image_url": {"url": image.url, **detail}}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _collapse(parts: list[dict[str, Any]], joiner: str | None = None) -> str | list[dict[str, Any]]:
    """Return mere text as one string, anything else as the list of parts."""
    plain = all(part.get("type") == "text" and len(part) == 2 for part in parts)
    if plain and (joiner is not None or len(parts) < 2):
        return (joiner or "").join(part["text"] for part in parts)
    return parts
