"""Scripted answers as the queue of a Gradio app."""

from __future__ import annotations

import json
from typing import Any

from streamkit.testing.answers import Answer, Text
from streamkit.testing.gradio_body import error_frame, heard, render


def messages(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(frame.removeprefix(b"data: ")) for frame in render(answer, 4, False)]


def test_the_first_value_is_whole_and_the_others_are_diffs() -> None:
    said = messages(Answer(["abcdefghi"]))
    assert [message["msg"] for message in said] == [
        "estimation",
        "process_starts",
        "process_generating",
        "process_generating",
        "process_generating",
        "process_completed",
    ]
    values = [message["output"]["data"] for message in said[2:]]
    assert values == [["abcd"], [[["append", [], "efgh"]]], [[["append", [], "i"]]], ["abcdefghi"]]
    assert {message["event_id"] for message in said} == {"resp_1"}


def test_an_empty_answer_is_generated_too() -> None:
    assert [message["output"]["data"] for message in messages(Answer([]))[2:]] == [[""], [""]]


def test_what_the_dialect_cannot_say_is_left_out() -> None:
    said = heard(Answer(["a"], "length"))
    assert (said.blocks, said.finish, said.usage, said.id, said.model) == ([Text("a")], "stop", None, "resp_1", "")


def test_an_error_is_a_message() -> None:
    message = json.loads(error_frame("No.", "odd").removeprefix(b"data: "))
    assert message == {"msg": "process_completed", "output": {"error": "No."}, "success": False}
