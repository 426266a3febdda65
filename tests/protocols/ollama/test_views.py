"""What the last record of Ollama's says."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.messages import FinishReason
from streamkit.protocols.ollama.views import Last, read_finish, read_usage
from streamkit.usage import Usage

COUNTS: list[tuple[str, Any, Any, Usage | None]] = [
    ("both", 9, 4, Usage(9, 4)),
    ("a prompt that was in the cache, in old releases", None, 4, Usage(None, 4)),
    ("none", None, None, None),
    ("zeros", 0, 0, None),
    ("true is no count", True, 4, Usage(None, 4)),
    ("less than none", -1, -1, None),
]


@pytest.mark.parametrize(("input", "output", "usage"), [case[1:] for case in COUNTS], ids=[case[0] for case in COUNTS])
def test_counts_that_are_there_are_read(input: Any, output: Any, usage: Usage | None) -> None:
    assert read_usage(Last(None, input, output)) == usage


@pytest.mark.parametrize(("word", "calls", "kind"), [("stop", True, "tool_call"), ("length", True, "length")])
def test_only_a_stop_with_calls_is_a_tool_call(word: str, calls: bool, kind: Any) -> None:
    assert read_finish(Last(word), calls=calls) == FinishReason(kind, word)


def test_half_a_character_in_a_word_is_replaced() -> None:
    assert read_finish(Last("a\ud83d"), calls=False).raw == "a\ufffd"
