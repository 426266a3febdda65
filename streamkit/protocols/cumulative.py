"""Text of which each record holds all so far: what is new in it, or a revision."""

from __future__ import annotations

from collections.abc import Iterable

from streamkit.deltas import Delta
from streamkit.protocols.lenient import split_surrogate
from streamkit.protocols.writer import BlockWriter, Kind

__all__ = ["WholeText"]


class WholeText:
    """One kind of text of a choice, whole in each record → its new pieces, and `Replace` where it was revised.

    Comparing costs as much as reading the record did. Where other blocks came between, the text is in several blocks.
    What a record ends with may be half a character, shown as U+FFFD or as half of a surrogate pair: it is held back
    until the next record, or `settle`, shows what it is.
    """

    def __init__(self, writer: BlockWriter, kind: Kind) -> None:
        self._writer = writer
        self._kind = kind
        self._text = ""  # what has been given out
        self._held = ""  # what follows it
        self._blocks: list[tuple[int, int]] = []  # the index of each, and where in the text it begins

    def write(self, out: list[Delta], text: str, others: Iterable[WholeText] = ()) -> None:
        """Take `text` as all that there is by now; where it grew, what `others` hold back came before: they settle."""
        known, held_before = self._text, self._held
        self._held = ""
        if not text.startswith(known):
            shown, self._held = _split(text)
            self._text = shown
            self._revise(out, known, shown)
        elif len(text) > len(known):
            if len(text) > len(known) + len(held_before):
                for other in others:
                    other.settle(out)
            piece, held = _split(text[len(known) :])
            if piece:
                self._grow(out, piece)
            self._held = held

    def settle(self, out: list[Delta]) -> None:
        """Give out what is held back: no record will make anything else of it."""
        held, self._held = self._held, ""
        if held:
            self._grow(out, held)

    def _grow(self, out: list[Delta], piece: str) -> None:
        self._writer.write(out, self._kind, piece)
        if not self._blocks or self._blocks[-1][0] != self._writer.index:
            self._blocks.append((self._writer.index, len(self._text)))
        self._text += piece

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


def _split(text: str) -> tuple[str, str]:
    """Cut `text` before the half of a character that it may end with."""
    shown, _ = split_surrogate(text.rstrip("\ufffd"))
    return shown, text[len(shown) :]
