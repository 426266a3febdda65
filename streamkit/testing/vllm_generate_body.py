"""A scripted answer as a body of vLLM's demonstration server, which says text and nothing else.

Facts: `vllm/entrypoints/api_server.py` of https://github.com/vllm-project/vllm, checked 2026-11-30. Each line has all
texts so far, the prompt (here none) before each; the last comes twice. There is no finish reason, usage, id, model or
error of its own: the error here is that of a gateway.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import msgspec

from streamkit.testing.answers import Answer, cut
from streamkit.testing.plain_text import heard as heard_as_text
from streamkit.testing.plain_text import plain_text

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

FINISH_WORDS: dict[str, str] = {}  # it has none


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the lines of the stream; raises `ConfigError` for thinking and calls."""
    runs = [["", *accumulate(cut(plain_text(choice), piece))] for choice in (answer, *answer.choices)]
    longest = max(map(len, runs)) + 1
    return [_line({"text": [run[min(at, len(run) - 1)] for run in runs]}) for at in range(longest)]


def error_frame(message: str, type: str) -> bytes:
    """Return an error as a line of the stream."""
    return _line({"error": {"message": message, "type": type}})


def heard(answer: Answer) -> Answer:
    """Return what of an answer the dialect can say: the text alone, of which the end is taken for a stop."""
    return Answer(heard_as_text(answer).blocks, "stop", usage=None, id="", model="")


def _line(record: dict[str, Any]) -> bytes:
    return msgspec.json.encode(record) + b"\n"
