"""Messages → the `messages` of chat completions.

https://platform.openai.com/docs/api-reference/chat, and for each departure the vendor's own pages; checked 2026-11-29.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from streamkit.blocks import Block, OpaquePart, ThinkingPart
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import AudioPart, FilePart, FunctionPart, ImagePart, RawPart, RefusalPart
from streamkit.protocols.history import fit_history, is_own
from streamkit.protocols.openai_chat.parts import collapse, encode_part, extras, text_part
from streamkit.protocols.openai_chat.turns import alternate
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.results import encode_result
from streamkit.protocols.values import json_text, part_text

__all__ = ["encode_messages"]

# What a tool message says whose result has no text, and the user message that brings the rest of it.
_ATTACHED = "The result follows as an attachment."
_ATTACHMENTS = "The attachments of the tool results:"

# What the assistant says between tool results and a user, where a vendor wants it to say something.
_BRIDGE = "I have the results."

# The characters that the name of a speaker must not have.
_NOT_IN_NAME = re.compile(r"[\s<|\\/>]+")


def encode_messages(messages: Sequence[Message], quirks: Quirks, provider: str = "") -> list[dict[str, Any]]:
    """Return the messages in the form of the dialect; the history is fitted by `fit_history`.

    Thinking goes back as the vendor takes it, and to its origin only. What a tool gives beside text follows its run
    of tool messages as a user message. Assistant messages of which nothing can be sent are left out. Raises
    `ConfigError` for what a user or system message holds and the dialect has no form for.
    """
    out: list[dict[str, Any]] = []
    attached: list[dict[str, Any]] = []
    for message in fit_history(messages, quirks.tool_id_pattern):
        if message.role == "tool":
            out.append(_tool(message, quirks, attached))
            continue
        _attach(attached, out, quirks)
        encoded = _assistant(message, quirks, provider) if message.role == "assistant" else _spoken(message, quirks)
        if encoded is not None:
            _bridge(encoded, out, quirks)
            out.append(encoded)
    _attach(attached, out, quirks)
    return alternate(out) if quirks.alternating else out


def _spoken(message: Message, quirks: Quirks) -> dict[str, Any]:
    """A system or user message."""
    parts = [part for block in message.iter_blocks() if (part := encode_part(block, quirks)) is not None]
    if message.role == "system" and any(part.get("type") != "text" for part in parts):
        raise ConfigError("a system message holds text only; images, audio and files go in a user message")
    role = quirks.system_role if message.role == "system" else message.role
    content = collapse(parts, "\n\n" if quirks.string_content else None)
    return {"role": role, "content": content, **_name(message, quirks)}


def _tool(message: Message, quirks: Quirks, attached: list[dict[str, Any]]) -> dict[str, Any]:
    """A tool message; what it cannot hold is added to `attached`."""
    parts = [part for _, part in encode_result(message, lambda block: encode_part(block, quirks))]
    if not quirks.tool_attachments:
        attached += [part for part in parts if part.get("type") != "text"]
        texts = [part for part in parts if part.get("type") == "text"]
        parts = [text_part(_ATTACHED)] if parts and not texts else texts
    return {"role": "tool", "tool_call_id": message.id, "content": collapse(parts, "\n")}


def _attach(attached: list[dict[str, Any]], out: list[dict[str, Any]], quirks: Quirks) -> None:
    if attached:
        follow = {"role": "user", "content": [text_part(_ATTACHMENTS), *attached]}
        attached.clear()
        _bridge(follow, out, quirks)
        out.append(follow)


def _bridge(message: dict[str, Any], out: list[dict[str, Any]], quirks: Quirks) -> None:
    if quirks.assistant_after_tool and message["role"] == "user" and out and out[-1]["role"] == "tool":
        out.append({"role": "assistant", "content": _BRIDGE})


def _name(message: Message, quirks: Quirks) -> dict[str, str]:
    name = message.meta.name if message.meta and quirks.names else None
    name = _NOT_IN_NAME.sub("_", name) if name else None
    return {"name": name} if name else {}


def _assistant(message: Message, quirks: Quirks, provider: str) -> dict[str, Any] | None:
    own = is_own(message, "openai-chat", provider)
    answer = _Answer(quirks, own)
    for block in message.iter_blocks():
        answer.add(block)
    return answer.encode(_name(message, quirks))


class _Answer:
    """An assistant message while its blocks are gathered."""

    def __init__(self, quirks: Quirks, own: bool) -> None:
        self.quirks = quirks
        self.own = own
        self.parts: list[dict[str, Any]] = []
        self.thinking: list[str] = []
        self.details: list[Any] = []
        self.blocks: list[dict[str, Any]] = []  # Anthropic's, as LiteLLM takes them
        self.refusal: list[str] = []
        self.calls: list[dict[str, Any]] = []
        self.audio: dict[str, Any] | None = None

    def add(self, block: Block) -> None:
        part = block.part
        if self.own and block.extra and "reasoning_details" in block.extra:
            self.details += block.extra["reasoning_details"]
        if isinstance(part, FunctionPart):
            self.calls.append(self._call(part, block))
        elif isinstance(part, ThinkingPart):
            self._think(part.text, block.signature)
        elif isinstance(part, OpaquePart):
            if self.own and self.quirks.thinking_blocks:
                self.blocks.append(part.data)
            elif self.own:
                self.details += part.data if isinstance(part.data, list) else [part.data]
        elif isinstance(part, RefusalPart) and not self.quirks.refusal_as_text:
            self.refusal.append(part.text)
        elif isinstance(part, AudioPart) and part.id and self.own:
            self.audio = {"id": part.id}
        elif isinstance(part, RawPart):
            if self.own and isinstance(part.raw, dict):
                self.parts.append(part.raw)
        elif text := _told(part):
            self.parts.append(text_part(text) | (extras(block, self.quirks) if self.own else {}))

    def encode(self, name: dict[str, str]) -> dict[str, Any] | None:
        """Return the message, None where nothing is left that a provider would accept."""
        said = any(part.get("type") != "thinking" for part in self.parts)
        if not (said or self.calls or self.refusal or self.audio):
            return None
        out: dict[str, Any] = {"role": "assistant", "content": collapse(self.parts, "") if self.parts else None, **name}
        if self.refusal:
            out["refusal"] = "".join(self.refusal)
        if self.audio:
            out["audio"] = self.audio
        if self.calls:
            out["tool_calls"] = self.calls
        return out | self._thought()

    def _think(self, text: str, signature: str | None) -> None:
        if not self.own:
            return
        if signature and self.quirks.thinking_blocks:
            self.blocks.append({"type": "thinking", "thinking": text, "signature": signature})
        if self.quirks.thinking_field != "content":
            self.thinking.append(text)
        elif text:
            signed = {"signature": signature} if signature else {}
            self.parts.append({"type": "thinking", "thinking": [text_part(text)], **signed})

    def _thought(self) -> dict[str, Any]:
        field = self.quirks.thinking_field
        if self.details and self.quirks.reasoning_details:
            return {"reasoning_details": self.details}
        if self.blocks:
            return {"thinking_blocks": self.blocks}
        if not field or field == "content":
            return {}
        thinking = "".join(self.thinking)
        return {field: thinking} if thinking or (self.calls and self.quirks.thinking_required) else {}

    def _call(self, call: FunctionPart, block: Block) -> dict[str, Any]:
        extra = extras(block, self.quirks) if self.own else {}
        if not self.calls:
            extra = self.quirks.unsigned_call | extra
        name = call.function.name
        given = call.function.arguments
        if call.custom:
            given = {"input": call.raw_arguments or ""}
            if self.quirks.custom_calls:
                return {"id": call.id, "type": "custom", "custom": {"name": name, **given}, **extra}
        # Text that is no JSON object stays behind: servers that parse the arguments refuse the whole request over it.
        function = {"name": name, "arguments": json_text(given)}
        return {"id": call.id, "type": "function", "function": function, **extra}


def _told(part: object) -> str | None:
    """What the dialect can tell only in words of a part of an answer."""
    if isinstance(part, ImagePart):
        return "[image]"
    if isinstance(part, FilePart):
        return f"[file {part.name}]" if part.name else "[file]"
    return part.transcript if isinstance(part, AudioPart) else part_text(part)
