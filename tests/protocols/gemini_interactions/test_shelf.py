"""What the steps of one answer share."""

from __future__ import annotations

from streamkit.protocols.gemini_interactions.shelf import Shelf
from streamkit.testing.outcome import numbered_ids


def test_blocks_are_numbered_without_gaps() -> None:
    shelf = Shelf(8, numbered_ids())
    assert [shelf.take_index() for _ in range(3)] == [0, 1, 2]
    assert (shelf.count, shelf.open, shelf.limit, shelf.mint()) == (3, {}, 8, "minted_0")
