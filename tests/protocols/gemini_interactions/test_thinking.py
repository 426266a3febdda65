"""How much to think, in the API's words."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.protocols.gemini_interactions.thinking import encode_thinking

WORDS: list[tuple[Any, str, str]] = [
    ("off", "minimal", "none"),
    (False, "minimal", "none"),
    (0, "minimal", "none"),
    ("minimal", "minimal", "auto"),
    ("low", "low", "auto"),
    (True, "medium", "auto"),
    (16384, "high", "auto"),
    ("xhigh", "xhigh", "auto"),
    ("max", "xhigh", "auto"),
]


@pytest.mark.parametrize(("thinking", "level", "summaries"), WORDS)
def test_a_level_or_a_budget_is_a_level(thinking: Any, level: str, summaries: str) -> None:
    assert encode_thinking(thinking) == {"thinking_level": level, "thinking_summaries": summaries}


def test_a_dict_goes_through() -> None:
    assert encode_thinking({"thinking_level": "high"}) == {"thinking_level": "high"}


@pytest.mark.parametrize("thinking", ["much", -1])
def test_an_unknown_word_is_refused(thinking: Any) -> None:
    with pytest.raises(ConfigError):
        encode_thinking(thinking)
