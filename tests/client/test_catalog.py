"""Where prices and windows come from."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from streamkit.client.catalog import _VENDORS, Catalog
from streamkit.errors import ConfigError
from streamkit.models import Model, ModelCost
from streamkit.providers import get_provider
from streamkit.usage import Usage

OWN = Model(id="m", provider="openai", cost=ModelCost(1, 2), context_window=100)
NOON, NIGHT = (datetime(2026, 11, 30, hour, tzinfo=UTC) for hour in (12, 20))

KNOWN = [
    ("anthropic/claude-sonnet-4-5", Usage(1000, 200, 500, 100)),
    ("anthropic/claude-sonnet-4-5", Usage(150_000, 200, 60_000)),
    ("anthropic/claude-sonnet-4-5-20250929", Usage(1000, 200)),
    ("openai/gpt-5", Usage(1000, 200, 500, reasoning_tokens=100)),
    ("openai-responses/gpt-5-2025-08-07", Usage(1000, 200)),
    ("gemini/gemini-2.5-pro", Usage(250_000, 10, 10)),
    ("vertex/gemini-2.5-pro", Usage(100, 10)),
    ("deepseek/deepseek-chat", Usage(1000, 200, 500)),
    ("groq/llama-3.3-70b-versatile", Usage(1000, 200)),
]
UNKNOWN = [
    ("openai/nonsense", "there is no such model"),
    ("vertex-anthropic/no-such-model", "there is no such model"),
    ("azure/no-such-deployment", "a deployment may be of any model"),
    ("moonshot-cn/kimi-k2-turbo-preview", "it is billed in yuan"),
    ("zhipu/glm-4-plus", "it is billed in yuan"),
    ("huggingface/openai/gpt-oss-120b", "a router picks who answers"),
    ("ollama/llama3.2", "one's own machine"),
]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    pytest.importorskip("genai_prices", reason="the extra prices is not installed")
    return Catalog([OWN])


@pytest.mark.parametrize(("name", "usage"), KNOWN)
@pytest.mark.parametrize("at", [NOON, NIGHT], ids=["noon", "night"])
def test_a_cost_is_what_the_package_makes_it(catalog: Catalog, name: str, usage: Usage, at: datetime) -> None:
    from genai_prices import Usage as Theirs
    from genai_prices import calc_price

    model = catalog.find(name, at=at)
    assert model is not None and model.cost is not None
    vendor = _VENDORS[model.provider]
    reads, writes = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    theirs = Theirs(
        input_tokens=(usage.input_tokens or 0) + reads + writes,
        output_tokens=usage.output_tokens,
        cache_read_tokens=reads,
        cache_write_tokens=writes,
    )
    price = calc_price(theirs, model.id, provider_id=vendor, genai_request_timestamp=at)
    cost = model.cost.of(usage)
    assert cost is not None
    assert cost.total == pytest.approx(float(price.total_price))
    assert cost.output == pytest.approx(float(price.output_price))


@pytest.mark.parametrize(("name", "why"), UNKNOWN)
def test_what_nobody_knows_is_not_guessed(catalog: Catalog, name: str, why: str) -> None:
    assert catalog.find(name) is None, why


def test_a_price_for_each_request_leaves_no_cost_of_tokens_alone(catalog: Catalog) -> None:
    charged = [(vendor, model) for vendor in catalog._packaged.values() for model in vendor.models if _asks(model)]
    assert charged, "the package has no such model any more"
    for vendor, model in charged:
        found = catalog.find_at(vendor.id, model.id)
        assert found is None or found.cost is None


def _asks(model: Any) -> bool:
    prices = model.get_prices(datetime.now(UTC))
    return bool(prices.requests_kcount)


def test_a_model_of_the_package_has_what_the_package_knows(catalog: Catalog) -> None:
    model = catalog.find("anthropic/claude-sonnet-4-5")
    assert model is not None
    assert (model.id, model.provider, model.api) == ("claude-sonnet-4-5", "anthropic", "anthropic")
    assert (model.base_url, model.context_window) == (get_provider("anthropic").base_url, 200_000)
    assert (model.reasoning, model.input, model.max_tokens) == (None, (), None)


def test_prices_have_the_time_of_day(catalog: Catalog) -> None:
    from genai_prices.types import ConditionalPrice, ModelInfo, ModelPrice, Provider, TimeOfDateConstraint

    day = TimeOfDateConstraint(NOON.timetz().replace(hour=0), NOON.timetz().replace(hour=16))
    prices = [
        ConditionalPrice(prices=ModelPrice(input_mtok=Decimal(1))),
        ConditionalPrice(day, prices=ModelPrice(input_mtok=Decimal(2))),
    ]
    vendor = Provider("groq", "Groq", "", models=[ModelInfo("m", _Any(), prices=prices)])
    mine = Catalog(packaged=False)
    mine._packaged = {"groq": vendor}
    found = [mine.find("groq/m", at=at) for at in (NOON, NIGHT)]
    assert [model and model.cost for model in found] == [ModelCost(2.0), ModelCost(1.0)]


class _Any:
    def is_match(self, text: str) -> bool:
        return True


def test_the_vendors_are_those_of_both_sides(catalog: Catalog) -> None:
    for ours, theirs in _VENDORS.items():
        assert get_provider(ours).name == ours
        assert theirs in catalog._packaged


def test_an_own_model_comes_first(catalog: Catalog) -> None:
    mine = Catalog([Model(id="gpt-5", provider="openai", cost=ModelCost(9, 9))])
    assert mine.find("openai/gpt-5") == Model(id="gpt-5", provider="openai", cost=ModelCost(9, 9))
    assert catalog.find("openai/m") is OWN


def test_own_models_need_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", None)
    mine = Catalog([OWN, Model(id="x", provider="my-own")], packaged=False)
    assert mine.find("openai/m") is OWN
    assert mine.find("openai/gpt-5") is None
    assert mine.find_at("my-own", "x") == Model(id="x", provider="my-own")
    with pytest.raises(ConfigError, match=r"streamkit\[prices\]' elsewhere; or give models"):
        Catalog()


def test_an_unknown_provider_is_told_by_name() -> None:
    with pytest.raises(ConfigError, match="nobody"):
        Catalog(packaged=False).find("nobody/m")
