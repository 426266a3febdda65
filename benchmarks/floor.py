"""The floor: what no reader can go below. Split into events, decode into typed views, append to a list."""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct as Layout
from typing import Any
from zlib import crc32

import msgspec
from msgspec import Struct

from streamkit.testing.scripts import framing_of

__all__ = ["VIEWS", "FloorReader", "floor"]


class _ChatDelta(Struct):
    content: str | None = None


class _ChatChoice(Struct):
    delta: _ChatDelta
    finish_reason: str | None = None


class _Chat(Struct):
    choices: list[_ChatChoice] = []
    usage: dict[str, Any] | None = None


class _Responses(Struct):
    type: str
    output_index: int = 0
    delta: str | None = None


class _AnthropicDelta(Struct):
    type: str = ""
    text: str | None = None


class _Anthropic(Struct):
    type: str
    index: int = 0
    delta: _AnthropicDelta | None = None


class _Text(Struct):
    text: str | None = None


class _GeminiContent(Struct):
    parts: list[_Text] = []


class _GeminiCandidate(Struct):
    content: _GeminiContent
    finishReason: str | None = None


class _Gemini(Struct):
    candidates: list[_GeminiCandidate] = []
    usageMetadata: dict[str, Any] | None = None


class _CohereMessage(Struct):
    content: _Text | None = None


class _CohereDelta(Struct):
    message: _CohereMessage | None = None


class _Cohere(Struct):
    type: str
    index: int = 0
    delta: _CohereDelta | None = None


class _Converse(Struct):
    contentBlockIndex: int = 0
    delta: _Text | None = None


class _Content(Struct):
    content: str | None = None


class _DashScopeChoice(Struct):
    message: _Content
    finish_reason: str | None = None


class _DashScopeOutput(Struct):
    choices: list[_DashScopeChoice] = []


class _DashScope(Struct):
    output: _DashScopeOutput
    usage: dict[str, Any] | None = None


class _Interaction(Struct):
    event_type: str
    index: int = 0
    delta: _AnthropicDelta | None = None


class _Ollama(Struct):
    message: _Content
    done: bool = False


class _LlamaCpp(Struct):
    content: str = ""
    stop: bool = False


class _CompletionChoice(Struct):
    text: str | None = None
    finish_reason: str | None = None


class _Completion(Struct):
    choices: list[_CompletionChoice] = []
    usage: dict[str, Any] | None = None


class _SGLang(Struct):
    text: str = ""
    meta_info: dict[str, Any] | None = None


class _FastChat(Struct):
    text: str = ""
    error_code: int = 0
    finish_reason: Any = None


class _VLLM(Struct):
    text: list[str] = []


class _TGIToken(Struct):
    text: str = ""
    special: bool = False


class _TGI(Struct):
    token: _TGIToken
    generated_text: str | None = None
    details: dict[str, Any] | None = None


class _GradioOutput(Struct):
    data: list[Any] = []


class _Gradio(Struct):
    msg: str
    event_id: str = ""
    output: _GradioOutput | None = None


# What is decoded of the events of each dialect.
VIEWS: dict[str, type[Struct]] = {
    "openai-chat": _Chat,
    "openai-responses": _Responses,
    "anthropic": _Anthropic,
    "gemini": _Gemini,
    "gemini-interactions": _Interaction,
    "cohere": _Cohere,
    "bedrock-converse": _Converse,
    "dashscope": _DashScope,
    "ollama": _Ollama,
    "llamacpp": _LlamaCpp,
    "openai-completions": _Completion,
    "sglang": _SGLang,
    "fastchat": _FastChat,
    "vllm-generate": _VLLM,
    "tgi": _TGI,
    "gradio": _Gradio,
}
_DECODERS = {protocol: msgspec.json.Decoder(view).decode for protocol, view in VIEWS.items()}
_ENDS = {"ndjson": b"\n", "nul": b"\0"}


class FloorReader:
    """Reads one stream of server-sent events: `events` are the decoded ones."""

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
    framing = framing_of(protocol)
    if framing == "sse":
        return _events(reads, _DECODERS[protocol], b"data:" if protocol == "dashscope" else b"data: ")
    if framing == "aws-eventstream":
        return _messages(reads, _DECODERS[protocol])
    return _records(reads, _DECODERS[protocol], _ENDS[framing])


def _events(reads: list[bytes], decode: Callable[[bytes], Any], field: bytes) -> list[Any]:
    events: list[Any] = []
    rest, size = b"", len(field)
    for piece in reads:
        parts = (rest + piece if rest else piece).split(b"\n\n")
        rest = parts.pop()
        for part in parts:
            at = part.find(field)
            if not part.endswith(b"[DONE]"):
                events.append(decode(part[at + size :]))
    return events


def _records(reads: list[bytes], decode: Callable[[bytes], Any], end: bytes) -> list[Any]:
    events: list[Any] = []
    rest = b""
    for piece in reads:
        parts = (rest + piece if rest else piece).split(end)
        rest = parts.pop()
        events += [decode(part) for part in parts]
    return events


def _messages(reads: list[bytes], decode: Callable[[bytes], Any]) -> list[Any]:
    """The payloads of binary messages, both of whose checksums must be read."""
    events: list[Any] = []
    rest, prelude, checksum = b"", Layout(">III").unpack_from, Layout(">I").unpack_from
    for piece in reads:
        data = rest + piece if rest else piece
        view, at = memoryview(data), 0
        while len(data) - at >= 12:
            size, head, first = prelude(data, at)
            if len(data) - at < size:
                break
            end = at + size - 4
            if crc32(view[at : at + 8]) != first or crc32(view[at:end]) != checksum(data, end)[0]:
                raise ValueError("wrong checksum")
            events.append(decode(data[at + 12 + head : end]))
            at += size
        rest = data[at:]
    return events
