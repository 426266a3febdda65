"""Sources as they stand at the end."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols.gemini.citations import Sources

CHUNKS = [{"web": {"uri": "u"}}, {"web": {"uri": "v"}}]

# name, what chunks have of grounding, citations and addresses, what comes of it
CASES: list[tuple[str, list[tuple[Any, Any, Any]], list[Any]]] = [
    ("nothing", [(None, None, None), ({}, {}, {})], []),
    ("chunks", [({"groundingChunks": CHUNKS}, None, None)], CHUNKS),
    (
        "the last that says something",
        [
            ({"groundingChunks": CHUNKS[:1], "webSearchQueries": ["q"]}, None, None),
            ({"groundingChunks": CHUNKS}, None, None),
        ],
        [*CHUNKS, {"groundingMetadata": {"webSearchQueries": ["q"]}}],
    ),
    (
        "old and new citations, each once",
        [(None, {"citationSources": [{"uri": "a"}]}, None), (None, {"citations": [{"uri": "a"}, {"uri": "b"}]}, None)],
        [{"uri": "a"}, {"uri": "b"}],
    ),
    ("addresses", [(None, None, {"urlMetadata": [{"retrievedUrl": "a"}]})], [{"retrievedUrl": "a"}]),
    ("what is of another form", [(5, [1], "x"), (None, {"citations": 5}, None)], []),
    (
        "half a character",
        [({"q": "\ud83d"}, {"citations": ["\ud83d"]}, None)],
        ["\ufffd", {"groundingMetadata": {"q": "\ufffd"}}],
    ),
]


@pytest.mark.parametrize(("read", "taken"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_sources_are_given_once(read: list[tuple[Any, Any, Any]], taken: list[Any]) -> None:
    sources = Sources()
    for each in read:
        sources.read(*each)
    assert sources.take() == taken
    assert sources.take() == []
