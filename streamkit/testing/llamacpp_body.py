"""A scripted answer as a body of a llama.cpp server's native completion, which says text and nothing else.

Facts: `tools/server/README.md` of https://github.com/ggml-org/llama.cpp and recordings of its build b11549, checked
2026-11-29. Records are `data:` lines only; the last of each choice has `stop` and the counts, and there is no sentinel.
The model's name is only there, too late for a message that has begun, and there is no response id.
"""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.testing import plain_text
from streamkit.testing.answers import Answer, cut, take_turns
from streamkit.usage import Usage

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

FINISH_WORDS = {"stop": "eos", "length": "limit"}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream; raises `ConfigError` for thinking and calls."""
    runs = [_choice(choice, at, piece) for at, choice in enumerate([answer, *answer.choices])]
    return [_frame(record) for record in take_turns(runs)]


def error_frame(message: str, type: str) -> bytes:
    """Return an error as a record of the stream."""
    return _frame({"error": {"code": 500, "message": message, "type": type}})


def heard(answer: Answer) -> Answer:
    """Return what of an answer the dialect can say: neither id nor model, and of caches only what was read."""
    said, usage = plain_text.heard(answer), answer.usage
    if usage is not None:
        fresh = (usage.input_tokens or 0) + (usage.cache_write_tokens or 0)
        usage = Usage(fresh, usage.output_tokens, usage.cache_read_tokens)
    return Answer(said.blocks, said.finish, said.raw_finish, usage, "", "")


def _choice(answer: Answer, index: int, piece: int) -> list[dict[str, Any]]:
    said = heard(answer)
    record: dict[str, Any] = {"index": index, "content": "", "tokens": [], "stop": False, "id_slot": index}
    word = said.raw_finish or FINISH_WORDS.get(said.finish_type, said.finish_type)
    last = record | {"stop": True, "model": answer.model, "stop_type": word, "stopping_word": "", "truncated": False}
    if said.usage is not None:
        read = said.usage.cache_read_tokens
        last |= {
            "tokens_evaluated": (said.usage.input_tokens or 0) + (read or 0),
            "tokens_predicted": said.usage.output_tokens,
            "timings": {} if read is None else {"cache_n": read},
        }
    pieces = cut(plain_text.plain_text(answer), piece)
    return [record, *(record | {"content": text, "tokens": [1]} for text in pieces), last]


def _frame(record: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(record) + b"\n\n"
