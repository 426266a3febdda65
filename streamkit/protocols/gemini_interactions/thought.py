"""A step of thinking: its summary, piece by piece, and the signature with which it goes back."""

from __future__ import annotations

from typing import Any

from streamkit.deltas import Delta, ThinkingDelta, ThinkingEnd, ThinkingStart
from streamkit.protocols.anthropic.blocks import StreamedBlock
from streamkit.protocols.gemini_interactions.shelf import Shelf
from streamkit.protocols.openai_responses.views import listed, text

__all__ = ["SUMMARY", "ThoughtStep"]

SUMMARY = "summary"  # in the `extra` of thinking: what its summary holds beside text


class ThoughtStep:
    """A thought while it grows. Its texts are one text: the pieces of a stream do not tell them apart."""

    def __init__(self, key: int, step: dict[str, Any], shelf: Shelf, out: list[Delta]) -> None:
        self._key = key
        self._shelf = shelf
        index = shelf.take_index()
        self._block = shelf.open[key] = StreamedBlock(index, "thought_summary", ThinkingDelta, ThinkingEnd)
        out.append(ThinkingStart(index))
        self._sign(step)
        for content in listed(step, "summary"):
            self._summarise(content, out)

    def take(self, delta: dict[str, Any], out: list[Delta]) -> bool:
        """Take in a delta; False where a thought has none of its type."""
        kind = text(delta, "type")
        if kind == "thought_signature":
            self._sign(delta)
        elif kind == "thought_summary":
            for content in listed({"content": [delta.get("content")]}, "content"):
                self._summarise(content, out)
        else:
            return False
        return True

    def stop(self, out: list[Delta]) -> None:
        """Give out the end."""
        del self._shelf.open[self._key]
        self._block.stop(out)

    def _sign(self, holder: dict[str, Any]) -> None:
        self._block.signature = text(holder, "signature") or self._block.signature

    def _summarise(self, content: dict[str, Any], out: list[Delta]) -> None:
        if text(content, "type") == "text":
            self._block.append(text(content, "text"), out)
        else:
            extra = self._block.extra or {SUMMARY: []}
            extra[SUMMARY].append(content)
            self._block.extra = extra
