"""Models in AgentCore's form, with their prices, and the words for how an agent works."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

from streamkit.interop.agentcore.messages import Usage, UsageCost

__all__ = ["Model", "ModelCost", "QueueMode", "ThinkingLevel", "ToolExecutionMode", "price"]

ThinkingLevel: TypeAlias = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]
ToolExecutionMode: TypeAlias = Literal["sequential", "parallel"]
QueueMode: TypeAlias = Literal["all", "one-at-a-time"]

_PER = 1_000_000


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
    parts = (
        usage.input * cost.input / _PER,
        usage.output * cost.output / _PER,
        usage.cache_read * cost.cache_read / _PER,
        usage.cache_write * cost.cache_write / _PER,
    )
    return UsageCost(*parts, sum(parts))
