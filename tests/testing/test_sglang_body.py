"""Scripted answers as the records of SGLang's native generation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Call, Refusal, Text
from streamkit.testing.sglang_body import error_frame, heard, render
from streamkit.usage import Usage


def records(answer: Answer) -> list[dict[str, Any]]:
    *frames, last = render(answer, 4, False)
    assert last == b"data: [DONE]\n\n"
    return [json.loads(frame.removeprefix(b"data: ")) for frame in frames]


def test_each_record_has_all_text_so_far() -> None:
    said = records(Answer(["abcdef"]))
    assert [record["text"] for record in said] == ["", "abcd", "abcdef", "abcdef"]
    assert [record["meta_info"]["finish_reason"] for record in said] == [None, None, None, {"type": "stop"}]


def test_choices_take_turns() -> None:
    said = records(Answer(["a"], choices=[Answer(["b"])]))
    assert [(record["index"], record["text"]) for record in said] == [
        (0, ""),
        (1, ""),
        (0, "a"),
        (1, "b"),
        (0, "a"),
        (1, "b"),
    ]


def test_counts_are_those_of_the_first_choice() -> None:
    first, second, *_ = records(Answer(["a"], usage=Usage(10, 7, 3, 2, 4), choices=[Answer(["b"])]))
    counts = {"prompt_tokens": 15, "completion_tokens": 7, "cached_tokens": 3, "reasoning_tokens": 4}
    assert first["meta_info"] == {"id": "resp_1", "finish_reason": None} | counts
    assert second["meta_info"]["completion_tokens"] == 0
    assert "prompt_tokens" not in records(Answer(["a"], usage=None))[0]["meta_info"]


def test_what_the_dialect_cannot_say_is_left_out() -> None:
    said = heard(Answer(["a", Refusal("b")], usage=Usage(10, 7, 3, 2, 4)))
    assert (said.blocks, said.finish_type, said.model) == ([Text("ab")], "stop", "")
    assert said.usage == Usage(12, 7, 3, reasoning_tokens=4)
    with pytest.raises(ConfigError, match="Call"):
        render(Answer([Call("f")]), 4, False)


def test_an_error_is_a_record() -> None:
    frame = error_frame("No.", "odd")
    assert json.loads(frame.removeprefix(b"data: ")) == {"error": {"message": "No.", "type": "odd"}}
