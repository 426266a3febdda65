"""A scripted answer as a body of a FastChat worker, which says text and nothing else.

Facts: `fastchat/serve/vllm_worker.py` of https://github.com/lm-sys/FastChat, checked 2026-11-30. Each object ends with
NUL and has all text so far and the counts; the last text comes twice, the second time with the finish reason. There is
no id, no model and no cache.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import msgspec

from streamkit.testing.answers import Answer, cut
from streamkit.testing.plain_text import counted, plain_text

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

FINISH_WORDS = {"stop": "stop", "length": "length"}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream, which has no sentinel; raises `ConfigError` for thinking and calls."""
    said = heard(answer)
    texts = ["", *accumulate(cut(plain_text(answer), piece))]
    word = said.raw_finish or FINISH_WORDS.get(said.finish_type, said.finish_type)
    counts = _counts(said)
    return [*(_frame(text, counts, None) for text in texts), _frame(texts[-1], counts, word)]


def error_frame(message: str, type: str) -> bytes:
    """Return an error as an object of the stream; the number in its place says what it is."""
    return _object({"text": message, "error_code": 42903 if "overloaded" in type else 50001})


def heard(answer: Answer) -> Answer:
    """Return what of an answer the dialect can say: no id, no model, and no caches."""
    return counted(answer)


def _counts(answer: Answer) -> dict[str, Any]:
    usage = answer.usage
    if usage is None:
        return {}
    given, written = usage.input_tokens or 0, usage.output_tokens or 0
    return {"usage": {"prompt_tokens": given, "completion_tokens": written, "total_tokens": given + written}}


def _frame(text: str, counts: dict[str, Any], word: str | None) -> bytes:
    return _object({"text": text, "error_code": 0, **counts, "finish_reason": word})


def _object(record: dict[str, Any]) -> bytes:
    return msgspec.json.encode(record) + b"\0"
