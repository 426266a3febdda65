"""Scripted answers as the objects of a FastChat worker."""

from __future__ import annotations

import json
from typing import Any

from streamkit.testing.answers import Answer
from streamkit.testing.fastchat_body import error_frame, heard, render
from streamkit.usage import Usage


def records(answer: Answer) -> list[dict[str, Any]]:
    frames = render(answer, 4, False)
    assert all(frame.endswith(b"\0") for frame in frames)
    return [json.loads(frame[:-1]) for frame in frames]


def test_each_object_has_all_text_so_far_and_the_last_comes_twice() -> None:
    said = records(Answer(["abcdef"], usage=Usage(10, 7)))
    assert [record["text"] for record in said] == ["", "abcd", "abcdef", "abcdef"]
    assert [record["finish_reason"] for record in said] == [None, None, None, "stop"]
    assert said[0]["usage"] == {"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17}
    assert "usage" not in records(Answer([], usage=None))[0]


def test_what_the_dialect_cannot_say_is_left_out() -> None:
    said = heard(Answer(["a"], usage=Usage(10, 7, 3, 2, 4)))
    assert (said.id, said.model, said.usage) == ("", "", Usage(15, 7))


def test_an_error_is_an_object_with_a_code() -> None:
    assert error_frame("No.", "overloaded_error") == b'{"text":"No.","error_code":42903}\0'
    assert error_frame("No.", "odd") == b'{"text":"No.","error_code":50001}\0'
