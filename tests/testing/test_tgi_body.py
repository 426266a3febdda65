"""Scripted answers as the records of TGI's native generation."""

from __future__ import annotations

import json
from typing import Any

from streamkit.testing.answers import Answer
from streamkit.testing.tgi_body import error_frame, heard, render
from streamkit.usage import Usage


def records(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(frame.removeprefix(b"data: ")) for frame in render(answer, 4, False)]


def test_each_record_is_a_token_and_the_last_the_whole_text() -> None:
    said = records(Answer(["abcdef"], usage=Usage(10, 7, 3, 2)))
    assert [record["token"]["text"] for record in said] == ["<s>", "abcd", "ef", "</s>"]
    assert [record["token"]["special"] for record in said] == [True, False, False, True]
    assert [record["generated_text"] for record in said] == [None, None, None, "abcdef"]
    assert said[-1]["details"] == {"finish_reason": "eos_token", "generated_tokens": 7, "input_length": 15}
    assert records(Answer([], usage=None))[-1]["details"] == {"finish_reason": "eos_token"}


def test_what_the_dialect_cannot_say_is_left_out() -> None:
    said = heard(Answer(["a"], usage=Usage(10, 7, 3, 2, 4)))
    assert (said.id, said.model, said.usage) == ("", "", Usage(15, 7))


def test_an_error_is_a_record() -> None:
    assert json.loads(error_frame("No.", "odd").removeprefix(b"data: ")) == {"error": "No.", "error_type": "odd"}
