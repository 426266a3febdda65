"""Open steps by their number: which deltas belong to which, and what breaks."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.deltas import BlockAdded, Delta, TextDelta, TextEnd, TextStart, ThinkingEnd, ThinkingStart
from streamkit.parts import RawPart, ServerToolPart
from streamkit.protocols.gemini_interactions.steps import Steps
from streamkit.testing.outcome import numbered_ids


def new() -> tuple[Steps, list[Delta]]:
    return Steps(100, numbered_ids()), []


def test_all_that_is_open_is_closed_in_the_order_of_the_numbers() -> None:
    steps, out = new()
    steps.start(5, {"type": "google_search_call", "id": "s"}, out)
    steps.start(2, {"type": "model_output"}, out)
    steps.delta(2, {"type": "text", "text": "a"}, out)
    steps.start(0, {"type": "thought"}, out)
    assert steps.any
    steps.stop_all(out)
    assert out == [
        *(TextStart(0), TextDelta(0, "a"), ThinkingStart(1), ThinkingEnd(1), TextEnd(0)),
        BlockAdded(2, ServerToolPart("call", "s", "google_search", {"type": "google_search_call", "id": "s"})),
    ]


def test_a_step_that_is_not_open_is_closed_without_a_word() -> None:
    steps, out = new()
    steps.stop(3, out)
    assert out == []
    assert not steps.any


def test_what_the_caller_said_is_no_part_of_the_answer() -> None:
    steps, out = new()
    steps.start(0, {"type": "user_input", "content": [{"type": "text", "text": "hi"}]}, out)
    assert not steps.delta(0, {"type": "text", "text": "x"}, out)
    steps.stop(0, out)
    assert out == []


def test_a_step_without_a_type_is_kept_as_it_came() -> None:
    steps, out = new()
    steps.start(0, {"x": 1}, out)
    steps.stop(0, out)
    assert out == [BlockAdded(0, RawPart({"x": 1}))]


def test_calls_and_errors_are_noted() -> None:
    steps, out = new()
    assert (steps.has_calls, steps.error) == (False, None)
    steps.start(0, {"type": "model_output", "error": {"code": 3, "message": "no"}}, out)
    steps.start(1, {"type": "function_call", "name": "f"}, out)
    assert (steps.has_calls, steps.error) == (True, {"code": 3, "message": "no"})


BROKEN: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("text for a call", {"type": "function_call", "name": "f"}, {"type": "text", "text": "a"}),
    ("arguments for text", {"type": "model_output"}, {"type": "arguments_delta", "arguments": "{}"}),
    ("a signature for text", {"type": "model_output"}, {"type": "thought_signature", "signature": "s"}),
    ("a summary that is a text", {"type": "thought"}, {"type": "thought_summary", "content": "Hm"}),
    ("sources that are no list", {"type": "model_output"}, {"type": "text_annotation_delta", "annotations": "u"}),
]


@pytest.mark.parametrize(("step", "delta"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_known_delta_that_does_not_fit_is_an_error(step: dict[str, Any], delta: dict[str, Any]) -> None:
    steps, out = new()
    steps.start(0, step, out)
    with pytest.raises(msgspec.ValidationError):
        steps.delta(0, delta, out)


def test_what_is_held_back_is_given_out() -> None:
    steps, out = new()
    steps.start(0, {"type": "model_output"}, out)
    steps.delta(0, {"type": "text", "text": "a\ud83d"}, out)
    steps.flush(out)
    assert out == [TextStart(0), TextDelta(0, "a"), TextDelta(0, "\ufffd")]
