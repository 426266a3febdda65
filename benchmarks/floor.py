"""The floor: what no reader can go below. Split at blank lines, decode into typed views, append to a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

__all__ = ["floor"]


class _ChatDelta(Struct):
    content: str | None = None


class _ChatChoice(Struct):
    delta: _ChatDelta
    finish_reason: str | None = None


class _Chat(Struct):
    choices: list[_ChatChoice] = []
    usage: dict[str, Any] | None = None


class _AnthropicDelta(Struct):
    type: str = ""
    text: str | None = None


class _Anthropic(Struct):
    type: str
    index: int = 0
    delta: _AnthropicDelta | None = None


_VIEWS: dict[str, type[Struct]] = {"openai-chat": _Chat, "anthropic": _Anthropic}


def floor(protocol: str) -> Callable[[list[bytes]], list[Any]]:
    """Return the function that reads some reads of `protocol` and returns the decoded events."""
    decode = msgspec.json.Decoder(_VIEWS[protocol]).decode

    def run(reads: list[bytes]) -> list[Any]:
        events: list[Any] = []
        rest = b""
        for piece in reads:
            parts = (rest + piece if rest else piece).split(b"\n\n")
            rest = parts.pop()
            for part in parts:
                at = part.find(b"data: ")
                if not part.endswith(b"[DONE]"):
                    events.append(decode(part[at + 6 :]))
        return events

    return run
