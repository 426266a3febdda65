"""Log probabilities of legacy completions."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols.openai_completions.views import read_logprobs

CASES: list[tuple[str, Any, list[Any]]] = [
    ("none", None, []),
    ("no object", [1], []),
    (
        "lists side by side",
        {"tokens": ["a", "b"], "token_logprobs": [None, -1.0], "top_logprobs": [None, {"b": -1.0, "c": -2.0}]},
        [
            {"token": "a", "logprob": None, "top_logprobs": []},
            {
                "token": "b",
                "logprob": -1.0,
                "top_logprobs": [{"token": "b", "logprob": -1.0}, {"token": "c", "logprob": -2.0}],
            },
        ],
    ),
    ("lists of unequal length", {"tokens": ["a"]}, [{"token": "a", "logprob": None, "top_logprobs": []}]),
    ("as in chat completions", {"content": [{"token": "a", "logprob": -1.0}]}, [{"token": "a", "logprob": -1.0}]),
]


@pytest.mark.parametrize(("raw", "tokens"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_there_is_one_entry_a_token(raw: Any, tokens: list[Any]) -> None:
    assert read_logprobs(raw) == tokens
