"""The text of dialects that have no field for thinking of its own, or not always: tags in it, where a quirk says so."""

from __future__ import annotations

from collections.abc import Callable

from streamkit.deltas import Delta
from streamkit.limits import Limits
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.think_tags import ThinkTags
from streamkit.protocols.writer import BlockWriter

__all__ = ["TaggedWriter"]


class TaggedWriter(BlockWriter):
    """A `BlockWriter` that reads `<think>` tags in what `say` is given, where the quirks ask for it.

    Half a tag is held back until more text, a block of another kind or the end shows what it is.
    """

    def __init__(self, choice: int, *, quirks: Quirks, mint: Callable[[], str], limits: Limits) -> None:
        tagged = quirks.think_tags or quirks.think_tag_open
        super().__init__(choice, mint=mint, limits=limits, direct=not tagged)
        self._tags = ThinkTags(inside=quirks.think_tag_open) if tagged else None

    @property
    def empty(self) -> bool:
        """Whether nothing has been said yet."""
        return not (self.size or (self._tags and self._tags.holds))

    def say(self, out: list[Delta], text: str) -> None:
        """Add a piece of what the model says."""
        if self._tags is None:
            self.write(out, "text", text)
            return
        for kind, piece in self._tags.feed(text):
            self.write(out, kind, piece)

    def settle(self, out: list[Delta]) -> None:
        """Append half a tag that was held back: what comes next is of another kind."""
        if self._tags is not None:
            for kind, piece in self._tags.finish():
                self.write(out, kind, piece)

    def close(self, out: list[Delta]) -> None:
        """Close every block, in the order of the indices."""
        self.settle(out)
        super().close(out)

    def release(self, out: list[Delta]) -> None:
        """Append what is held back, where the stream breaks off and no block will be closed."""
        self.settle(out)
        super().release(out)
