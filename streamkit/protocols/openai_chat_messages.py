"""Messages → the `messages` of chat completions."""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.messages import Message
from streamkit.parts import TextPart, ValuePart
from streamkit.protocols.quirks import Quirks

__all__ = ["encode_messages"]


def encode_messages(messages: list[Message], quirks: Quirks) -> list[dict[str, Any]]:
    """Return `messages` in the form of the dialect."""
    return [_encode(message, quirks) for message in messages]


def _encode(message: Message, quirks: Quirks) -> dict[str, Any]:
    text = "".join(_text(part) for part in message.contents)
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.id or "", "content": text}
    if message.role == "system":
        return {"role": quirks.system_role, "content": text}
    out: dict[str, Any] = {"role": message.role, "content": text}
    if message.tool_calls:
        out["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.function.name,
                    "arguments": msgspec.json.encode(call.function.arguments).decode(),
                },
            }
            for call in message.tool_calls
        ]
        out["content"] = text or None
    return out


def _text(part: Any) -> str:
    if isinstance(part, TextPart):
        return part.text
    if isinstance(part, ValuePart):
        return part.value if isinstance(part.value, str) else msgspec.json.encode(part.value).decode()
    return ""
