"""Counts and stop reasons."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.messages import FinishReason
from streamkit.protocols.bedrock_converse.views import NO_INDEX, decode_delta, read_finish, read_usage
from streamkit.usage import Usage

WORDS = [
    ("end_turn", False, "stop"),
    ("end_turn", True, "tool_call"),
    ("stop_sequence", False, "stop"),
    ("max_tokens", True, "length"),
    ("model_context_window_exceeded", False, "length"),
    ("tool_use", False, "tool_call"),
    ("guardrail_intervened", False, "refusal"),
    ("content_filtered", False, "refusal"),
    ("malformed_model_output", False, "error"),
    ("malformed_tool_use", True, "error"),
    ("danced", False, "other"),
]


@pytest.mark.parametrize(("word", "calls", "kind"), WORDS)
def test_a_word_is_a_reason(word: str, calls: bool, kind: Any) -> None:
    assert read_finish(word, calls=calls) == FinishReason(kind, word)


def test_no_word_is_a_reason_made_up() -> None:
    assert read_finish(None, calls=False) == FinishReason("stop", synthesized=True)
    assert read_finish("", calls=True) == FinishReason("tool_call", synthesized=True)


REASONS: list[tuple[str, str, Any, Any, str | None]] = [
    ("the sequence", "stop_sequence", {"stop_sequence": "END"}, None, "END"),
    ("the sequence, deeper", "stop_sequence", {"delta": {"stop_sequence": "END"}}, None, "END"),
    ("no sequence", "end_turn", {"delta": {"stop_sequence": None}}, None, None),
    ("fields that are none", "end_turn", ["stop_sequence"], None, None),
    ("a guardrail", "guardrail_intervened", None, {"guardrail": {"actionReason": "Blocked."}}, "Blocked."),
    ("a guardrail without a word", "guardrail_intervened", {"stop_sequence": "x"}, {"guardrail": None}, None),
]


@pytest.mark.parametrize(
    ("word", "fields", "trace", "reason"), [case[1:] for case in REASONS], ids=[case[0] for case in REASONS]
)
def test_why_is_taken_from_beside_the_word(word: str, fields: Any, trace: Any, reason: str | None) -> None:
    assert read_finish(word, calls=False, fields=fields, trace=trace).reason == reason


def test_counts_leave_each_other_out() -> None:
    counts = {"inputTokens": 1, "outputTokens": 2, "cacheReadInputTokens": 30, "cacheWriteInputTokens": 4, "new": {}}
    assert read_usage(counts) == Usage(1, 2, 30, 4)
    assert not read_usage(None)
    assert read_usage({"inputTokens": 1, "half a character \ud83d": "\ude00"}) == Usage(1)
    with pytest.raises(msgspec.ValidationError):
        read_usage({"inputTokens": "many"})


def test_a_delta_is_read_without_what_else_is_there() -> None:
    event = decode_delta(b'{"delta":{"text":"a","new":[1]},"p":"abc"}')
    assert (event.index, event.delta and event.delta.text) == (NO_INDEX, "a")
