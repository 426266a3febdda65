"""A scripted answer as the queue's stream of a Gradio app with one output, a text box.

Facts: an app of gradio 6.31.0, checked 2026-11-30. Of what the app generates, the first value is whole and each that
follows a diff; the last message has the whole value. There is no finish reason, usage or model; the id is the event's.
"""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.testing.answers import Answer, cut
from streamkit.testing.plain_text import heard as heard_as_text
from streamkit.testing.plain_text import plain_text

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

FINISH_WORDS: dict[str, str] = {}  # it has none


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the frames of the stream; raises `ConfigError` for thinking and calls."""
    text = plain_text(answer)
    first, *more = list(cut(text, piece)) or [""]
    values = [first, *([["append", [], each]] for each in more)]
    frames = [_frame(answer, "estimation", rank=0, queue_size=1), _frame(answer, "process_starts", eta=None)]
    frames += [_frame(answer, "process_generating", output={"data": [value]}, success=True) for value in values]
    return [*frames, _frame(answer, "process_completed", output={"data": [text]}, success=True)]


def error_frame(message: str, type: str) -> bytes:
    """Return an error as a message of the queue, in which there is no place for its type."""
    return _encoded({"msg": "process_completed", "output": {"error": message}, "success": False})


def heard(answer: Answer) -> Answer:
    """Return what of an answer the dialect can say: the text alone, of which the end is taken for a stop."""
    return Answer(heard_as_text(answer).blocks, "stop", usage=None, id=answer.id, model="")


def _frame(answer: Answer, kind: str, **fields: Any) -> bytes:
    return _encoded({"msg": kind, "event_id": answer.id, **fields})


def _encoded(message: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(message) + b"\n\n"
