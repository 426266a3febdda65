"""The writer of a text of which each record holds all so far, with thinking in tags where a quirk says so."""

from __future__ import annotations

from collections.abc import Callable

from streamkit.deltas import Delta
from streamkit.limits import Limits
from streamkit.protocols.cumulative import WholeText
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.tagged import TaggedWriter
from streamkit.protocols.think_tags import ThinkTags
from streamkit.protocols.writer import Kind

__all__ = ["WholeWriter"]

_KINDS: tuple[Kind, ...] = ("thinking", "text")


class WholeWriter(TaggedWriter):
    """A `TaggedWriter` whose `say` is given all that has been said by now, and `go_on` what is new."""

    def __init__(self, choice: int, *, quirks: Quirks, mint: Callable[[], str], limits: Limits) -> None:
        super().__init__(choice, quirks=quirks, mint=mint, limits=limits)
        self._inside = quirks.think_tag_open
        self._wholes = {kind: WholeText(self, kind) for kind in _KINDS}

    def say(self, out: list[Delta], text: str) -> None:
        """Take `text` as all that the model has said."""
        if self._tags is None:
            self._wholes["text"].write(out, text)
            return
        self._tags = ThinkTags(inside=self._inside)
        pieces = self._tags.feed(text)
        for kind, whole in self._wholes.items():
            whole.write(out, "".join(piece for of, piece in pieces if of == kind), self._wholes.values())

    def go_on(self, out: list[Delta], piece: str) -> None:
        """Take `piece` as what the model says next; what it says in all may still come."""
        if self._tags is None:
            self._wholes["text"].add(out, piece)
            return
        for kind, each in self._tags.feed(piece):
            for other, whole in self._wholes.items():
                if other != kind:
                    whole.release(out)
            self._wholes[kind].add(out, each)

    def settle(self, out: list[Delta]) -> None:
        """Append what was held back: no record will make anything else of it."""
        for whole in self._wholes.values():
            whole.settle(out)
        super().settle(out)
