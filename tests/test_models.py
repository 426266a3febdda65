"""Models as data, and what a response cost."""

from __future__ import annotations

import msgspec
import pytest

from streamkit.models import CostTier, Model, ModelCost, ModelId
from streamkit.usage import Usage, UsageCost

PRICES = ModelCost(input=3, output=15, cache_read=0.3, cache_write=3.75)
THINKS = ModelCost(input=1, output=2, reasoning=4)
TIERED = ModelCost(
    input=1, output=10, cache_read=0.5, tiers=(CostTier(200, input=2, output=15), CostTier(500, input=4))
)
M = 1_000_000

COSTS = [
    pytest.param(PRICES, Usage(M, 2 * M), UsageCost(3, 30, total=33), id="input and output"),
    pytest.param(
        PRICES,
        Usage(M, M, 2 * M, 4 * M),
        UsageCost(3, 15, 0.6, 15, total=33.6),
        id="each part of a cache has its price",
    ),
    pytest.param(PRICES, Usage(0, 0), UsageCost(0, 0, total=0), id="nothing costs nothing"),
    pytest.param(PRICES, Usage(M, M, reasoning_tokens=M), UsageCost(3, 15, total=18), id="reasoning is output"),
    pytest.param(
        THINKS, Usage(M, 3 * M, reasoning_tokens=M), UsageCost(1, 8, total=9), id="reasoning of its own price"
    ),
    pytest.param(
        THINKS, Usage(M, M, 5, 0), UsageCost(1, 2, cache_write=0), id="an unknown price leaves the total open"
    ),
    pytest.param(THINKS, Usage(M, M, 0, 0), UsageCost(1, 2, 0, 0, 3), id="an unknown price of nothing does not matter"),
    pytest.param(PRICES, Usage(output_tokens=M), UsageCost(output=15), id="what is not reported leaves the total open"),
    pytest.param(PRICES, Usage(total_tokens=M), None, id="a total alone tells nothing"),
    pytest.param(PRICES, Usage(), None, id="no counts"),
    pytest.param(ModelCost(), Usage(M, M), None, id="no prices"),
    pytest.param(TIERED, Usage(200, M), UsageCost(0.0002, 10, total=10.0002), id="up to a tier"),
    pytest.param(
        TIERED, Usage(1, M, 200), UsageCost(2e-6, 15, 1e-4, total=15.000102), id="a tier, by the whole prompt"
    ),
    pytest.param(TIERED, Usage(501, 0), UsageCost(0.002004, 0, total=0.002004), id="the highest tier"),
    pytest.param(
        TIERED, Usage(501, M), UsageCost(0.002004, 10, total=10.002004), id="what a tier leaves out is as ever"
    ),
    pytest.param(
        ModelCost(1, 10, tiers=TIERED.tiers[::-1]),
        Usage(501, 0),
        UsageCost(0.002004, 0, total=0.002004),
        id="any order",
    ),
    pytest.param(THINKS, Usage(M, M, reasoning_tokens=9 * M), UsageCost(1, 4, total=5), id="more thought than said"),
    pytest.param(THINKS, Usage(M, M, reasoning_tokens=-M), UsageCost(1, 2, total=3), id="less thought than none"),
    pytest.param(
        ModelCost(1, reasoning=4), Usage(M, M, reasoning_tokens=M), UsageCost(1, 4, total=5), id="nothing but thought"
    ),
    pytest.param(PRICES, Usage(-M, M), UsageCost(output=15), id="less than none is no count"),
    pytest.param(PRICES, Usage(M, 10**400), UsageCost(input=3), id="more than there can be is no count"),
    pytest.param(PRICES, Usage(10**400), None, id="nothing but that"),
    pytest.param(PRICES, Usage(1, 1), UsageCost(3e-6, 15e-6, total=18e-6), id="a token each"),
    pytest.param(PRICES, Usage(2**53, 0), UsageCost(27021597764.222976, 0, total=27021597764.222976), id="the most"),
]


@pytest.mark.feature("4.28")
@pytest.mark.parametrize(("prices", "usage", "cost"), COSTS)
def test_a_cost_is_what_the_prices_say_and_never_guessed(
    prices: ModelCost, usage: Usage, cost: UsageCost | None
) -> None:
    found = prices.of(usage)
    assert msgspec.to_builtins(found) == (cost and pytest.approx(msgspec.to_builtins(cost)))


def test_costs_of_several_responses_add_up() -> None:
    usages = [Usage(M, M), Usage(2 * M, 0)]
    total = sum((msgspec.structs.replace(usage, cost=PRICES.of(usage)) for usage in usages), Usage())
    assert total.cost == UsageCost(9, 15, total=24)


IDS = [
    ("gpt-5", ModelId("gpt-5")),
    ("owner/model-GGUF:Q4_K_M", ModelId("owner/model-GGUF", "Q4_K_M")),
    ("owner/model-GGUF:iq2_xxs", ModelId("owner/model-GGUF", "IQ2_XXS")),
    ("m:bf16", ModelId("m", "BF16")),
    ("llama3.2:3b", ModelId("llama3.2:3b")),
    ("qwen3:quick", ModelId("qwen3:quick")),
    ("ft:gpt-4o:me::Q8_0x", ModelId("ft:gpt-4o:me:", "Q8_0X")),
    (":Q8_0", ModelId(":Q8_0")),
    ("hf.co/o/m:UD-Q4_K_XL", ModelId("hf.co/o/m", "UD-Q4_K_XL")),
    ("m:fp16", ModelId("m", "FP16")),
    ("m:fp8", ModelId("m", "FP8")),
    ("m:awq", ModelId("m", "AWQ")),
    ("m:f8abc", ModelId("m:f8abc")),
    ("a:b:Q4_0", ModelId("a:b", "Q4_0")),
    ("m:", ModelId("m:")),
    ("", ModelId("")),
]


@pytest.mark.feature("3.49")
@pytest.mark.parametrize(("text", "expected"), IDS)
def test_a_quantization_is_told_from_the_name(text: str, expected: ModelId) -> None:
    found = ModelId.parse(text)
    assert found == expected
    assert str(found).lower() == text.lower()
    assert ModelId.parse(str(found)) == found


def test_a_quantization_is_the_same_however_it_is_written() -> None:
    assert ModelId("m", "q4_k_m") == ModelId("m", "Q4_K_M ") == ModelId.parse("m:q4_K_m")
    assert ModelId("m", "") == ModelId("m")


@pytest.mark.parametrize(
    "value",
    [
        ModelId("m", "Q8_0", "alias"),
        TIERED,
        Model(id="m", provider="p"),
        Model(
            id="gpt-5",
            provider="openai",
            name="GPT-5",
            api="openai-chat",
            base_url="https://api.openai.com/v1",
            reasoning=True,
            input=("text", "image"),
            cost=TIERED,
            context_window=400_000,
            max_tokens=128_000,
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_is_its_own_json(value: msgspec.Struct) -> None:
    text = msgspec.json.encode(value)
    assert msgspec.json.decode(text, type=type(value)) == value
    assert b"null" not in text


def test_a_model_is_written_as_a_client_takes_it() -> None:
    assert str(Model(id="anthropic/claude", provider="openrouter")) == "openrouter/anthropic/claude"
