"""The floor: what no reader can go below. Split at blank lines, decode into typed views, append to a list."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

__all__ = ["FloorReader", "floor"]


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


_DECODERS = {
    "openai-chat": msgspec.json.Decoder(_Chat).decode,
    "anthropic": msgspec.json.Decoder(_Anthropic).decode,
}


class FloorReader:
    """Reads one stream: `events` are the decoded ones."""

    def __init__(self, protocol: str) -> None:
        self.events: list[Any] = []
        self._decode = _DECODERS[protocol]
        self._rest = b""

    def take(self, piece: bytes) -> None:
        """Take in the next read."""
        parts = (self._rest + piece if self._rest else piece).split(b"\n\n")
        self._rest = parts.pop()
        for part in parts:
            at = part.find(b"data: ")
            if not part.endswith(b"[DONE]"):
                self.events.append(self._decode(part[at + 6 :]))


def floor(protocol: str, reads: list[bytes]) -> list[Any]:
    """Return the decoded events of a stream in these reads, in one loop."""
    events: list[Any] = []
    decode, rest = _DECODERS[protocol], b""
    for piece in reads:
        parts = (rest + piece if rest else piece).split(b"\n\n")
        rest = parts.pop()
        for part in parts:
            at = part.find(b"data: ")
            if not part.endswith(b"[DONE]"):
                events.append(decode(part[at + 6 :]))
    return events
