"""Counts and stop reasons of Anthropic."""

import pytest
from msgspec import ValidationError

from streamkit.messages import FinishReason
from streamkit.protocols.anthropic.views import StopView, decode_event, read_finish, read_metrics, read_usage
from streamkit.usage import Usage

DETAILS = {"type": "refusal", "category": "cyber", "explanation": "not this"}
NO_DETAILS = {"type": "refusal", "category": None, "explanation": None}

# name, what the provider said, whether there are calls, expected
FINISHES = [
    ("an end", StopView("end_turn"), False, FinishReason("stop", "end_turn")),
    ("an end with calls", StopView("end_turn"), True, FinishReason("tool_call", "end_turn")),
    ("a sequence", StopView("stop_sequence", "###"), False, FinishReason("stop", "stop_sequence", "###")),
    ("a sequence at an end", StopView("end_turn", "###"), False, FinishReason("stop", "end_turn", "###")),
    ("length", StopView("max_tokens"), False, FinishReason("length", "max_tokens")),
    ("length inside a call", StopView("max_tokens"), True, FinishReason("length", "max_tokens")),
    (
        "the model's window",
        StopView("model_context_window_exceeded"),
        False,
        FinishReason("length", "model_context_window_exceeded"),
    ),
    ("calls", StopView("tool_use"), True, FinishReason("tool_call", "tool_use")),
    ("a pause", StopView("pause_turn"), False, FinishReason("other", "pause_turn")),
    ("a pause with calls", StopView("pause_turn"), True, FinishReason("other", "pause_turn")),
    ("a refusal", StopView("refusal", None, DETAILS), False, FinishReason("refusal", "refusal", "not this", "cyber")),
    ("a refusal without a word", StopView("refusal", None, NO_DETAILS), False, FinishReason("refusal", "refusal")),
    ("a refusal without details", StopView("refusal"), False, FinishReason("refusal", "refusal")),
    ("a compaction", StopView("compaction"), False, FinishReason("other", "compaction")),
    ("a word to come", StopView("novelty"), False, FinishReason("other", "novelty")),
    ("none", StopView(), False, FinishReason("stop", synthesized=True)),
    ("none with calls", StopView(""), True, FinishReason("tool_call", synthesized=True)),
]


@pytest.mark.parametrize(("stop", "calls", "expected"), [case[1:] for case in FINISHES], ids=[c[0] for c in FINISHES])
def test_each_stop_reason_has_its_meaning(stop, calls, expected):
    assert read_finish(stop, calls) == expected


USAGES = [
    (None, Usage()),
    ({"input_tokens": 3, "output_tokens": None}, Usage(3)),
    ({"input_tokens": "3", "output_tokens": 4.0, "service_tier": "standard"}, Usage(3, 4)),
    (
        {
            "input_tokens": 1,
            "output_tokens": 9,
            "cache_read_input_tokens": 5,
            "cache_creation_input_tokens": 7,
            "output_tokens_details": {"thinking_tokens": 4},
        },
        Usage(1, 9, 5, 7, 4),
    ),
    ({"output_tokens": 9, "output_tokens_details": None}, Usage(None, 9)),
]


@pytest.mark.parametrize(("value", "expected"), USAGES, ids=["none", "null", "lax", "all", "null details"])
def test_the_counts_are_read(value, expected):
    assert read_usage(value) == expected


def test_the_cache_is_beside_the_input():
    assert read_usage({"input_tokens": 1, "cache_read_input_tokens": 5, "output_tokens": 2}).total_tokens == 8


def test_counts_that_are_none_are_an_error():
    for value in ({"input_tokens": "many"}, {"output_tokens": [1]}):
        with pytest.raises(ValidationError):
            read_usage(value)


def test_bedrocks_metrics_are_counts():
    assert read_metrics({"inputTokenCount": 1, "outputTokenCount": 2, "cacheWriteInputTokenCount": 3}) == Usage(
        1, 2, None, 3
    )
    assert not read_metrics(None)


def test_a_record_is_read_in_part():
    event = decode_event(b'{"type":"content_block_stop","message":{"content":[]},"index":4}')
    assert (event.type, event.index, event.delta) == ("content_block_stop", 4, None)
