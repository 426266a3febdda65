"""What is measured of a stream."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.client import Client
from streamkit.telemetry.metrics import first_chunk_s
from streamkit.testing import Answer, ReplayServer, Reply
from streamkit.timing import Timing
from streamkit.usage import Usage

ANSWER = Answer(["It is sunny in Oslo."], usage=Usage(10, 5, 3), model="gpt-5-2025")


@pytest.mark.parametrize("chunk_gaps", [False, True])
async def test_a_stream_is_measured_by_the_conventions(chunk_gaps: bool, seen: Any) -> None:
    async with ReplayServer(Reply(body=ANSWER, pace_s=0.002)) as server:
        telemetry = seen.telemetry(chunk_gaps=chunk_gaps)
        async with Client("openai/gpt-5", api_key="none", base_url=server.url, telemetry=telemetry) as client:
            output = await client.send("Weather?")
            await client.send("Weather?")
    points = seen.points
    common = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.response.model": "gpt-5-2025",
        "server.address": "127.0.0.1",
        "server.port": int(server.url.rpartition(":")[2]),
    }
    for name in ("duration", "time_to_first_chunk"):
        (point,) = points[f"gen_ai.client.operation.{name}"]
        assert (point.attributes, point.count) == (common, 2)
        assert point.explicit_bounds == tuple(0.01 * 2**step for step in range(14))
        assert 0 < point.min <= point.max < 10
    tokens = {point.attributes["gen_ai.token.type"]: point for point in points["gen_ai.client.token.usage"]}
    assert {kind: (point.sum, point.count) for kind, point in tokens.items()} == {"input": (26, 2), "output": (10, 2)}
    assert tokens["input"].attributes == {**common, "gen_ai.token.type": "input"}
    assert tokens["input"].explicit_bounds == tuple(4**step for step in range(14))
    if chunk_gaps:
        (point,) = points["gen_ai.client.operation.time_per_output_chunk"]
        assert output.timing is not None
        assert output.timing.gaps is not None
        assert point.count == 2 * output.timing.gaps.count
        assert 0 < point.max < 10
    else:
        assert "gen_ai.client.operation.time_per_output_chunk" not in points


def test_the_first_chunk_counts_from_the_first_sending() -> None:
    assert first_chunk_s(Timing(sent_ns=5, first_event_ns=1_000_000_005)) == 1.0
    assert first_chunk_s(Timing(sent_ns=5, first_event_ns=3_000_000_005, first_sent_ns=5 - 10**9)) == 4.0
    assert first_chunk_s(Timing(sent_ns=5)) is None
