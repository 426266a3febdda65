from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols.openai_responses.usage import read_usage
from streamkit.usage import Usage, UsageCost

CASES: list[tuple[str, Any, Usage | None]] = [
    (
        "what was read from and written to a cache is part of the input",
        {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
            "output_tokens": 9,
            "output_tokens_details": {"reasoning_tokens": 4},
        },
        Usage(30, 9, 60, 10, 4),
    ),
    ("no details", {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}, Usage(3, 2)),
    (
        "details that are null",
        {"input_tokens": 3, "output_tokens": 2, "input_tokens_details": None, "output_tokens_details": None},
        Usage(3, 2),
    ),
    (
        "a cost, from OpenRouter",
        {"input_tokens": 3, "output_tokens": 2, "cost": 0.5},
        Usage(3, 2, cost=UsageCost(total=0.5)),
    ),
    ("zeros", {"input_tokens": 0, "output_tokens": 0}, None),
    ("an empty object", {}, None),
    ("null", None, None),
    ("a text", "3", None),
]


@pytest.mark.parametrize(("raw", "usage"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_usage_object_becomes_counts(raw: Any, usage: Usage | None) -> None:
    assert read_usage(raw) == usage
