"""Text of which each record holds all so far: what is new in it, or a revision."""

from __future__ import annotations

from streamkit.deltas import Delta
from streamkit.protocols.writer import BlockWriter, Kind

__all__ = ["WholeText"]


class WholeText:
    """One kind of text of a choice, whole in each record → its new pieces, and `Replace` where it was revised.

    Comparing costs as much as reading the record did. Where other blocks came between, the text is in several blocks.
    """

    def __init__(self, writer: BlockWriter, kind: Kind) -> None:
        self._writer = writer
        self._kind = kind
        self._text = ""
        self._blocks: list[tuple[int, int]] = []  # the index of each, and where in the text it begins

    def write(self, out: list[Delta], text: str) -> None:
        """Take `text` as all that there is by now."""
        before, self._text = self._text, text
        if not text.startswith(before):
            self._revise(out, before, text)
        elif len(text) > len(before):
            self._writer.write(out, self._kind, text[len(before) :])
            if not self._blocks or self._blocks[-1][0] != self._writer.index:
                self._blocks.append((self._writer.index, len(before)))

    def _revise(self, out: list[Delta], before: str, text: str) -> None:
        index, start = self._blocks[-1]
        if text[:start] == before[:start]:
            self._writer.replace(out, index, text[start:])
            return
        first, *others = (index for index, _ in self._blocks)
        self._writer.replace(out, first, text)
        for index in others:
            self._writer.replace(out, index, "")
        self._blocks = [(first, 0), *((index, len(text)) for index in others)]
