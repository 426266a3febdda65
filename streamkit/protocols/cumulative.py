"""Text of which each record holds all so far: what is new in it, or a revision."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import combining

from streamkit.deltas import Delta
from streamkit.protocols.writer import BlockWriter, Kind

__all__ = ["WholeText", "split_unsure"]

_TAIL = 1024  # characters before the new ones that are compared with each record, see `WholeText`
_LONGEST = 16  # characters that are held back at most: no one character is shown as more than that


class WholeText:
    """One kind of text of a choice, whole in each record → its new pieces, and `Replace` where it was revised.

    Comparing costs no more as the text grows: where a record is longer than what was given out, only the end of that
    is compared, and all of it whenever the text has doubled and in `settle`. So what was revised far back, by as many
    characters as stood there, is told then. Where other blocks came between, the text is in several blocks.
    What a record ends with may be half a character, shown as U+FFFD, as half of a surrogate pair or without the marks
    on it: it is held back until the next record, or `settle`, shows what it is.
    """

    def __init__(self, writer: BlockWriter, kind: Kind) -> None:
        self._writer = writer
        self._kind = kind
        self._given = ""  # what has been given out, without `_pieces`
        self._pieces: list[str] = []  # what has been given out since it was last put together
        self._size = 0  # characters that have been given out
        self._tail = ""  # the last of them, without `_fresh`
        self._fresh: list[str] = []  # what has been given out since the last comparison
        self._compared = _TAIL  # characters at the last time when all were compared
        self._last: str | None = None  # the last record, None where it was a piece
        self._held = ""  # what follows what has been given out
        self._blocks: list[tuple[int, int]] = []  # the index of each, and where in the text it begins

    def write(self, out: list[Delta], text: str, others: Iterable[WholeText] = ()) -> None:
        """Take `text` as all that there is by now; where it grew, what `others` hold back came before."""
        size = self._size
        if not self._goes_on(text):
            shown, self._held = split_unsure(text)
            self._revise(out, shown)
        elif len(text) > size:
            if len(text) > size + len(self._held):
                for other in others:
                    if other is not self:
                        other.release(out)
            piece, self._held = split_unsure(text[size:])
            if piece:
                self._grow(out, piece)
        else:
            self._held = ""
        self._last = text

    def add(self, out: list[Delta], piece: str) -> None:
        """Take `piece` as what is new; a later `write` may still revise it."""
        self._last = None
        if self._held or not piece.isascii():
            piece, self._held = split_unsure(self._held + piece)
        if piece:
            self._grow(out, piece)

    def release(self, out: list[Delta]) -> None:
        """Give out what is held back: what comes next is of another kind."""
        if self._pieces:  # nothing has been compared since it grew
            self._compare(out)
        held, self._held = self._held, ""
        if held:
            self._grow(out, held)

    def settle(self, out: list[Delta]) -> None:
        """Give out what is held back, and what was revised: no record will make anything else of it."""
        self._compare(out)
        self.release(out)

    def _compare(self, out: list[Delta]) -> None:
        """Compare the last record with all that has been given out."""
        if self._last is not None and not self._last.startswith(self._all()):
            self._revise(out, self._last)
            self._held = ""

    def _goes_on(self, text: str) -> bool:
        """Whether `text` begins with what has been given out, as far as that is compared."""
        if self._size <= len(text) < 2 * self._compared:
            if self._fresh:
                self._tail = (self._tail + "".join(self._fresh))[-_TAIL:]
                self._fresh.clear()
            return text.startswith(self._tail, self._size - len(self._tail))
        self._compared = max(len(text), _TAIL)
        return text.startswith(self._all())

    def _all(self) -> str:
        """What has been given out."""
        if self._pieces:
            self._given += "".join(self._pieces)
            self._pieces.clear()
        return self._given

    def _grow(self, out: list[Delta], piece: str) -> None:
        self._writer.write(out, self._kind, piece)
        if not self._blocks or self._blocks[-1][0] != self._writer.index:
            self._blocks.append((self._writer.index, self._size))
        self._pieces.append(piece)
        self._fresh.append(piece)
        self._size += len(piece)

    def _revise(self, out: list[Delta], text: str) -> None:
        before = self._all()
        self._given, self._size, self._tail = text, len(text), text[-_TAIL:]
        self._fresh.clear()
        index, start = self._blocks[-1]
        if text[:start] == before[:start]:
            self._writer.replace(out, index, text[start:])
            return
        first, *others = (index for index, _ in self._blocks)
        self._writer.replace(out, first, text)
        for index in others:
            self._writer.replace(out, index, "")
        self._blocks = [(first, 0), *((index, len(text)) for index in others)]


def split_unsure(text: str) -> tuple[str, str]:
    """Cut `text` before the half of a character that it may end with."""
    if text.isascii():
        return text, ""
    end = len(text)
    while end > max(len(text) - _LONGEST, 0) and _may_change(text[end - 1]):
        end -= 1
    return text[:end], text[end:]


def _may_change(character: str) -> bool:
    return character == "\ufffd" or "\ud800" <= character <= "\udbff" or combining(character) > 0
