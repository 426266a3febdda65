"""Token counts of chunks."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.protocols.gemini.usage import UsageReader
from streamkit.protocols.gemini.views import Counts
from streamkit.usage import Usage

CASES: list[tuple[str, list[dict[str, Any]], Usage]] = [
    ("nothing", [{}, {"promptTokenCount": 0, "candidatesTokenCount": None}], Usage()),
    ("input and output", [{"promptTokenCount": 3, "candidatesTokenCount": 4}], Usage(3, 4)),
    ("a cache is part of the prompt", [{"promptTokenCount": 3, "cachedContentTokenCount": 2}], Usage(1, None, 2)),
    ("a cache larger than the prompt", [{"promptTokenCount": 3, "cachedContentTokenCount": 5}], Usage(0, None, 5)),
    ("thoughts alone", [{"thoughtsTokenCount": 5}], Usage(None, 5, reasoning_tokens=5)),
    ("what tools put in", [{"promptTokenCount": 3, "toolUsePromptTokenCount": 4}], Usage(7)),
    ("the latest of each", [{"promptTokenCount": 3, "candidatesTokenCount": 4}, {"promptTokenCount": 2}], Usage(2, 4)),
    (
        "counts that add up replace all",
        [
            {"candidatesTokenCount": 9, "thoughtsTokenCount": 1},
            {"promptTokenCount": 2, "thoughtsTokenCount": 1, "totalTokenCount": 3},
        ],
        Usage(2, 1, reasoning_tokens=1),
    ),
    ("no counts", [{"promptTokenCount": "x", "candidatesTokenCount": True, "thoughtsTokenCount": -1}], Usage()),
    ("counts in odd forms", [{"promptTokenCount": "3", "candidatesTokenCount": 4.0}], Usage(3, 4)),
    ("a count past all bounds", [{"promptTokenCount": 1e400, "candidatesTokenCount": 1}], Usage(None, 1)),
]


@pytest.mark.parametrize(("chunks", "usage"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_counts_become_usage(chunks: list[dict[str, Any]], usage: Usage) -> None:
    reader = UsageReader()
    for chunk in chunks:
        reader.read(msgspec.convert(chunk, Counts))
    assert reader.usage == usage
