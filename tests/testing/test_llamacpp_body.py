"""Scripted answers as records of llama.cpp's native completion."""

from __future__ import annotations

import json
from typing import Any

from streamkit.testing.answers import Answer
from streamkit.testing.llamacpp_body import error_frame, heard, render
from streamkit.usage import Usage


def records(answer: Answer, piece: int = 4) -> list[dict[str, Any]]:
    frames = render(answer, piece, False)
    assert all(frame.startswith(b"data: {") and frame.endswith(b"\n\n") for frame in frames)
    return [json.loads(frame[6:]) for frame in frames]


def test_text_comes_in_pieces_and_the_last_record_stops() -> None:
    said = records(Answer(["abcdef"], usage=Usage(3, 5, 10)))
    assert [record["content"] for record in said] == ["", "abcd", "ef", ""]
    assert [record["stop"] for record in said] == [False, False, False, True]
    last = said[-1]
    assert (last["stop_type"], last["tokens_evaluated"], last["tokens_predicted"]) == ("eos", 13, 5)
    assert last["timings"] == {"cache_n": 10}


def test_without_usage_there_are_no_counts() -> None:
    assert "tokens_evaluated" not in records(Answer(["a"], usage=None))[-1]
    assert records(Answer(["a"], usage=Usage(3, 5)))[-1]["timings"] == {}


def test_choices_take_turns() -> None:
    said = records(Answer(["a"], choices=[Answer(["b"], finish="length", usage=None)]))
    assert [(record["index"], record["content"]) for record in said[:4]] == [(0, ""), (1, ""), (0, "a"), (1, "b")]
    assert [record["stop_type"] for record in said[4:]] == ["eos", "limit"]


def test_what_is_heard_has_neither_id_nor_model() -> None:
    answer = heard(Answer(["a"], usage=Usage(3, 5, 10, 100, 2)))
    assert (answer.id, answer.model, answer.usage) == ("", "", Usage(103, 5, 10))


def test_an_error_is_a_record() -> None:
    assert json.loads(error_frame("busy", "server_error")[6:]) == {
        "error": {"code": 500, "message": "busy", "type": "server_error"}
    }
