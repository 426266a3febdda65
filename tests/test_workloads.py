"""The benchmarks measure what they say: each workload becomes the message that it was made from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import bench_peers
from benchmarks.__main__ import SUITES
from benchmarks.bench_engine import read_all
from benchmarks.floor import floor
from benchmarks.workloads import KINDS, PROTOCOLS, RENDERED, make, reads


@pytest.mark.parametrize("size", ["one", "big"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_workload_becomes_its_message(protocol: str, kind: str, size: str) -> None:
    workload = make(protocol, kind, 500)
    message = read_all(protocol, reads(workload, size)).message
    assert message.text == workload.text
    assert (message.thinking or "") == workload.thinking
    assert [call.function.arguments for call in message.tool_calls or []] == [json.loads(a) for a in workload.arguments]


@pytest.mark.parametrize("size", ["one", "big"])
@pytest.mark.parametrize("protocol", RENDERED)
def test_the_floor_and_the_engine_read_the_same_stream(protocol: str, size: str) -> None:
    workload = make(protocol, "text", 50)
    pieces = reads(workload, size)
    assert read_all(protocol, pieces).message.text == workload.text
    assert len(floor(protocol, pieces)) == len([event for event in workload.events if b"[DONE]" not in event])


def test_a_seed_gives_the_same_stream_again() -> None:
    assert make("anthropic", "parallel", 100, seed=3) == make("anthropic", "parallel", 100, seed=3)
    assert make("anthropic", "text", 100, seed=3) != make("anthropic", "text", 100, seed=4)


@pytest.mark.parametrize("suite", ["client", "peers", "transports", "load"])
def test_a_suite_without_its_contenders_says_how_to_install_them(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_peers, "HOME", tmp_path)
    with pytest.raises(SystemExit, match="run `python -m benchmarks setup` first"):
        list(SUITES[suite]())
