"""Models in AgentCore's form, with their prices, and the words for how an agent works."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

from streamkit import models
from streamkit import usage as ours
from streamkit.interop.agentcore.convert import from_usage, to_usage
from streamkit.interop.agentcore.messages import Usage, UsageCost

__all__ = ["Model", "ModelCost", "QueueMode", "ThinkingLevel", "ToolExecutionMode", "from_model", "price", "to_model"]

ThinkingLevel: TypeAlias = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]
ToolExecutionMode: TypeAlias = Literal["sequential", "parallel"]
QueueMode: TypeAlias = Literal["all", "one-at-a-time"]


class ModelCost(Struct, frozen=True):
    """Prices, in US dollars per million tokens."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0


class Model(Struct, frozen=True):
    """A model: `input` is what it takes (`text`, `image`), `context_window` and `max_tokens` are in tokens."""

    id: str
    name: str = ""
    api: str = ""
    provider: str = ""
    base_url: str = ""
    reasoning: bool = False
    input: list[str] = field(default_factory=lambda: ["text"])
    cost: ModelCost = ModelCost()
    context_window: int = 0
    max_tokens: int = 0


def price(usage: Usage, cost: ModelCost) -> UsageCost:
    """Return what counts cost at these prices; the total is the sum."""
    spent = _prices(cost).of(to_usage(usage) or ours.Usage(0, 0))
    return from_usage(ours.Usage(cost=spent)).cost


def to_model(model: Model) -> models.Model:
    """Return a model as ours; a window or a limit of 0 is not known, and so are prices that are all 0."""
    return models.Model(
        id=model.id,
        provider=model.provider,
        name=model.name,
        api=model.api,
        base_url=model.base_url,
        reasoning=model.reasoning,
        input=tuple(model.input),
        cost=None if model.cost == ModelCost() else _prices(model.cost),
        context_window=model.context_window or None,
        max_tokens=model.max_tokens or None,
    )


def from_model(model: models.Model) -> Model:
    """Return one of our models; what is not known is 0 or False, tiers and a price for reasoning are lost."""
    cost = model.cost or models.ModelCost()
    prices = (cost.input or 0.0, cost.output or 0.0, cost.cache_read or 0.0, cost.cache_write or 0.0)
    return Model(
        model.id,
        model.name,
        model.api,
        model.provider,
        model.base_url,
        bool(model.reasoning),
        list(model.input),
        ModelCost(*prices),
        model.context_window or 0,
        model.max_tokens or 0,
    )


def _prices(cost: ModelCost) -> models.ModelCost:
    return models.ModelCost(cost.input, cost.output, cost.cache_read, cost.cache_write)
