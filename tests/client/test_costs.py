"""The cost of an answer, as it comes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.accumulator import accumulate
from streamkit.agent import Agent
from streamkit.client import Client
from streamkit.client.catalog import Catalog
from streamkit.client.costs import CostMeter
from streamkit.client.retries import Retry
from streamkit.deltas import Delta, MessageEnd, MessageStart, Retract, UsageSnapshot
from streamkit.errors import TruncatedStream
from streamkit.messages import FinishReason
from streamkit.models import Model, ModelCost
from streamkit.testing import Answer, Call, ReplayServer, Reply
from streamkit.testing.scripts import render
from streamkit.usage import Usage, UsageCost

M = 1_000_000
END = MessageEnd(FinishReason("stop"))
PRICES = ModelCost(input=3, output=15, cache_read=0.3, cache_write=3)
CATALOG = Catalog(
    [
        Model(id="m", provider="openai", cost=PRICES),
        Model(id="m", provider="anthropic", cost=PRICES),
        Model(id="other", provider="openai", cost=ModelCost(1, 1)),
        Model(id="free", provider="openai"),
    ],
    packaged=False,
)
USAGE = Usage(input_tokens=100, output_tokens=20)
COST = PRICES.of(USAGE)
BASES = {"openai": "/v1", "anthropic": ""}


def answer(*deltas: Delta, model: str | None = "m") -> list[Delta]:
    return [MessageStart(model=model), *deltas, END]


def spent(input: int, output: int, **more: Any) -> UsageSnapshot:
    return UsageSnapshot(Usage(input, output, **more))


CASES = [
    pytest.param("m", answer(spent(M, M)), 18.0, id="the model that answered"),
    pytest.param("m", answer(spent(M, 1), spent(M, M)), 18.0, id="snapshots are cumulative"),
    pytest.param("m", answer(spent(M, M), model="other"), 2.0, id="another took over"),
    pytest.param("m", answer(spent(M, M), model="m-2026-11-30"), 18.0, id="a dated name of the one that was asked"),
    pytest.param("m", answer(spent(M, M), model="m-20261130-v1:0"), 18.0, id="a release of it"),
    pytest.param("m", answer(spent(M, M), model="m@latest"), 18.0, id="the newest release of it"),
    pytest.param("m", answer(spent(M, M), model="m-mini"), None, id="another of the same family"),
    pytest.param("m", answer(spent(M, M), model="m-5"), None, id="the next of the same family"),
    pytest.param("m", answer(spent(M, M), model="mo"), None, id="another that begins with the same letters"),
    pytest.param("m", answer(spent(10**400, 10**400)), None, id="more tokens than there can be"),
    pytest.param("m", answer(spent(M, M), model=None), 18.0, id="it does not say who answered"),
    pytest.param("m", answer(spent(M, M), model="nobody"), None, id="nobody knows who answered"),
    pytest.param("free", answer(spent(M, M), model="free"), None, id="no prices are known"),
    pytest.param("m", answer(), None, id="no usage is reported"),
    pytest.param("m", answer(spent(M, M, cost=UsageCost(total=5.0))), 5.0, id="the provider's own cost counts"),
    pytest.param(
        "m",
        [MessageStart(model="m"), spent(M, M), Retract("again"), *answer(spent(M, 0))],
        21.0,
        id="what was taken back",
    ),
    pytest.param(
        "m",
        [MessageStart(model="m"), spent(M, M), MessageEnd(FinishReason("stop"), "other")],
        2.0,
        id="another took over at the end",
    ),
]


@pytest.mark.parametrize(("asked", "deltas", "total"), CASES)
@pytest.mark.parametrize("each", [True, False], ids=["one by one", "at once"])
def test_whoever_folds_the_deltas_has_the_cost(
    asked: str, deltas: list[Delta], total: float | None, each: bool
) -> None:
    meter = CostMeter(CATALOG, "openai", asked)
    told = [out for delta in deltas for out in meter.feed([delta])] if each else meter.feed(deltas)
    usage = accumulate(told).usage
    assert (usage and usage.cost and usage.cost.total) == (total and pytest.approx(total))
    plain = accumulate(deltas).usage
    assert (usage and msgspec.structs.replace(usage, cost=None)) == (
        plain and msgspec.structs.replace(plain, cost=None)
    )


@pytest.mark.parametrize(("tier", "known"), [(None, True), ("default", True), ("priority", False), ("auto", False)])
def test_another_service_tier_has_no_known_price(tier: str | None, known: bool) -> None:
    told = CostMeter(CATALOG, "openai", "m", tier).feed(answer(spent(M, M)))
    usage = accumulate(told).usage
    assert usage is not None and (usage.cost is not None) is known


def test_the_next_provider_has_its_own_prices() -> None:
    meter = CostMeter(CATALOG, "openai", "other")
    told = meter.feed([MessageStart(), spent(M, M)])
    meter.ask("anthropic", "m")
    told += meter.feed([Retract("again"), *answer(spent(M, M), model=None)])
    usage = accumulate(told).usage
    assert usage is not None and usage.cost is not None and usage.cost.total == 20.0


@pytest.mark.parametrize("provider", BASES)
async def test_the_usage_of_an_answer_has_its_cost_and_so_have_its_deltas(provider: str) -> None:
    async with ReplayServer([Answer(["Hi."], usage=USAGE, model="m")] * 3) as server:
        client = Client(f"{provider}/m", api_key="k", base_url=server.url + BASES[provider], prices=CATALOG)
        async with client, client.stream("Hi") as stream:
            deltas = [delta async for delta in stream]
            assert stream.output.usage == accumulate(deltas).usage
            assert stream.output.usage is not None and stream.output.usage.cost == COST
            assert (await client.send("Hi")).usage == stream.output.usage
        async with Client(f"{provider}/m", api_key="k", base_url=server.url + BASES[provider]) as plain:
            usage = (await plain.send("Hi")).usage
            assert usage is not None and usage.cost is None


async def test_the_costs_of_a_run_add_up_and_its_pieces_fold_to_them() -> None:
    async def add(a: int, b: int) -> int:
        return a + b

    script = [
        Answer([Call("add", {"a": 1, "b": 2})], usage=USAGE, model="m"),
        Answer(["It is 3."], usage=USAGE, model="m"),
    ]
    async with ReplayServer([*script, *script]) as server:
        agent = Agent("openai/m", api_key="k", base_url=server.url + "/v1", tools=[add], prices=CATALOG)
        outputs = [output async for output in agent.run("1 + 2?")]
        folded, deltas = [], []
        async for piece in agent.run_stream("1 + 2?"):
            deltas.append(piece.delta)
            if piece.finish_reason is not None:
                assert piece.usage == accumulate(deltas).usage
                folded.append(piece.usage)
                deltas = []
    assert folded == [output.usage for output in outputs]
    assert [usage and usage.cost for usage in folded] == [COST, None, COST]
    assert COST is not None and COST.total is not None and agent.usage.cost is not None
    assert agent.usage.cost.total == pytest.approx(4 * COST.total)


async def test_an_answer_that_was_cut_off_has_the_cost_of_what_was_reported() -> None:
    body = render(Answer(["Hello."], usage=USAGE, model="m"), "anthropic").split(b"event: message_delta")[0]
    async with ReplayServer(Reply(body=body)) as server:
        client = Client("anthropic/m", api_key="k", base_url=server.url, prices=CATALOG, retry=0)
        async with client:
            with pytest.raises(TruncatedStream) as caught:
                await client.send("Hi")
    assert caught.value.partial is not None and caught.value.partial.usage is not None
    cost = caught.value.partial.usage.cost
    assert cost is not None and cost.input == pytest.approx(3e-4)


async def test_an_answer_that_was_asked_for_again_costs_both() -> None:
    whole = render(Answer(["Hello."], usage=USAGE, model="m"), "anthropic")
    body = whole.split(b"event: message_delta")[0]  # the prompt was counted by then
    async with ReplayServer([Reply(body=body), Reply(body=whole)]) as server:
        again = Retry(times=1, after_content=True, first_wait_s=0)
        client = Client("anthropic/m", api_key="k", base_url=server.url, prices=CATALOG, retry=again)
        async with client, client.stream("Hi") as stream:
            deltas = [delta async for delta in stream]
    assert stream.output.usage == accumulate(deltas).usage
    assert stream.output.usage is not None and stream.output.usage.cost is not None
    assert any(isinstance(delta, Retract) for delta in deltas)
    assert COST is not None and COST.input is not None
    assert stream.output.usage.cost.input == pytest.approx(2 * COST.input)
