"""Scripted answers as Ollama's lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking
from streamkit.testing.ollama_body import error_frame, heard, render
from streamkit.usage import Usage


def records(answer: Answer, piece: int = 4) -> list[dict[str, Any]]:
    lines = render(answer, piece, False)
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)
    return [json.loads(line) for line in lines]


CASES: list[tuple[str, Any, list[dict[str, Any]]]] = [
    ("text", Text("abcdef"), [{"content": "abcd"}, {"content": "ef"}]),
    ("thinking", Thinking("abc", "sig"), [{"content": "", "thinking": "abc"}]),
    ("a refusal is text", Refusal("no"), [{"content": "no"}]),
    (
        "a call",
        Call("f", {"a": [1]}, "id1"),
        [{"content": "", "tool_calls": [{"id": "id1", "function": {"name": "f", "arguments": {"a": [1]}}}]}],
    ),
    (
        "arguments that are no object",
        Call("f", "[1", "id1"),
        [{"content": "", "tool_calls": [{"id": "id1", "function": {"name": "f", "arguments": "[1"}}]}],
    ),
]


@pytest.mark.parametrize(("block", "messages"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_block_is_messages(block: Any, messages: list[dict[str, Any]]) -> None:
    first, *middle, last = records(Answer([block]))
    assert first["message"] == {"role": "assistant", "content": ""}
    assert [record["message"] for record in middle] == [{"role": "assistant", **message} for message in messages]
    assert [record["done"] for record in (first, *middle, last)] == [False] * (len(middle) + 1) + [True]


def test_what_go_escapes_is_escaped():
    line = render(Answer(["<a>&\u2028\u2029\x85"]), 9, False)[1]
    assert b'"\\u003ca\\u003e\\u0026\\u2028\\u2029\xc2\x85"' in line


def test_the_last_record_has_the_reason_and_the_counts() -> None:
    last = records(Answer([Call("f")], usage=Usage(3, 5, 10, 100)))[-1]
    assert (last["done_reason"], last["prompt_eval_count"], last["eval_count"]) == ("stop", 113, 5)
    assert "eval_count" not in records(Answer(["a"], usage=Usage(3, 0)))[-1]
    assert "prompt_eval_count" not in records(Answer(["a"], usage=None))[-1]
    assert records(Answer(["a"], raw_finish="load"))[-1]["done_reason"] == "load"


def test_what_is_heard_has_no_id_no_signature_and_no_split_of_the_input() -> None:
    answer = heard(Answer([Thinking("a", "sig"), Refusal("no")], finish="refusal", usage=Usage(3, 5, 10)))
    assert answer.blocks == [Thinking("a"), Text("no")]
    assert (answer.id, answer.usage, answer.finish_type) == ("", Usage(13, 5), "stop")


def test_an_error_is_a_text() -> None:
    assert error_frame("busy", "overloaded_error") == b'{"error":"busy"}\n'


def test_there_is_one_answer() -> None:
    with pytest.raises(ConfigError, match="choices"):
        render(Answer(["a"], choices=[Answer(["b"])]), 4, False)
