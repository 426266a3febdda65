"""The finish reasons of OpenAI's dialect."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.messages import FinishReason
from streamkit.protocols.openai_chat.finish import filtered, finish_word, read_finish

WORDS = {
    "stop": ["stop", "end", "eos", "eos_token", "stop_sequence", "end_turn", "STOP"],
    "length": ["length", "max_tokens", "model_length", "model_context_window_exceeded", "MAX_TOKENS"],
    "tool_call": ["tool_calls", "function_call", "tool_use"],
    "refusal": ["content_filter", "sensitive"],
    "error": ["error", "network_error", "insufficient_system_resource"],
    "aborted": ["abort", "cancelled"],
    "other": ["pause_turn", "FUNCTION_CALLED", "✓"],
}


@pytest.mark.feature("D: pi#2168")
@pytest.mark.parametrize(("kind", "word"), [(kind, word) for kind, words in WORDS.items() for word in words])
def test_a_word_has_its_type_and_is_kept(kind: Any, word: str) -> None:
    assert read_finish(word) == FinishReason(kind, word)


@pytest.mark.feature("D: python-genai#2868")
def test_a_stop_is_what_the_answer_shows_it_to_be() -> None:
    assert read_finish("stop", calls=True) == FinishReason("tool_call", "stop")
    assert read_finish("stop", refused=True) == FinishReason("refusal", "stop")
    assert read_finish("stop", calls=True, refused=True) == FinishReason("tool_call", "stop")
    assert read_finish("length", calls=True, refused=True) == FinishReason("length", "length")
    assert read_finish("content_filter", category="hate") == FinishReason("refusal", "content_filter", category="hate")


def test_where_the_provider_never_said_the_reason_is_made_up() -> None:
    assert read_finish(None) == FinishReason("stop", synthesized=True)
    assert read_finish(None, calls=True) == FinishReason("tool_call", synthesized=True)


VALUES = [
    (None, None),
    ("", None),
    ("null", None),
    ("stop", "stop"),
    (3, "3"),
    ({"type": "stop", "matched": 2}, "stop"),
    ({"why": "x"}, '{"why":"x"}'),
    ("a\ud83d", "a\ufffd"),
]


@pytest.mark.parametrize(("value", "word"), VALUES, ids=repr)
def test_a_finish_reason_is_a_string_or_nothing(value: Any, word: str | None) -> None:
    assert finish_word(value) == word


RESULTS = [
    ({"hate": {"filtered": True}, "sexual": {"filtered": True}, "violence": {"filtered": False}}, "hate, sexual"),
    ({"hate": {"filtered": False}}, None),
    ({"custom_blocklists": []}, None),
    (None, None),
]


@pytest.mark.parametrize(("results", "names"), RESULTS, ids=repr)
def test_what_a_filter_objected_to_is_named(results: Any, names: str | None) -> None:
    assert filtered(results) == names
