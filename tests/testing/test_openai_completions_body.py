"""Scripted answers as records of OpenAI's legacy completions."""

from __future__ import annotations

import json
from typing import Any

from streamkit.testing.answers import Answer
from streamkit.testing.openai_completions_body import error_frame, render
from streamkit.usage import Usage


def records(answer: Answer) -> list[dict[str, Any]]:
    *frames, last = render(answer, 4, False)
    assert last == b"data: [DONE]\n\n"
    return [json.loads(frame.removeprefix(b"data: ")) for frame in frames]


def test_text_comes_in_pieces_with_a_reason_and_usage_after_them() -> None:
    *chunks, usage = records(Answer(["abcdef"], usage=Usage(3, 5, 10)))
    choices = [chunk["choices"][0] for chunk in chunks]
    assert [choice["text"] for choice in choices] == ["", "abcd", "ef", ""]
    assert [choice["finish_reason"] for choice in choices] == [None, None, None, "stop"]
    assert usage["choices"] == []
    assert usage["usage"] == {
        "prompt_tokens": 13,
        "completion_tokens": 5,
        "total_tokens": 18,
        "prompt_tokens_details": {"cached_tokens": 10},
    }


def test_choices_take_turns_and_usage_may_be_missing() -> None:
    said = records(Answer(["a"], choices=[Answer(["b"], finish="length")], usage=None))
    found = [(choice["index"], choice["text"]) for record in said for choice in record["choices"]]
    assert found == [(0, ""), (1, ""), (0, "a"), (1, "b"), (0, ""), (1, "")]
    assert said[-1]["choices"][0]["finish_reason"] == "length"


def test_an_error_is_a_record() -> None:
    assert b'"error":{"message":"busy"' in error_frame("busy", "overloaded_error")
