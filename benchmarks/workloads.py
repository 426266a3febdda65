"""Seeded streams that look like the providers' own, each with what it must become.

They are test data too: tests/test_workloads.py reads each and compares.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from streamkit.testing import Answer
from streamkit.testing.mutations import split_frames
from streamkit.testing.scripts import RENDERED, framing_of, render

__all__ = ["KINDS", "PROTOCOLS", "RENDERED", "Workload", "make", "reads"]

PROTOCOLS = ("openai-chat", "anthropic")  # with all that their events carry, and every kind of stream
KINDS = ("text", "thinking", "arguments", "parallel")
READ_BYTES = 64 * 1024
_PIECE = 6  # characters

_WORDS = (" the", " token", " of", " a", " longer piece,", "\n\n", " é", " “quoted”", " 42", " 日本", " 🙂", " end.")


class Workload(Struct, frozen=True):
    """A stream as its events, and what they say; `arguments` is the text of each call's."""

    kind: str
    protocol: str
    events: list[bytes]
    text: str = ""
    thinking: str = ""
    arguments: list[str] = []

    @property
    def body(self) -> bytes:
        """The whole response."""
        return b"".join(self.events)


def make(protocol: str, kind: str = "text", count: int = 4000, seed: int = 7) -> Workload:
    """Return a stream of `count` deltas: text, thinking, a call in one-character fragments, or four that alternate.

    Dialects other than `PROTOCOLS` have text alone, as `streamkit.testing` renders it.
    """
    if protocol not in _DIALECTS:
        return _rendered(protocol, count, random.Random(seed))
    return _KINDS[kind](_DIALECTS[protocol], protocol, count, random.Random(seed))


def reads(workload: Workload, size: str) -> list[bytes]:
    """Cut the stream into reads: `one` event each, or `big` ones of 64 KiB."""
    if size == "one":
        return workload.events
    body = workload.body
    return [body[i : i + READ_BYTES] for i in range(0, len(body), READ_BYTES)]


def _text(dialect: type[_Chat] | type[_Anthropic], protocol: str, count: int, rng: random.Random) -> Workload:
    pieces = [rng.choice(_WORDS) for _ in range(count)]
    return Workload("text", protocol, list(dialect.stream([("text", p) for p in pieces])), text="".join(pieces))


def _thinking(dialect: type[_Chat] | type[_Anthropic], protocol: str, count: int, rng: random.Random) -> Workload:
    pieces = [rng.choice(_WORDS) for _ in range(count)]
    events = list(dialect.stream([*[("thinking", p) for p in pieces], ("text", "Done.")]))
    return Workload("thinking", protocol, events, text="Done.", thinking="".join(pieces))


def _arguments(dialect: type[_Chat] | type[_Anthropic], protocol: str, count: int, rng: random.Random) -> Workload:
    text = _object(count, rng)
    return Workload("arguments", protocol, list(dialect.stream([(0, c) for c in text])), arguments=[text])


