"""Models as data: what one is called and where, how much it takes, and what it costs."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct, structs

from streamkit.usage import Usage, UsageCost

__all__ = ["CostTier", "Model", "ModelCost", "ModelId"]

_PER = 1_000_000  # tokens that a price is for
_MOST = 2**53  # tokens that can be counted: more, and fewer than none, is no count

# How files of GGUF name their quantization (https://github.com/ggml-org/llama.cpp/blob/master/tools/quantize, checked
# 2026-11-30), and the common names of others.
_QUANTIZATION = re.compile(
    r"(?:UD-)?(?:I?Q\d|TQ\d|[BF]?F16|F32|MXFP4)\w*|FP(?:4|8|16)|NVFP4|INT[48]|AWQ|GPTQ", re.IGNORECASE
)


class ModelId(Struct, frozen=True, omit_defaults=True):
    """How a model is named: by its own name, or by that of an alias, a group or an architecture.

    `quantization` is that of a local model's file, in capitals (`Q4_K_M`), None in the cloud. Which model is asked
    depends on the name alone.
    """

    name: str
    quantization: str | None = None
    kind: Literal["name", "alias", "group", "architecture"] = "name"

    def __post_init__(self) -> None:
        if self.quantization is not None:
            structs.force_setattr(self, "quantization", self.quantization.strip().upper() or None)

    @classmethod
    def parse(cls, text: str) -> ModelId:
        """Read `name` or `name:Q4_K_M`; what follows a colon and is no quantization belongs to the name."""
        name, _, last = text.rpartition(":")
        return cls(name, last) if name and _QUANTIZATION.fullmatch(last) else cls(text)

    def __str__(self) -> str:
        return self.name if self.quantization is None else f"{self.name}:{self.quantization}"


class CostTier(Struct, frozen=True, omit_defaults=True):
    """The prices of a request whose prompt, caches included, is longer than `above` tokens: for all of its tokens.

    What is None here is as in the `ModelCost`.
    """

    above: int
    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    reasoning: float | None = None


class ModelCost(Struct, frozen=True, omit_defaults=True):
    """Prices in US dollars per million tokens; None means not known.

    `reasoning` is for providers with a price of its own for it; without, it costs what other output does. Of `tiers`,
    in any order, the highest that a prompt reaches counts.
    """

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    reasoning: float | None = None
    tiers: tuple[CostTier, ...] = ()

    def of(self, usage: Usage) -> UsageCost | None:
        """Return what one response cost, None where nothing of it is known.

        It is for the usage of one response, since tiers go by the length of a prompt. Nothing is guessed: a count
        without a price, and one that cannot be, has no cost, and `total` is None unless every token that was used has
        one and both input and output were reported. Only tokens are counted, all as text: what a provider takes for a
        request, a search or audio, and for caches that live longer than its shortest, is not in it.
        """
        reached = [tier for tier in self.tiers if usage.prompt_tokens > tier.above]
        tier = max(reached, key=lambda tier: tier.above, default=None)

        def cost(name: str, tokens: int | None) -> float | None:
            price: float | None = getattr(self, name)
            if tier is not None and getattr(tier, name) is not None:
                price = getattr(tier, name)
            if not tokens:
                return None if tokens is None else 0.0
            if price is None or not 0 < tokens <= _MOST:
                return None
            return price * tokens / _PER

        output = cost("output", usage.output_tokens)
        thought = min(usage.reasoning_tokens or 0, usage.output_tokens or 0)
        if thought > 0 and (own := cost("reasoning", thought)) is not None:
            rest = cost("output", (usage.output_tokens or 0) - thought)
            output = None if rest is None else rest + own
        parts = {
            "input": cost("input", usage.input_tokens),
            "output": output,
            "cache_read": cost("cache_read", usage.cache_read_tokens),
            "cache_write": cost("cache_write", usage.cache_write_tokens),
        }
        if all(part is None for part in parts.values()):
            return None
        whole = parts["input"] is not None and parts["output"] is not None
        for name in ("cache_read", "cache_write"):
            whole &= parts[name] is not None or getattr(usage, f"{name}_tokens") is None
        return UsageCost(**parts, total=sum(part or 0.0 for part in parts.values()) if whole else None)


class Model(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A model at a provider: `id` is what requests call it, `provider` a vendor's name, `api` the dialect.

    `input` are the kinds of content it takes (`text`, `image`, …), `reasoning` whether it can think, `context_window`
    how many tokens prompt and answer may have, `max_tokens` how many the answer may. None, or empty, means not known.
    """

    id: str
    provider: str
    name: str = ""
    api: str = ""
    base_url: str = ""
    reasoning: bool | None = None
    input: tuple[str, ...] = ()
    cost: ModelCost | None = None
    context_window: int | None = None
    max_tokens: int | None = None

    def __str__(self) -> str:
        """As `Client` and `Agent` take it."""
        return f"{self.provider}/{self.id}"
