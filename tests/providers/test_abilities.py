"""What may be asked of a vendor, as its dialect and its quirks make it."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols import Quirks
from streamkit.protocols.quirks import CHOICES
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
