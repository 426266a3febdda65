from __future__ import annotations

import msgspec
import pytest
from hypothesis import given

from streamkit import Usage, UsageCost
from streamkit.interop.foundation.content import (
    Embedding,
    ImageContent,
    LogProbs,
    ModelOutput,
    TextContent,
    ThinkingContent,
    ToolCall,
    UsageCosting,
    UsageReport,
    parse_stop_reason,
    to_usage,
    to_usage_report,
)
from streamkit.models import ModelId
from streamkit.testing.strategies import arguments, usages

OUTPUTS = [
    TextContent("a", "sig"),
    ImageContent("aGk=", "image/png"),
    ThinkingContent("hm"),
    ToolCall("c", "f", {"z": 2**70, "a": {"deep": [None, 1.5]}}, "sig", ["b"], "sequential"),
    ToolCall("c", "f"),
    Embedding(2, [0.5, -1.0]),
]


@pytest.mark.feature("3.15", "3.16", "3.17", "3.18")
@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: type(output).__name__)
def test_an_output_is_decoded_as_it_was(output: ModelOutput) -> None:
    assert msgspec.json.decode(msgspec.json.encode(output), type=ModelOutput) == output


@pytest.mark.feature("3.23")
@given(arguments())
def test_arguments_keep_their_order_their_nesting_and_their_integers(given_: dict[str, object]) -> None:
    call = msgspec.json.decode(msgspec.json.encode(ToolCall("c", "f", given_)), type=ToolCall)
    assert call.arguments == given_
    assert list(call.arguments or {}) == list(given_)


@pytest.mark.feature("3.22")
@pytest.mark.parametrize(
    ("word", "reason"),
    [("tool_calls", "tool_use"), ("tool_use", "tool_use"), ("stop", "stop"), ("pause_turn", "pause_turn")],
)
def test_a_reason_to_stop_is_the_word_or_what_it_means(word: str, reason: str) -> None:
    assert parse_stop_reason(word) == reason


@pytest.mark.feature("3.49")
def test_models_are_routed_by_their_names_alone() -> None:
    small, large = ModelId("qwen", "Q4_K_M"), ModelId("qwen", "Q8_0", "alias")
    assert small.name == large.name
    assert small.name != ModelId("llama", "Q4_K_M").name
    assert small != large
    assert ModelId("gpt-5").quantization is None


def test_log_probabilities_are_decoded_as_they_were() -> None:
    given_ = LogProbs([{"token": "a", "logprob": -0.5}])
    assert msgspec.json.decode(msgspec.json.encode(given_), type=LogProbs) == given_


USAGES = [
    (None, UsageReport()),
    (Usage(3, 4), UsageReport(3.0, 4.0, 0.0, 0.0, 7.0)),
    (Usage(3, 4, 5, 6), UsageReport(3.0, 4.0, 5.0, 6.0, 18.0)),
    (
        Usage(3, 4, cost=UsageCost(0.1, 0.2, 0.0, 0.0, 0.3)),
        UsageReport(3.0, 4.0, 0.0, 0.0, 7.0, UsageCosting(0.1, 0.2, 0.0, 0.0, 0.3)),
    ),
]


@pytest.mark.feature("3.34")
@pytest.mark.parametrize(("usage", "report"), USAGES)
def test_counts_are_floats_and_back(usage: Usage | None, report: UsageReport) -> None:
    assert to_usage_report(usage) == report
    assert to_usage(report) == usage


@given(usages())
def test_all_counts_but_those_of_reasoning_come_back(usage: Usage) -> None:
    assert to_usage(to_usage_report(usage)) == msgspec.structs.replace(usage, reasoning_tokens=None)


@pytest.mark.parametrize("odd", [-1.0, float("nan"), float("inf"), -float("inf")])
def test_what_is_no_count_is_none(odd: float) -> None:
    assert to_usage(UsageReport(odd, 2.0, odd, odd, odd)) == Usage(0, 2)
