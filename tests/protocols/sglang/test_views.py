"""What a record of SGLang's says of its choice."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.messages import FinishReason
from streamkit.protocols.sglang.views import Meta, read_finish, read_logprobs, read_usage, total
from streamkit.usage import Usage

REASONS: list[tuple[str, Any, FinishReason | None]] = [
    ("none yet", None, None),
    ("a token", {"type": "stop", "matched": 2}, FinishReason("stop", "stop")),
    ("a stop word", {"type": "stop", "matched": "END"}, FinishReason("stop", "stop", reason="END")),
    ("the end of the text", {"type": "stop", "matched": None}, FinishReason("stop", "stop")),
    ("a limit", {"type": "length", "length": 8}, FinishReason("length", "length")),
    ("aborted", {"type": "abort", "message": "Gone."}, FinishReason("aborted", "abort", reason="Gone.")),
    ("a word alone", "length", FinishReason("length", "length")),
    ("an unknown word", {"type": "bored"}, FinishReason("other", "bored")),
]


@pytest.mark.parametrize(("raw", "reason"), [case[1:] for case in REASONS], ids=[case[0] for case in REASONS])
def test_why_a_choice_ended(raw: Any, reason: FinishReason | None) -> None:
    assert read_finish(raw) == reason


COUNTS: list[tuple[str, Meta, Usage]] = [
    ("nothing", Meta(), Usage()),
    ("a prompt from a cache", Meta(prompt_tokens=9, completion_tokens=2, cached_tokens=4), Usage(5, 2, 4)),
    ("reasoning", Meta(prompt_tokens=9, completion_tokens=2, reasoning_tokens=1), Usage(9, 2, reasoning_tokens=1)),
    ("no counts", Meta(prompt_tokens="9", completion_tokens=-1, cached_tokens=True), Usage()),
]


@pytest.mark.parametrize(("meta", "usage"), [case[1:] for case in COUNTS], ids=[case[0] for case in COUNTS])
def test_counts(meta: Meta, usage: Usage) -> None:
    assert read_usage(meta) == usage


def test_choices_share_their_prompt() -> None:
    assert total([]) == Usage()
    assert total([Usage(9, 2)]) == Usage(9, 2)
    assert total([Usage(9, 2, 4, reasoning_tokens=1), Usage(9, 3, 4)]) == Usage(9, 5, 4, reasoning_tokens=1)


def test_log_probabilities_from_a_token_on() -> None:
    meta = Meta(
        output_token_logprobs=[[-0.1, 5, "a"], [-0.2, 6, None]],
        output_top_logprobs=[None, [[-0.2, 6, None], [-0.9, 7, "c"]]],
    )
    second = {
        "logprob": -0.2,
        "token_id": 6,
        "top_logprobs": [{"logprob": -0.2, "token_id": 6}, {"logprob": -0.9, "token_id": 7, "token": "c"}],
    }
    assert read_logprobs(meta, 0) == [{"logprob": -0.1, "token_id": 5, "token": "a"}, second]
    assert read_logprobs(meta, 1) == [second]
    assert read_logprobs(meta, 2) == read_logprobs(Meta(), 0) == []
