"""The usage objects of all who speak OpenAI's dialects."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols.openai_chat.usage import read_usage
from streamkit.usage import Usage, UsageCost

BASE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}

CASES: list[tuple[str, Any, Usage | None]] = [
    ("plain", BASE, Usage(100, 20)),
    (
        "openai",
        {
            **BASE,
            "prompt_tokens_details": {"cached_tokens": 30, "cache_write_tokens": 10, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 8},
        },
        Usage(60, 20, 30, 10, 8),
    ),
    ("zeros are reported", {**BASE, "prompt_tokens_details": {"cached_tokens": 0}}, Usage(100, 20, 0)),
    ("null details", {**BASE, "prompt_tokens_details": None, "completion_tokens_details": None}, Usage(100, 20)),
    (
        "deepseek",
        {
            **BASE,
            "prompt_cache_hit_tokens": 64,
            "prompt_cache_miss_tokens": 36,
            "prompt_tokens_details": {"cached_tokens": 64},
        },
        Usage(36, 20, 64),
    ),
    ("moonshot", {**BASE, "cached_tokens": 5}, Usage(95, 20, 5)),
    (
        "litellm",
        {
            **BASE,
            "cache_read_input_tokens": 7,
            "cache_creation_input_tokens": 3,
            "prompt_tokens_details": {"cached_tokens": 0},
        },
        Usage(90, 20, 7, 3),
    ),
    ("copilot", {**BASE, "reasoning_tokens": 4}, Usage(100, 20, reasoning_tokens=4)),
    ("more cached than sent", {**BASE, "cached_tokens": 150}, Usage(0, 20, 150)),
    ("openrouter", {**BASE, "cost": 0.5, "is_byok": False}, Usage(100, 20, cost=UsageCost(total=0.5))),
    (
        "perplexity",
        {**BASE, "cost": {"input_tokens_cost": 0.1, "output_tokens_cost": 0.2, "request_cost": 0.3, "total_cost": 0.6}},
        Usage(100, 20, cost=UsageCost(0.1, 0.2, total=0.6)),
    ),
    ("a cost below none", {**BASE, "cost": -3}, Usage(100, 20)),
    ("only the prompt", {"prompt_tokens": 3, "completion_tokens": None}, Usage(3, None)),
    ("only the output", {"completion_tokens": 3}, Usage(None, 3)),
    ("floats", {"prompt_tokens": 3.0, "completion_tokens": 2.0}, Usage(3, 2)),
    ("nonsense", {"prompt_tokens": "3", "completion_tokens": 2, "cost": "free", "cached_tokens": -1}, Usage(None, 2)),
    ("booleans", {"prompt_tokens": True, "completion_tokens": 2}, Usage(None, 2)),
    ("numbers past all bounds", {**BASE, "cost": 10**400, "cached_tokens": float("inf")}, Usage(100, 20)),
    ("a whole cost", {**BASE, "cost": 2}, Usage(100, 20, cost=UsageCost(total=2.0))),
    ("zeros", {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0, "cost": 0}, None),
    ("only a total", {"total_tokens": 0}, None),
    ("empty", {}, None),
    ("null", None, None),
    ("no object", [1], None),
]


@pytest.mark.parametrize(("raw", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_counts_have_one_meaning(raw: Any, expected: Usage | None) -> None:
    assert read_usage(raw) == expected


OUTSIDE = [
    ("the total shows it", 127, 27),
    ("the total shows that it is not", 120, 20),
    ("the total is odd", 121, 20),
    ("no total", None, 20),
]


@pytest.mark.parametrize(("total", "output"), [case[1:] for case in OUTSIDE], ids=[case[0] for case in OUTSIDE])
def test_reasoning_is_added_to_the_output_only_where_the_total_shows_that_it_is_outside(
    total: int | None, output: int
) -> None:
    raw = {**BASE, "total_tokens": total, "completion_tokens_details": {"reasoning_tokens": 7}}
    assert read_usage(raw, reasoning_outside_output=True) == Usage(100, output, reasoning_tokens=7)
    assert read_usage(raw) == Usage(100, 20, reasoning_tokens=7)


def test_reasoning_outside_the_output_may_show_in_the_total_alone() -> None:
    raw = {**BASE, "total_tokens": 127}
    assert read_usage(raw, reasoning_outside_output=True) == Usage(100, 27, reasoning_tokens=7)
    assert read_usage({**BASE, "total_tokens": 120}, reasoning_outside_output=True) == Usage(100, 20)
    assert read_usage(raw) == Usage(100, 20)
