from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from streamkit import models
from streamkit.interop.agentcore.messages import Usage
from streamkit.interop.agentcore.models import (
    Model,
    ModelCost,
    QueueMode,
    ThinkingLevel,
    ToolExecutionMode,
    from_model,
    price,
    to_model,
)

GPT = Model(
    "gpt-5", "GPT-5", "openai-chat", "openai", "https://x", True, ["text", "image"], ModelCost(1.25, 10.0), 400_000
)


@pytest.mark.feature("4.29")
def test_a_model_is_decoded_as_it_was() -> None:
    assert msgspec.json.decode(msgspec.json.encode(GPT), type=Model) == GPT


@pytest.mark.feature("4.28")
def test_prices_are_per_million_tokens_and_add_up() -> None:
    cost = price(Usage(1000, 200, 500, 100), ModelCost(0.5, 1.5, 0.25, 2.0))
    assert (cost.input, cost.output, cost.cache_read, cost.cache_write) == pytest.approx(
        (0.0005, 0.0003, 0.000125, 0.0002)
    )
    assert cost.total == pytest.approx(0.001125)


@pytest.mark.feature("4.1")
def test_the_words_for_how_an_agent_works() -> None:
    assert get_args(ThinkingLevel) == ("off", "minimal", "low", "medium", "high", "xhigh", "max")
    assert get_args(ToolExecutionMode) == ("sequential", "parallel")
    assert get_args(QueueMode) == ("all", "one-at-a-time")


@pytest.mark.feature("4.29")
@pytest.mark.parametrize("model", [GPT, Model("m")])
def test_a_model_is_one_of_ours_and_back(model: Model) -> None:
    ours = to_model(model)
    assert (ours.id, ours.provider, ours.input) == (model.id, model.provider, tuple(model.input))
    assert (ours.cost is None) == (model.cost == ModelCost())
    assert from_model(ours) == model


def test_what_is_not_known_of_our_model_is_nothing() -> None:
    assert from_model(models.Model(id="m", provider="p")) == Model("m", provider="p", input=[])