def _parallel(dialect: type[_Chat] | type[_Anthropic], protocol: str, count: int, rng: random.Random) -> Workload:
    texts = [_object(count // 4, rng) for _ in range(4)]
    longest = max(map(len, texts))
    fragments = [(call, text[i]) for i in range(longest) for call, text in enumerate(texts) if i < len(text)]
    return Workload("parallel", protocol, list(dialect.stream(fragments)), arguments=texts)


def _rendered(protocol: str, count: int, rng: random.Random) -> Workload:
    text = "".join(rng.choice(_WORDS) for _ in range(2 * count))[: _PIECE * count]
    body = render(Answer([text]), protocol, piece=_PIECE)
    return Workload("text", protocol, split_frames(body, framing_of(protocol)), text=text)


def _object(length: int, rng: random.Random) -> str:
    """A JSON object of about `length` characters."""
    value, size = {}, 2
    while size < length:
        key = f"key_{len(value)}"
        value[key] = "".join(rng.choice(_WORDS) for _ in range(rng.randrange(1, 20)))
        size += len(json.dumps({key: value[key]}, ensure_ascii=False))
    return json.dumps(value, ensure_ascii=False)


class _Chat:
    """OpenAI's chunks, with all that they carry."""

    @staticmethod
    def stream(pieces: list[tuple[Any, str]]) -> Iterator[bytes]:
        opened: set[int] = set()
        yield _Chat.chunk({"role": "assistant", "content": "", "refusal": None})
        for kind, piece in pieces:
            if kind == "text":
                yield _Chat.chunk({"content": piece})
            elif kind == "thinking":
                yield _Chat.chunk({"reasoning_content": piece})
            else:
                call: dict[str, Any] = {"index": kind, "function": {"arguments": piece}}
                if kind not in opened:
                    opened.add(kind)
                    call |= {"id": f"call_{kind}", "type": "function"}
                    call["function"]["name"] = "save"
                yield _Chat.chunk({"tool_calls": [call]})
        yield _Chat.chunk({}, "tool_calls" if opened else "stop")
        yield _Chat.data({**_Chat.base, "choices": [], "usage": _Chat.usage(len(pieces))})
        yield b"data: [DONE]\n\n"

    base = {
        "id": "chatcmpl-9f3a",
        "object": "chat.completion.chunk",
        "created": 1764400000,
        "model": "m",
        "service_tier": "default",
        "system_fingerprint": "fp_44709d6fcb",
    }

    @staticmethod
    def usage(count: int) -> dict[str, Any]:
        return {
            "prompt_tokens": 10,
            "completion_tokens": count,
            "total_tokens": count + 10,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        }

    @staticmethod
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _Chat.data({**_Chat.base, "choices": [choice], "usage": None, "obfuscation": "x7Kq"})

    @staticmethod
    def data(value: dict[str, Any]) -> bytes:
        return b"data: " + _compact(value) + b"\n\n"


class _Anthropic:
    """Anthropic's events."""

    @staticmethod
    def stream(pieces: list[tuple[Any, str]]) -> Iterator[bytes]:
        start = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [],
            "stop_reason": None,
        }
        yield _Anthropic.event("message_start", message={**start, "usage": {"input_tokens": 10, "output_tokens": 1}})
        blocks: dict[Any, int] = {}
        for kind, piece in pieces:
            if kind not in blocks:
                blocks[kind] = len(blocks)
                block = {
                    "text": {"type": "text", "text": ""},
                    "thinking": {"type": "thinking", "thinking": "", "signature": ""},
                }.get(kind) or {"type": "tool_use", "id": f"call_{kind}", "name": "save", "input": {}}
                yield _Anthropic.event("content_block_start", index=blocks[kind], content_block=block)
            if kind == "text":
                delta = {"type": "text_delta", "text": piece}
            elif kind == "thinking":
                delta = {"type": "thinking_delta", "thinking": piece}
            else:
                delta = {"type": "input_json_delta", "partial_json": piece}
            yield _Anthropic.event("content_block_delta", index=blocks[kind], delta=delta)
        for index in blocks.values():
            yield _Anthropic.event("content_block_stop", index=index)
        reason = "end_turn" if "text" in blocks else "tool_use"
        usage = {"output_tokens": len(pieces)}
        yield _Anthropic.event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage=usage)
        yield _Anthropic.event("message_stop")

    @staticmethod
    def event(name: str, **fields: Any) -> bytes:
        return f"event: {name}\ndata: ".encode() + _compact({"type": name, **fields}) + b"\n\n"


def _compact(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


_DIALECTS: dict[str, type[_Chat] | type[_Anthropic]] = {"openai-chat": _Chat, "anthropic": _Anthropic}
_KINDS: dict[str, Callable[..., Workload]] = {
    "text": _text,
    "thinking": _thinking,
    "arguments": _arguments,
    "parallel": _parallel,
}
