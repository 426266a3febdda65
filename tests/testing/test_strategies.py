"""What the strategies make."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamkit.accumulator import accumulate
from streamkit.deltas import Delta
from streamkit.messages import FinishReason
from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking
from streamkit.testing.expected import expected
from streamkit.testing.mutations import split_frames
from streamkit.testing.scripts import RENDERED, framing_of, render
from streamkit.testing.strategies import answers, arguments, delta_streams, json_values, texts, usages


@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_each_answer_can_be_scripted(protocol: str, data: st.DataObject) -> None:
    answer = data.draw(answers(protocol))
    assert split_frames(render(answer, protocol), framing_of(protocol))
    for choice in (answer, *answer.choices):
        assert expected(choice, protocol).finish_reason is not None


@given(json_values(), arguments(), texts(), usages())
def test_values_are_json_and_usage_says_something(value: object, call: object, text: str, usage: object) -> None:
    assert repr(json.loads(json.dumps(value))) == repr(value)
    assert isinstance(call, dict)
    assert text.encode().decode() == text
    assert usage


@given(texts(3))
def test_texts_have_at_least_the_size_asked_for(text: str) -> None:
    assert len(text) >= 3


WANTED: list[tuple[str, Callable[[Answer], bool]]] = [
    ("calls", lambda answer: sum(isinstance(block, Call) for block in answer.blocks) > 1),
    ("thinking after text", lambda answer: [type(block) for block in answer.blocks[:2]] == [Text, Thinking]),
    ("refusals", lambda answer: any(isinstance(block, Refusal) for block in answer.blocks)),
    ("answers cut by length", lambda answer: answer.finish == "length"),
    ("more than one choice", lambda answer: len(answer.choices) > 0),
    ("no usage", lambda answer: answer.usage is None),
    ("emptiness", lambda answer: answer.blocks == []),
]


def drawn(**options: bool) -> list[Answer]:
    found: list[Answer] = []

    @settings(max_examples=400)
    @given(answers(**options))
    def collect(answer: Answer) -> None:
        found.append(answer)

    collect()
    return found


def test_there_are_answers_of_each_sort() -> None:
    found = drawn()
    assert [name for name, wanted in WANTED if not any(map(wanted, found))] == []


def test_choices_can_be_left_out() -> None:
    assert not any(answer.choices for answer in drawn(choices=False))


def test_there_are_deltas_of_each_sort_that_make_messages() -> None:
    sorts: set[str] = set()

    @settings(max_examples=400)
    @given(delta_streams())
    def collect(deltas: list[Delta]) -> None:
        assert accumulate(deltas).finish_reason == FinishReason("stop")
        sorts.update(type(delta).__name__ for delta in deltas)

    collect()
    assert sorts == {kind.__name__ for kind in get_args(Delta)} - {"RawFrame"}
