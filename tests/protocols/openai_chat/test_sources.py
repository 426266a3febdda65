"""Sources of an answer: each once, with its text."""

from __future__ import annotations

from streamkit.deltas import CitationAdded, Delta
from streamkit.limits import Limits
from streamkit.protocols.openai_chat.sources import Sources
from streamkit.protocols.writer import BlockWriter
from streamkit.testing.outcome import numbered_ids


def test_a_source_waits_for_its_text_and_is_told_once() -> None:
    writer = BlockWriter(0, mint=numbered_ids(), limits=Limits())
    sources = Sources(writer)
    out: list[Delta] = []
    sources.add(["a", {"url": "b", "n": 1}], out)
    assert (bool(sources), out) == (True, [])
    writer.write(out, "text", "Hi")
    sources.add([{"n": 1, "url": "b"}, "a", "c"], out)
    assert not sources
    cited = [delta.citation for delta in out if isinstance(delta, CitationAdded)]
    assert cited == ["a", {"url": "b", "n": 1}, "c"]


def test_what_waits_can_be_given_out_without_a_text() -> None:
    sources = Sources(BlockWriter(0, mint=numbered_ids(), limits=Limits()))
    out: list[Delta] = []
    sources.add(["a"], out)
    sources.release(out)
    assert len(out) == 1
    assert not sources
