"""What may be asked of a vendor, as its dialect and its quirks make it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from streamkit.errors import UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.protocols import Quirks, Request
from streamkit.protocols.quirks import CHOICES, EFFORTS
from streamkit.protocols.thinking import LEVELS
from streamkit.providers import PROVIDERS, Provider, get_provider
from streamkit.providers.abilities import find_abilities


def acme(protocol: str = "openai-chat", **quirks: Any) -> Provider:
    return Provider(name="acme", protocol=protocol, quirks=Quirks(**quirks))


def test_a_row_without_quirks_takes_what_its_dialect_has() -> None:
    can = find_abilities(acme())
    assert can.thinking == ["off", "minimal", "low", "medium", "high", "xhigh", "max"]
    assert (can.tools, can.tool_choices, can.parallel_calls) == (True, list(CHOICES), True)
    assert (can.images, can.structured, can.budget, can.left_out) == (["address", "bytes"], "schema", False, [])


CASES: list[tuple[str, dict[str, Any], str, Any]] = [
    ("levels of its own", {"efforts": ("none", "low", "high")}, "thinking", ["off", "low", "high"]),
    ("no word for off", {"efforts": ("low", "high")}, "thinking", ["low", "high"]),
    ("only on and off", {"thinking_form": "adaptive"}, "thinking", ["off", "on"]),
    ("no thinking", {"unsupported": ("thinking",)}, "thinking", []),
    ("a budget", {"thinking_form": "reasoning"}, "budget", True),
    ("a budget beside a switch", {"thinking_form": "enable_thinking"}, "budget", True),
    ("choices", {"tool_choices": ("auto", "named")}, "tool_choices", ["auto", "none", "named"]),
    ("one call at a time", {"unsupported": ("parallel_tool_calls",)}, "parallel_calls", False),
    ("images by their bytes", {"image_urls": False}, "images", ["bytes"]),
    ("mere JSON", {"json_schema": False}, "structured", "json"),
    ("what is refused", {"unsupported": ("top_k", "n")}, "left_out", ["top_k", "n"]),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_quirk_shows(case: tuple[str, dict[str, Any], str, Any]) -> None:
    _, quirks, field, expected = case
    assert getattr(find_abilities(acme(**quirks)), field) == expected


OTHERS: list[tuple[str, str, Any]] = [
    ("openai-completions", "tools", False),
    ("openai-completions", "tool_choices", []),
    ("openai-completions", "images", []),
    ("openai-completions", "structured", "no"),
    ("openai-completions", "thinking", []),
    ("anthropic", "budget", True),
    ("gemini", "images", ["bytes"]),
    ("ollama", "tool_choices", ["auto", "none"]),
]


@pytest.mark.parametrize("case", OTHERS, ids=[f"{case[0]}-{case[1]}" for case in OTHERS])
def test_a_dialect_shows(case: tuple[str, str, Any]) -> None:
    assert getattr(find_abilities(acme(case[0])), case[1]) == case[2]


@pytest.mark.parametrize("vendor", PROVIDERS)
def test_what_a_row_names_as_refused_is_never_among_what_is_taken(vendor: str) -> None:
    row = get_provider(vendor)
    can = find_abilities(row)
    sampling = set(row.quirks.unsupported) - {"thinking", "tools", "tool_choice", "parallel_tool_calls"}
    assert sampling <= set(can.left_out)
    assert can.tools or not can.tool_choices


SET: dict[str, Any] = {
    "max_tokens": 9, "temperature": 0.5, "top_p": 0.5, "top_k": 5, "presence_penalty": 0.5, "frequency_penalty": 0.5,
    "stop": ["."], "seed": 7, "n": 2, "logprobs": 2, "logit_bias": {"1": 1.0}, "user": "u",
}  # fmt: skip


def asked(vendor: str, **params: Any) -> tuple[dict[str, Any], list[str]]:
    """The body, and what was warned of."""
    row = get_provider(vendor)
    request = Request(model="m", messages=[Message("user", "Hi.")], provider=vendor, **params)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        body = row.get_protocol().encode(request, row.quirks).body
    assert {one.category for one in caught} <= {UnsupportedParameterWarning}
    return body, [str(one.message) for one in caught]


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, name)
    else:
        yield key, value


@pytest.mark.parametrize("vendor", PROVIDERS)
def test_a_level_of_thinking_is_sent_in_words_of_the_vendors_or_warned_of(vendor: str) -> None:
    plain, _ = asked(vendor)
    ranks = []
    for level in (*LEVELS, True, False, 0, 1, 5000, 100_000):
        body, warned = asked(vendor, thinking=level)
        if body == plain:
            assert len(warned) == 1 and vendor in warned[0] and "thinking" in warned[0], level
            continue
        assert warned == [], level
        said = dict(leaves(body))
        words = [
            str(value).lower() for name, value in said.items() if "effort" in name or name.lower().endswith("level")
        ]
        assert set(words) <= set(EFFORTS), level
        if get_provider(vendor).protocol == "openai-chat":
            assert set(words) <= set(get_provider(vendor).quirks.efforts), level
        budgets = [value for name, value in said.items() if "budget" in name.lower() and type(value) is int]
        if level in LEVELS[1:] and type(level) is str:
            ranks.append((*budgets, *map(EFFORTS.index, words)))
    assert ranks == sorted(ranks), "a higher level never asks for less"


@pytest.mark.parametrize("vendor", PROVIDERS)
def test_a_parameter_is_sent_or_warned_of_by_its_name_and_the_vendors(vendor: str) -> None:
    plain, _ = asked(vendor)
    for name, value in SET.items():
        body, warned = asked(vendor, **{name: value})
        if body == plain:
            assert len(warned) == 1 and warned[0].startswith(f"{vendor} does not take {name!r}"), name
        else:
            assert warned == [], name
