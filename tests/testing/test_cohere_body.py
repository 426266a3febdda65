"""Scripted answers as Cohere's events."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking
from streamkit.testing.cohere_body import error_frame, heard, render
from streamkit.usage import Usage


def records(answer: Answer, interleave: bool = False) -> list[dict[str, Any]]:
    *frames, last = render(answer, 4, interleave)
    assert last == b"data: [DONE]\n\n"
    out = []
    for frame in frames:
        name, data, *rest = frame.decode().split("\n")
        assert rest == ["", ""]
        out.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {out[-1]['type']}"
    return out


def test_content_and_calls_are_numbered_apart() -> None:
    said = records(Answer([Thinking("abcdef", "sig"), "a", Call("f", {"a": 1}, "c1"), Refusal("no")]))
    places = [(record["type"], record.get("index")) for record in said]
    assert places == [
        ("message-start", None),
        *(("content-start", 0), ("content-delta", 0), ("content-delta", 0), ("content-end", 0)),
        *(("content-start", 1), ("content-delta", 1), ("content-end", 1)),
        *(("tool-call-start", 0), ("tool-call-delta", 0), ("tool-call-delta", 0), ("tool-call-end", 0)),
        *(("content-start", 2), ("content-delta", 2), ("content-end", 2)),
        ("message-end", None),
    ]
    assert said[1]["delta"]["message"] == {"content": {"type": "thinking", "thinking": ""}}
    assert said[2]["delta"]["message"] == {"content": {"thinking": "abcd"}}
    assert said[8]["delta"]["message"] == {
        "tool_calls": {"id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}}
    }


def test_calls_may_take_turns() -> None:
    said = records(Answer([Call("f", {"a": 1}), Call("g", {"b": 2})]), interleave=True)
    starts = [record["index"] for record in said if record["type"].startswith("tool-call")]
    assert starts == [0, 1, 0, 1, 0, 1, 0, 1]


def test_the_end_has_the_reason_and_the_counts_as_floats() -> None:
    end = records(Answer([Call("f")], usage=Usage(3, 5, 10, 100, 2)))[-1]["delta"]
    assert end["finish_reason"] == "TOOL_CALL"
    assert end["usage"]["tokens"] == {"input_tokens": 113.0, "output_tokens": 5.0, "reasoning_tokens": 2.0}
    assert end["usage"]["cached_tokens"] == 10.0
    assert "usage" not in records(Answer(["a"], usage=None))[-1]["delta"]


def test_what_is_heard_has_no_model_and_no_signature() -> None:
    answer = heard(Answer([Thinking("a", "sig"), Refusal("no")], finish="refusal", usage=Usage(3, 5, 10, 100, 2)))
    assert answer.blocks == [Thinking("a"), Text("no")]
    assert (answer.id, answer.model, answer.finish_type) == ("resp_1", "", "stop")
    assert answer.usage == Usage(103, 5, 10, reasoning_tokens=2)


def test_an_error_is_an_end() -> None:
    assert b'"finish_reason":"ERROR"' in error_frame("busy", "overloaded_error")


def test_there_is_one_answer() -> None:
    with pytest.raises(ConfigError, match="choices"):
        render(Answer(["a"], choices=[Answer(["b"])]), 4, False)
