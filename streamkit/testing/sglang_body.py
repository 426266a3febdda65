"""A scripted answer as a body of an SGLang server's native generation, which says text and nothing else.

Facts: `python/sglang/srt/managers/tokenizer_manager.py` of https://github.com/sgl-project/sglang, checked 2026-11-29.
Each record holds all text of its choice so far and the counts; the end is `data: [DONE]`. There is no model.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import msgspec

from streamkit.testing import plain_text
from streamkit.testing.answers import Answer, cut, take_turns
from streamkit.usage import Usage

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

FINISH_WORDS = {"stop": "stop", "length": "length"}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream, the end sentinel included; raises `ConfigError` for thinking and calls."""
    runs = [_choice(answer, choice, at, piece) for at, choice in enumerate([answer, *answer.choices])]
    return [*(_frame(record) for record in take_turns(runs)), b"data: [DONE]\n\n"]


def error_frame(message: str, type: str) -> bytes:
    """Return an error as a record of the stream."""
    return _frame({"error": {"message": message, "type": type}})


def heard(answer: Answer) -> Answer:
    """Return what of an answer the dialect can say: no model, and of caches only what was read."""
    said, usage = plain_text.heard(answer), answer.usage
    if usage is not None:
        fresh = (usage.input_tokens or 0) + (usage.cache_write_tokens or 0)
        usage = Usage(fresh, usage.output_tokens, usage.cache_read_tokens, reasoning_tokens=usage.reasoning_tokens)
    return Answer(said.blocks, said.finish, said.raw_finish, usage, said.id, "")


def _choice(first: Answer, answer: Answer, index: int, piece: int) -> list[dict[str, Any]]:
    said = heard(answer)
    word = said.raw_finish or FINISH_WORDS.get(said.finish_type, said.finish_type)
    texts = ["", *accumulate(cut(plain_text.plain_text(answer), piece))]
    counts = _counts(heard(first).usage, counts=index == 0)
    meta: dict[str, Any] = {"id": first.id, "finish_reason": None, **counts}
    last = meta | {"finish_reason": {"type": word}}
    records = [{"text": text, "index": index, "meta_info": meta} for text in texts]
    return [*records, {"text": texts[-1], "index": index, "meta_info": last}]


def _counts(usage: Usage | None, *, counts: bool) -> dict[str, Any]:
    """The counts of a choice; the first has written all that the answer counts."""
    if usage is None:
        return {}
    out = {
        "prompt_tokens": (usage.input_tokens or 0) + (usage.cache_read_tokens or 0),
        "completion_tokens": usage.output_tokens if counts else 0,
        "cached_tokens": usage.cache_read_tokens,
    }
    return out | (
        {} if usage.reasoning_tokens is None else {"reasoning_tokens": usage.reasoning_tokens if counts else 0}
    )


def _frame(record: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(record) + b"\n\n"
