"""How much to think, in Gemini's terms."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.protocols import Quirks
from streamkit.protocols.gemini.thinking import MAX_BUDGET, encode_thinking

CASES: list[tuple[Any, bool, dict[str, Any]]] = [
    ("off", False, {"thinkingBudget": 0}),
    (0, False, {"thinkingBudget": 0}),
    (False, False, {"thinkingBudget": 0}),
    ("low", False, {"includeThoughts": True, "thinkingBudget": 2048}),
    (True, False, {"includeThoughts": True, "thinkingBudget": 8192}),
    ("max", False, {"includeThoughts": True, "thinkingBudget": MAX_BUDGET}),
    (300, False, {"includeThoughts": True, "thinkingBudget": 300}),
    (32768, False, {"includeThoughts": True, "thinkingBudget": 32768}),
    (-1, False, {"includeThoughts": True, "thinkingBudget": -1}),
    ("off", True, {"thinkingLevel": "MINIMAL"}),
    ("high", True, {"includeThoughts": True, "thinkingLevel": "HIGH"}),
    ("max", True, {"includeThoughts": True, "thinkingLevel": "XHIGH"}),
    (300, True, {"includeThoughts": True, "thinkingBudget": 300}),
    ({"thinkingLevel": "LOW"}, True, {"thinkingLevel": "LOW"}),
]


@pytest.mark.parametrize(("thinking", "levels", "config"), CASES)
def test_thinking_is_worded_as_the_model_takes_it(thinking: Any, levels: bool, config: dict[str, Any]) -> None:
    assert encode_thinking(thinking, Quirks(adaptive_thinking=levels)) == config


@pytest.mark.parametrize("thinking", ["much", -2])
def test_other_words_and_negative_numbers_are_refused(thinking: Any) -> None:
    with pytest.raises(ConfigError):
        encode_thinking(thinking, Quirks())
