"""A scripted answer as a body of OpenAI's legacy completions, which say text and nothing else.

Facts: https://platform.openai.com/docs/api-reference/completions, checked 2026-11-29. Records are `data:` lines only,
the end is `data: [DONE]`, and usage comes in a last record with no choices.
"""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.testing.answers import Answer, cut, take_turns
from streamkit.testing.openai_chat_body import error_frame, usage_fields
from streamkit.testing.plain_text import heard, plain_text

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

FINISH_WORDS = {"stop": "stop", "length": "length"}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream, the end sentinel included; raises `ConfigError` for thinking and calls."""
    runs = [_choice(heard(choice), at, piece) for at, choice in enumerate([answer, *answer.choices])]
    records = [_record(answer, [choice]) for choice in take_turns(runs)]
    if answer.usage is not None:
        records.append({**_record(answer, []), "usage": usage_fields(answer.usage)})
    return [*map(_frame, records), b"data: [DONE]\n\n"]


def _choice(answer: Answer, index: int, piece: int) -> list[dict[str, Any]]:
    word = answer.raw_finish or FINISH_WORDS.get(answer.finish_type, answer.finish_type)
    choice: dict[str, Any] = {"text": "", "index": index, "logprobs": None, "finish_reason": None}
    pieces = [choice | {"text": text} for text in cut(plain_text(answer), piece)]
    return [choice, *pieces, choice | {"finish_reason": word}]


def _record(answer: Answer, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": answer.id,
        "object": "text_completion",
        "created": 1760000000,
        "model": answer.model,
        "choices": choices,
    }


def _frame(record: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(record) + b"\n\n"
