"""The benchmarks measure what they say: each workload becomes the message that it was made from."""

from __future__ import annotations

import json

import pytest

from benchmarks.bench_engine import read_all
from benchmarks.workloads import KINDS, PROTOCOLS, make, reads


@pytest.mark.parametrize("size", ["one", "big"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_workload_becomes_its_message(protocol: str, kind: str, size: str) -> None:
    workload = make(protocol, kind, 500)
    message = read_all(protocol, reads(workload, size)).message
    assert message.text == workload.text
    assert (message.thinking or "") == workload.thinking
    assert [call.function.arguments for call in message.tool_calls or []] == [json.loads(a) for a in workload.arguments]


def test_a_seed_gives_the_same_stream_again() -> None:
    assert make("anthropic", "parallel", 100, seed=3) == make("anthropic", "parallel", 100, seed=3)
    assert make("anthropic", "text", 100, seed=3) != make("anthropic", "text", 100, seed=4)
