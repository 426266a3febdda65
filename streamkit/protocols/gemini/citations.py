"""What an answer rests on: Gemini's citations, grounding and fetched addresses.

https://ai.google.dev/api/generate-content#GroundingMetadata, checked 2026-11-29. Chunks repeat and complete it, so it
counts as it stands at the end.
"""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.protocols.values import scrub

__all__ = ["Sources"]


class Sources:
    """The sources of one answer."""

    def __init__(self) -> None:
        self._cited: dict[bytes, Any] = {}
        self._grounding: dict[str, Any] = {}

    def read(self, grounding: Any, citations: Any, addresses: Any) -> None:
        """Take in what a chunk has of the three; a field of the grounding takes its latest value that is not empty."""
        if isinstance(grounding, dict):
            self._grounding |= {name: scrub(value) for name, value in grounding.items() if value}
        for holder, names in ((citations, ("citations", "citationSources")), (addresses, ("urlMetadata",))):
            for name in names:
                items = holder.get(name) if isinstance(holder, dict) else None
                for item in scrub(items) if isinstance(items, list) else ():
                    self._cited.setdefault(msgspec.json.encode(item, order="deterministic"), item)

    def take(self) -> list[Any]:
        """Return all citations, each as the provider gave it, and forget them.

        First what was cited, then the `groundingChunks`, and last, under `groundingMetadata`, the rest of the
        grounding: its supports name the chunks by their places.
        """
        grounding, self._grounding = self._grounding, {}
        cited, self._cited = list(self._cited.values()), {}
        chunks = grounding.pop("groundingChunks", [])
        cited += chunks if isinstance(chunks, list) else [chunks]
        return [*cited, {"groundingMetadata": grounding}] if grounding else cited
