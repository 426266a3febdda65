"""Where prices and windows come from: the caller's own models, and the data of the package genai-prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from streamkit.errors import ConfigError
from streamkit.extras import how_to_install
from streamkit.models import CostTier, Model, ModelCost
from streamkit.providers import get_provider, parse_model

__all__ = ["Catalog"]

# How the package calls the vendors whose prices it has, beside those of the same name: genai-prices 0.2.3. A row that
# is not here has no prices: those of another region, billed in another currency, or of whoever a router picks.
_SAME = (
    "anthropic azure baseten cerebras cloudflare cohere databricks deepseek fireworks groq minimax mistral novita "
    "openai openrouter perplexity together zai"
)
_VENDORS = dict(zip(_SAME.split(), _SAME.split(), strict=True)) | {
    "azure-responses": "azure",
    "bedrock": "aws",
    "bedrock-anthropic": "aws",
    "deepseek-anthropic": "deepseek",
    "gemini": "google",
    "gemini-interactions": "google",
    "gemini-openai": "google",
    "minimax-anthropic": "minimax",
    "moonshot": "moonshotai",
    "moonshot-anthropic": "moonshotai",
    "openai-completions": "openai",
    "openai-responses": "openai",
    "openrouter-responses": "openrouter",
    "vertex": "google",
    "vertex-anthropic": "google",
    "vertex-openai": "google",
    "xai": "x-ai",
    "xai-responses": "x-ai",
    "zai-anthropic": "zai",
}
_PRICES = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
    "reasoning": "output_reasoning_mtok",
}
# A model that costs something for each request as well has a cost that its tokens do not tell.
_BESIDE = "requests_kcount"


class Catalog:
    """Models by their names: the caller's own first, then those of the package, which the extra `prices` brings.

    With `packaged=False` there are only the caller's, and the extra is not needed. An own model replaces that of the
    package as a whole; `msgspec.structs.replace(catalog.find(name), max_tokens=8192)` changes one thing of it. Making
    a catalog with the package loads its data, which takes about a second.

    Raises `ConfigError` where the package is not installed.
    """

    def __init__(self, models: Iterable[Model] = (), *, packaged: bool = True) -> None:
        self._own = {(model.provider, model.id): model for model in models}
        self._packaged = _vendors() if packaged else {}

    def find(self, name: str, *, at: datetime | None = None) -> Model | None:
        """Return the model of a `provider/model`, with its prices at a time (by default now), None where unknown.

        Raises `ConfigError` where there is no such provider.
        """
        provider, model = parse_model(name)
        return self.find_at(provider.name, model, at=at)

    def find_at(self, provider: str, model: str, *, at: datetime | None = None) -> Model | None:
        """Return the model that a vendor calls so; the vendor may be one of the caller's own."""
        own = self._own.get((provider, model))
        if own is not None or provider not in _VENDORS:
            return own
        vendor = self._packaged.get(_VENDORS[provider])
        # Asked of that vendor alone: what another takes for a model of the same name would be a guess.
        found = vendor and vendor.find_model(model)
        if found is None:
            return None
        row = get_provider(provider)
        return Model(
            id=model,
            provider=provider,
            name=found.name or "",
            api=row.protocol,
            base_url=row.base_url,
            cost=_cost(vars(found.get_prices(at or datetime.now(UTC)))),
            context_window=found.context_window,
        )


def _vendors() -> dict[str, Any]:
    try:
        from genai_prices.data_snapshot import get_snapshot
    except ImportError:
        raise ConfigError(
            f"prices come from genai-prices: {how_to_install('prices')}; or give models of your own and packaged=False"
        ) from None
    return {vendor.id: vendor for vendor in get_snapshot().providers}


def _cost(prices: Mapping[str, Any]) -> ModelCost | None:
    """The package's prices, which are decimals, in tiers where they have some, or None."""
    if prices.get(_BESIDE):
        return None
    given = {name: prices[key] for name, key in _PRICES.items() if prices.get(key) is not None}
    if not given:
        return None
    starts = sorted({tier.start for price in given.values() for tier in _tiers(price)})
    tiers = [CostTier(start, **{name: _above(price, start) for name, price in given.items()}) for start in starts]
    base = {name: float(getattr(price, "base", price)) for name, price in given.items()}
    return ModelCost(**base, tiers=tuple(tiers))


def _tiers(price: Any) -> list[Any]:
    return getattr(price, "tiers", [])


def _above(price: Any, start: int) -> float:
    """What is taken in the tier that begins at `start`: the last one that begins there or before."""
    begun = [tier.price for tier in _tiers(price) if tier.start <= start]
    return float(begun[-1] if begun else getattr(price, "base", price))
