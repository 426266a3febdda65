"""One candidate: what its chunks add."""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.deltas import CitationAdded, Delta, MessageEnd, TextDelta, TextEnd, TextStart
from streamkit.limits import Limits
from streamkit.messages import FinishReason
from streamkit.protocols.gemini.candidate import CandidateReader
from streamkit.protocols.gemini.views import Candidate
from streamkit.testing.outcome import numbered_ids


def feed(reader: CandidateReader, candidate: dict[str, Any], out: list[Delta]) -> None:
    def raw() -> dict[str, Any]:
        asked.append(candidate)
        return candidate

    asked: list[dict[str, Any]] = []
    reader.read(msgspec.convert(candidate, Candidate), raw, out)
    texts = all("text" in part for part in candidate.get("content", {}).get("parts", []))
    assert not asked or not texts or "finishReason" in candidate  # text does not pay for what few have


def new_reader() -> CandidateReader:
    return CandidateReader(2, mint=numbered_ids(), limits=Limits())


def test_deltas_name_the_candidate_and_the_last_reason_counts() -> None:
    reader, out = new_reader(), list[Delta]()
    feed(reader, {"content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}, out)
    feed(reader, {"finishReason": "MAX_TOKENS", "citationMetadata": {"citations": ["c"]}}, out)
    reader.close(out)
    reader.end(out, FinishReason("refusal", "SAFETY"))
    assert out == [
        TextStart(0, choice=2),
        TextDelta(0, "a", choice=2),
        CitationAdded(0, "c", choice=2),
        TextEnd(0, choice=2),
        MessageEnd(FinishReason("length", "MAX_TOKENS"), choice=2),
    ]


def test_a_reason_from_outside_counts_where_there_is_none() -> None:
    reader, out = new_reader(), list[Delta]()
    reader.close(out)
    reader.end(out, FinishReason("refusal", "SAFETY"))
    assert out == [MessageEnd(FinishReason("refusal", "SAFETY"), choice=2)]


def test_what_is_held_back_is_given_out_where_the_stream_breaks() -> None:
    reader, out = new_reader(), list[Delta]()
    feed(reader, {"content": {"parts": [{"text": "a\ud83d"}]}, "citationMetadata": {"citations": ["c"]}}, out)
    reader.release(out)
    assert out == [
        TextStart(0, choice=2),
        TextDelta(0, "a", choice=2),
        CitationAdded(0, "c", choice=2),
        TextDelta(0, "\ufffd", choice=2),
    ]
