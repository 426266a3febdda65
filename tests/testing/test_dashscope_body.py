"""Scripted answers as DashScope's events."""

from __future__ import annotations

import json
from typing import Any

from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking
from streamkit.testing.dashscope_body import error_frame, heard, render
from streamkit.usage import Usage


def records(answer: Answer, interleave: bool = False) -> list[dict[str, Any]]:
    out = []
    for at, frame in enumerate(render(answer, 4, interleave), 1):
        head, _, data = frame.decode().partition("data:")
        assert head == f"id:{at}\nevent:result\n:HTTP_STATUS/200\n"
        assert data.endswith("\n\n")
        out.append(json.loads(data))
    return out


def choices(answer: Answer, interleave: bool = False) -> list[dict[str, Any]]:
    return [choice for record in records(answer, interleave) for choice in record["output"]["choices"]]


def test_each_record_says_what_is_new_and_the_last_why_it_ends() -> None:
    said = choices(Answer([Thinking("abcdef", "sig"), "hi"]))
    assert [choice["message"].get("reasoning_content", "") for choice in said] == ["", "abcd", "ef", "", ""]
    assert [choice["message"]["content"] for choice in said] == ["", "", "", "hi", ""]
    assert [choice["finish_reason"] for choice in said] == ["null"] * 4 + ["stop"]


def test_calls_come_in_pieces_with_their_number() -> None:
    said = choices(Answer([Call("f", "12345", "c1"), Call("g", "6", "c2")]), interleave=True)
    calls = [call for choice in said for call in choice["message"].get("tool_calls", [])]
    assert [(call["index"], call["id"], call["function"]) for call in calls] == [
        (0, "c1", {"name": "f", "arguments": ""}),
        (1, "c2", {"name": "g", "arguments": ""}),
        (0, "", {"arguments": "1234"}),
        (1, "", {"arguments": "6"}),
        (0, "", {"arguments": "5"}),
    ]
    assert said[-1]["finish_reason"] == "tool_calls"


def test_choices_take_turns() -> None:
    said = choices(Answer(["a"], choices=[Answer(["b"])]))
    assert [choice["index"] for choice in said] == [0, 1, 0, 1, 0, 1]


def test_counts_are_those_of_the_choice() -> None:
    usage = Usage(10, 7, 3, 2, 4)
    first, second, *_ = records(Answer(["a"], usage=usage, choices=[Answer(["b"])]))
    assert first["usage"] == {
        "input_tokens": 15,
        "output_tokens": 7,
        "total_tokens": 22,
        "output_tokens_details": {"reasoning_tokens": 4},
        "prompt_tokens_details": {"cached_tokens": 3, "cache_creation_input_tokens": 2},
    }
    assert (second["usage"]["output_tokens"], second["usage"]["input_tokens"]) == (0, 15)
    assert all("usage" not in record for record in records(Answer(["a"], usage=None)))


def test_what_the_dialect_cannot_say_is_left_out() -> None:
    said = heard(Answer([Thinking("a", "sig"), Refusal("no")], finish="refusal", choices=[Answer([Refusal("b")])]))
    assert (said.blocks, said.finish_type, said.model) == ([Thinking("a"), Text("no")], "stop", "")
    assert said.choices[0].blocks == [Text("b")]


def test_an_error_is_an_event_with_a_code() -> None:
    name, data = error_frame("No.", "Throttling").decode().strip().split("\n")
    assert name == "event:error"
    assert json.loads(data.removeprefix("data:")) == {"code": "Throttling", "message": "No.", "request_id": "r"}
