"""A scripted answer as a body of a TGI server's native generation, which says text and nothing else.

Facts: `router/src/server.rs` of https://github.com/huggingface/text-generation-inference, checked 2026-11-30. Each
record has a token, here of `piece` characters. The first and the last token are special; with the last one come the
whole text and the counts. There is no id, no model and no cache.
"""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.testing.answers import Answer, cut
from streamkit.testing.plain_text import counted, plain_text

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

FINISH_WORDS = {"stop": "eos_token", "length": "length"}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream, which has no sentinel; raises `ConfigError` for thinking and calls."""
    said, text = heard(answer), plain_text(answer)
    tokens = [_token(1, "<s>", special=True), *(_token(at, each) for at, each in enumerate(cut(text, piece), 2))]
    details: dict[str, Any] = {"finish_reason": said.raw_finish or FINISH_WORDS.get(said.finish_type, said.finish_type)}
    if said.usage is not None:
        details |= {"generated_tokens": said.usage.output_tokens, "input_length": said.usage.input_tokens}
    last = _token(len(tokens) + 1, "</s>", special=True) | {"generated_text": text, "details": details}
    return [*map(_frame, tokens), _frame(last)]


def error_frame(message: str, type: str) -> bytes:
    """Return an error as a record of the stream."""
    return _frame({"error": message, "error_type": type})


def heard(answer: Answer) -> Answer:
    """Return what of an answer the dialect can say: no id, no model, and no caches."""
    return counted(answer)


def _token(index: int, text: str, *, special: bool = False) -> dict[str, Any]:
    token = {"id": index, "text": text, "logprob": -0.5, "special": special}
    return {"index": index, "token": token, "generated_text": None, "details": None}


def _frame(record: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(record) + b"\n\n"
