"""Scripted answers as the events of an interaction."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking
from streamkit.testing.gemini_interactions_body import error_frame, heard, render
from streamkit.usage import Usage


def records(answer: Answer, interleave: bool = False) -> list[dict[str, Any]]:
    *frames, last = render(answer, 4, interleave)
    assert last == b"event: done\ndata: [DONE]\n\n"
    out = []
    for at, frame in enumerate(frames):
        name, data, *rest = frame.decode().split("\n")
        assert rest == ["", ""]
        out.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {out[-1]['event_type']}"
        assert out[-1].pop("event_id") == f"event_{at}"
    return out


def test_each_block_is_a_step() -> None:
    said = records(Answer([Thinking("abcdef", "c2ln"), "a", Call("f", {"a": 1}, "c1"), Refusal("no")]))
    assert [(record["event_type"], record.get("index")) for record in said] == [
        *(("interaction.created", None), ("interaction.status_update", None)),
        *(("step.start", 0), ("step.delta", 0), ("step.delta", 0), ("step.delta", 0), ("step.stop", 0)),
        *(("step.start", 1), ("step.delta", 1), ("step.stop", 1)),
        *(("step.start", 2), ("step.delta", 2), ("step.delta", 2), ("step.stop", 2)),
        *(("step.start", 3), ("step.delta", 3), ("step.stop", 3)),
        ("interaction.completed", None),
    ]
    assert said[0]["interaction"] == {
        "id": "resp_1",
        "status": "in_progress",
        "object": "interaction",
        "model": "scripted-model",
    }
    assert [record["delta"] for record in said[3:6]] == [
        {"type": "thought_summary", "content": {"type": "text", "text": "abcd"}},
        {"type": "thought_summary", "content": {"type": "text", "text": "ef"}},
        {"type": "thought_signature", "signature": "c2ln"},
    ]
    assert said[8]["delta"] == {"type": "text", "text": "a"}
    assert said[10]["step"] == {"type": "function_call", "id": "c1", "name": "f", "arguments": {}}
    assert said[11]["delta"] == {"type": "arguments_delta", "arguments": '{"a"'}


def test_calls_may_take_turns() -> None:
    said = records(Answer([Call("f", {"a": 1}), Call("g", {"b": 2})]), interleave=True)
    assert [record["index"] for record in said if "index" in record] == [0, 1, 0, 1, 0, 1, 0, 1]


def test_the_end_has_the_status_and_the_counts() -> None:
    end = records(Answer([Call("f")], usage=Usage(3, 5, 10, 100, 2)))[-1]["interaction"]
    assert end["status"] == "requires_action"
    assert end["usage"] == {
        "total_input_tokens": 113,
        "total_output_tokens": 3,
        "total_cached_tokens": 10,
        "total_thought_tokens": 2,
        "total_tokens": 118,
    }
    assert "usage" not in records(Answer(["a"], usage=None))[-1]["interaction"]
    assert records(Answer(["a"], raw_finish="idle"))[-1]["interaction"]["status"] == "idle"


def test_what_is_heard_has_no_refusal_and_thinks_within_its_output() -> None:
    answer = heard(Answer([Thinking("a", "c2ln"), Refusal("no")], finish="refusal", usage=Usage(3, 5, None, 100, 7)))
    assert answer.blocks == [Thinking("a", "c2ln"), Text("no")]
    assert answer.finish_type == "stop"
    assert answer.usage == Usage(103, 7, reasoning_tokens=7)


def test_an_error_is_an_event() -> None:
    assert error_frame("busy", "api_error") == (
        b'event: error\ndata: {"error":{"code":"api_error","message":"busy"},"event_type":"error"}\n\n'
    )


def test_there_is_one_answer() -> None:
    with pytest.raises(ConfigError, match="choices"):
        render(Answer(["a"], choices=[Answer(["b"])]), 4, False)
