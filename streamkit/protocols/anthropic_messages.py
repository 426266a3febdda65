"""Messages → the `system` and `messages` of the Messages API."""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.messages import Message
from streamkit.parts import FunctionPart, TextPart, ValuePart

__all__ = ["encode_messages"]


def encode_messages(messages: list[Message]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the system blocks and the turns."""
    system: list[dict[str, Any]] = []
    out: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            system.append({"type": "text", "text": message.text})
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if out and out[-1]["role"] == role:
            out[-1]["content"].extend(blocks)
        else:
            out.append({"role": role, "content": blocks})
    return system, out


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        text = "".join(_text(part) for part in message.contents)
        return [{"type": "tool_result", "tool_use_id": message.id, "content": text}]
    out: list[dict[str, Any]] = []
    for block in message.iter_blocks():
        part = block.part
        if isinstance(part, FunctionPart):
            call = part.function
            out.append({"type": "tool_use", "id": part.id, "name": call.name, "input": call.arguments})
        elif text := _text(part):
            out.append({"type": "text", "text": text})
    return out


def _text(part: Any) -> str:
    if isinstance(part, TextPart):
        return part.text
    if isinstance(part, ValuePart):
        return part.value if isinstance(part.value, str) else msgspec.json.encode(part.value).decode()
    return ""
