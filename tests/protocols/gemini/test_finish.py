"""Finish reasons and blocked prompts."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.messages import Finish, FinishReason
from streamkit.protocols.gemini.finish import blocked_reason, filtered, finish_word, read_finish

KINDS: list[tuple[str | None, bool, Finish]] = [
    ("STOP", False, "stop"),
    ("STOP", True, "tool_call"),
    ("1", True, "tool_call"),
    ("MAX_TOKENS", True, "length"),
    ("SAFETY", False, "refusal"),
    ("RECITATION", False, "refusal"),
    ("PROHIBITED_CONTENT", True, "refusal"),
    ("IMAGE_SAFETY", False, "refusal"),
    ("MALFORMED_FUNCTION_CALL", True, "error"),
    ("UNEXPECTED_TOOL_CALL", False, "error"),
    ("MISSING_THOUGHT_SIGNATURE", False, "error"),
    ("OTHER", False, "other"),
    ("NO_IMAGE", False, "other"),
    ("NEW_WORD", True, "other"),
    (None, False, "stop"),
    (None, True, "tool_call"),
]


@pytest.mark.parametrize(("word", "calls", "kind"), KINDS)
def test_a_word_has_its_kind(word: str | None, calls: bool, kind: Finish) -> None:
    assert read_finish(word, calls=calls) == FinishReason(kind, word, synthesized=word is None)


def test_the_message_is_the_reason() -> None:
    assert read_finish("OTHER", calls=False, message="m", category="c") == FinishReason("other", "OTHER", "m", "c")
    assert read_finish("OTHER", calls=False, message="").reason is None


@pytest.mark.parametrize(
    ("value", "word"), [(None, None), ("", None), (0, None), ("STOP", "STOP"), (3, "3"), ({"a": 1}, '{"a":1}')]
)
def test_a_reason_is_kept_as_a_word(value: Any, word: str | None) -> None:
    assert finish_word(value) == word


RATINGS = [{"category": "A", "blocked": True}, {"category": "B"}, {"category": "C", "blocked": True}, 5]


def test_a_blocked_prompt_says_why() -> None:
    feedback = {"blockReason": "SAFETY", "blockReasonMessage": "No.", "safetyRatings": RATINGS}
    assert blocked_reason(feedback) == FinishReason("refusal", "SAFETY", "No.", "A, C")


@pytest.mark.parametrize("feedback", [None, {}, {"safetyRatings": RATINGS}, {"blockReason": ""}, 5])
def test_a_prompt_that_is_not_blocked(feedback: Any) -> None:
    assert blocked_reason(feedback) is None


@pytest.mark.parametrize(("ratings", "found"), [(RATINGS, "A, C"), ([], None), (None, None), ({}, None)])
def test_what_was_blocked(ratings: Any, found: str | None) -> None:
    assert filtered(ratings) == found
