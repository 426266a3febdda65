"""The counts of DashScope's records."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols.dashscope.usage import UsageReader
from streamkit.usage import Usage


def read(*records: tuple[Any, int | None]) -> Usage:
    reader = UsageReader()
    for raw, choice in records:
        if choice is None:
            reader.take_all(raw)
        else:
            reader.take(raw, choice)
        assert reader.usage == reader.usage
    return reader.usage


ONE: list[tuple[str, Any, Usage]] = [
    ("text", {"input_tokens": 8, "output_tokens": 1, "total_tokens": 9}, Usage(8, 1)),
    ("sound is input", {"audio_tokens": 752, "input_tokens": 783, "output_tokens": 7}, Usage(783, 7)),
    (
        "reasoning",
        {"input_tokens": 16, "output_tokens": 53, "output_tokens_details": {"reasoning_tokens": 10}},
        Usage(16, 53, reasoning_tokens=10),
    ),
    (
        "a cache",
        {
            "input_tokens": 100,
            "output_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": 60, "cache_creation_input_tokens": 30},
        },
        Usage(10, 1, 60, 30),
    ),
    (
        "the models of an application",
        {"models": [{"input_tokens": 5, "output_tokens": 1}, {"input_tokens": 7, "output_tokens": 2}, "odd"]},
        Usage(12, 3),
    ),
    ("no models", {"models": []}, Usage()),
    ("text in place of counts", "5", Usage()),
    ("zeros", {"input_tokens": 0, "output_tokens": 0}, Usage()),
    ("nothing", None, Usage()),
]


@pytest.mark.parametrize(("raw", "usage"), [case[1:] for case in ONE], ids=[case[0] for case in ONE])
def test_the_counts_of_a_record(raw: Any, usage: Usage) -> None:
    assert read((raw, 0)) == read((raw, None)) == usage


def counts(written: int, reasoning: int | None = None) -> dict[str, Any]:
    details = {} if reasoning is None else {"output_tokens_details": {"reasoning_tokens": reasoning}}
    return {"input_tokens": 5, "output_tokens": written} | details


def test_later_counts_replace_earlier_ones() -> None:
    assert read((counts(1), 0), (counts(3), 0)) == Usage(5, 3)


def test_the_output_of_choices_is_added_and_their_input_is_not() -> None:
    turns = (counts(1), 0), (counts(2), 1), (counts(4), 0), (counts(8), 1)
    assert read(*turns) == Usage(5, 12)
    assert read((counts(4, 3), 0), (counts(8, 5), 1)) == Usage(5, 12, reasoning_tokens=8)


def test_the_counts_of_the_response_take_the_place_of_those_of_its_choices() -> None:
    assert read((counts(4), 0), (counts(8), 1), (counts(12), None)) == Usage(5, 12)
