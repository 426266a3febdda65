"""Scripted answers as the lines of vLLM's demonstration server."""

from __future__ import annotations

import json

from streamkit.testing.answers import Answer, Text
from streamkit.testing.vllm_generate_body import error_frame, heard, render


def test_each_line_has_all_texts_so_far() -> None:
    lines = render(Answer(["abcdef"], choices=[Answer(["x"])]), 4, False)
    assert [json.loads(line)["text"] for line in lines] == [["", ""], ["abcd", "x"], ["abcdef", "x"], ["abcdef", "x"]]
    assert all(line.endswith(b"\n") for line in lines)


def test_what_the_dialect_cannot_say_is_left_out() -> None:
    said = heard(Answer(["a"], "length"))
    assert (said.blocks, said.finish, said.usage, said.id, said.model) == ([Text("a")], "stop", None, "", "")


def test_an_error_is_a_line() -> None:
    assert json.loads(error_frame("No.", "odd")) == {"error": {"message": "No.", "type": "odd"}}
