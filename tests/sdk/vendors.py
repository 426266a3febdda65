"""Scripted answers as vendors say them whose own SDK reads another form than their dialect's first.

Facts: the packages `mistralai` 3.7.0, `groq` 1.7.0 and `dashscope` 2.0.2, checked 2026-11-30.
"""

from __future__ import annotations

import json
import re
from typing import Any

from streamkit.testing import Answer, Call, Thinking, render
from streamkit.testing.answers import cut, take_turns
from streamkit.testing.openai_chat_body import FINISH_WORDS, usage_fields

__all__ = ["groq_body", "mistral_body", "multimodal_body"]


def groq_body(answer: Answer, piece: int) -> bytes:
    """The thinking is in a field of another name."""
    return render(answer, "openai-chat", piece=piece).replace(b'"reasoning_content":', b'"reasoning":')


def mistral_body(answer: Answer, piece: int) -> bytes:
    """Thinking is a part of the content, calls come whole, and the counts with the last finish reason."""
    answers = [answer, *answer.choices]
    choices = take_turns([_mistral_choice(each, at, piece) for at, each in enumerate(answers)])
    records = [{"id": answer.id, "model": answer.model, "choices": [choice]} for choice in choices]
    if answer.usage is not None:
        records[-1]["usage"] = usage_fields(answer.usage)
    return b"".join(b"data: %s\n\n" % data for data in (*map(_json, records), b"[DONE]"))


def multimodal_body(answer: Answer, piece: int) -> bytes:
    """What a multimodal model of DashScope's says is a list of parts."""
    body = render(answer, "dashscope", piece=piece).replace(b'"content":""', b'"content":[]')
    return re.sub(rb'"content":("(?:[^"\\]|\\.)+")', rb'"content":[{"text":\1}]', body)


def _mistral_choice(answer: Answer, index: int, piece: int) -> list[dict[str, Any]]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    calls = 0
    for block in answer.parts():
        if isinstance(block, Call):
            function = {"name": block.name, "arguments": block.text}
            deltas.append({"tool_calls": [{"id": block.id, "index": calls, "function": function}]})
            calls += 1
        elif isinstance(block, Thinking):
            texts = [[{"type": "text", "text": text}] for text in cut(block.text, piece)]
            deltas += [{"content": [{"type": "thinking", "thinking": text}]} for text in texts]
        else:
            deltas += [{"content": text} for text in cut(block.text, piece)]
    word = FINISH_WORDS[answer.finish_type]
    finishes = [*(None for _ in deltas), word]
    return [
        {"index": index, "delta": delta, "finish_reason": finish}
        for delta, finish in zip([*deltas, {"content": ""}], finishes, strict=True)
    ]


def _json(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode()
