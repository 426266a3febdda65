"""What the end of a Cohere answer says."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.messages import FinishReason
from streamkit.protocols.cohere.views import at, read_finish, read_usage
from streamkit.usage import Usage

COUNTS: list[tuple[str, Any, Usage]] = [
    ("floats", {"tokens": {"input_tokens": 9.0, "output_tokens": 4.0}}, Usage(9, 4)),
    (
        "a cache and reasoning",
        {"tokens": {"input_tokens": 9, "output_tokens": 4, "reasoning_tokens": 3}, "cached_tokens": 5},
        Usage(4, 4, 5, reasoning_tokens=3),
    ),
    ("only what is billed", {"billed_units": {"input_tokens": 2.0, "output_tokens": 1.0}}, Usage(2, 1)),
    ("nothing", {}, Usage()),
    ("null", None, Usage()),
    ("no counts", {"tokens": {"input_tokens": "9", "output_tokens": -1, "reasoning_tokens": True}}, Usage()),
    ("beyond all bounds", {"tokens": {"input_tokens": float("inf"), "output_tokens": 1e300}}, Usage()),
]


@pytest.mark.parametrize(("raw", "usage"), [case[1:] for case in COUNTS], ids=[case[0] for case in COUNTS])
def test_counts_are_integers(raw: Any, usage: Usage) -> None:
    assert read_usage(raw) == usage


def test_a_stop_with_calls_is_a_tool_call() -> None:
    assert read_finish("COMPLETE", calls=True) == FinishReason("tool_call", "COMPLETE")
    assert read_finish(None, calls=True) == FinishReason("tool_call", synthesized=True)
    assert read_finish("max_tokens", calls=True) == FinishReason("length", "max_tokens")


def test_a_path_through_what_is_no_object_leads_nowhere() -> None:
    assert at({"a": {"b": 1}}, "a", "b") == 1
    assert at({"a": None}, "a", "b") is at([], "a") is None
