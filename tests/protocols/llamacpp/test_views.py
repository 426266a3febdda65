"""What the last record of a llama.cpp choice says."""

from __future__ import annotations

import math
from typing import Any

import pytest

from streamkit.protocols.llamacpp.views import Last, Timings, read_finish, read_probabilities, read_usage
from streamkit.usage import Usage

COUNTS: list[tuple[str, Last, Usage]] = [
    ("both", Last(tokens_evaluated=9, tokens_predicted=4), Usage(9, 4)),
    ("a cache", Last(tokens_evaluated=9, tokens_predicted=4, timings=Timings(9)), Usage(0, 4, 9)),
    ("a cache that is larger", Last(tokens_evaluated=9, timings=Timings(10)), Usage(0, None, 10)),
    ("none", Last(), Usage()),
    ("no counts", Last(tokens_evaluated="9", tokens_predicted=-1, timings=Timings(True)), Usage()),
]


@pytest.mark.parametrize(("last", "usage"), [case[1:] for case in COUNTS], ids=[case[0] for case in COUNTS])
def test_the_input_is_without_what_the_cache_held(last: Last, usage: Usage) -> None:
    assert read_usage(last) == usage


def test_half_a_character_in_a_word_is_replaced() -> None:
    reason = read_finish(Last(stop_type="word", stopping_word="a\ud83d"))
    assert reason.reason == "a\ufffd"


PROBABILITIES: list[tuple[str, Any, list[Any]]] = [
    ("none", None, []),
    ("no list", {"a": 1}, []),
    ("logarithms stay", [{"token": "a", "logprob": -1.0}], [{"token": "a", "logprob": -1.0}]),
    ("a half", [{"token": "a", "prob": 0.5}], [{"token": "a", "logprob": math.log(0.5)}]),
    ("nonsense", [{"prob": "x"}, {"prob": True}, 5], [{"logprob": -9999.0}, {"logprob": -9999.0}, 5]),
    ("old builds", [{"content": "a", "probs": [{"tok_str": "a"}]}], [{"content": "a", "probs": [{"tok_str": "a"}]}]),
]


@pytest.mark.parametrize(
    ("raw", "tokens"), [case[1:] for case in PROBABILITIES], ids=[case[0] for case in PROBABILITIES]
)
def test_probabilities_are_logarithms(raw: Any, tokens: list[Any]) -> None:
    assert read_probabilities(raw) == tokens
