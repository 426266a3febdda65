"""Which output item of a Responses answer an event is about.

An event says by `output_index` of which item it is. That is what counts where it is there: ids change from event to
event at GitHub Copilot, and LiteLLM puts items of several types under one index, so an item is found by its index and
its type. llama.cpp has no indices: there it is the id, else the newest item of the type.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any

from streamkit.protocols.openai_responses.views import NO_INDEX, text

__all__ = ["Item", "Roster"]


class Item:
    """One output item: what is known of it, and its open blocks (of a message by number of the part, else one)."""

    __slots__ = ("announced", "blocks", "done", "id", "index", "known", "pending", "type")

    def __init__(self, type: str, index: int, id: str) -> None:
        self.type = type
        self.index = index
        self.id = id  # the last one that came
        self.known: dict[str, Any] = {}  # the item as it was announced
        self.announced = False
        self.done = False
        self.blocks: dict[int, Any] = {}
        self.pending: list[str] = []  # arguments of a call whose name has not come

    @property
    def place(self) -> int | None:
        """What its events have as output index, None where they have none."""
        return None if self.index == NO_INDEX else self.index


class Roster:
    """The items of one answer; iterating gives them in the order of coming."""

    def __init__(self) -> None:
        self._order: list[Item] = []
        self._places: dict[tuple[int, str], Item] = {}
        self._ids: dict[str, Item] = {}
        self._latest: dict[str, Item] = {}

    def __iter__(self) -> Iterator[Item]:
        return iter(self._order)

    def add(self, kind: str, index: int, id: str) -> Item:
        """Return a new item, which takes the place of one of its type with the same index."""
        item = Item(kind, index, id)
        self._order.append(item)
        self._latest[kind] = item
        if index != NO_INDEX:
            self._places[index, kind] = item
        if id:
            self._ids[id] = item
        return item

    def find(self, kind: str, index: int, id: str) -> Item | None:
        """Return the item that an event is about."""
        if index != NO_INDEX:
            return self._places.get((index, kind))
        named, latest = self._ids.get(id), self._latest.get(kind)
        if named is not None and named.type == kind:
            return named
        return None if latest is None or latest.done else latest

    def find_begun(self, kind: str, index: int, id: str) -> Item | None:
        """Return the item that is announced, where it has come before; without an index its id alone tells."""
        return self._places.get((index, kind)) if index != NO_INDEX else self._ids.get(id)

    def match(self, output: list[dict[str, Any]]) -> list[tuple[dict[str, Any], Item | None]]:
        """Return each item of the whole output with the one that came, None where none did.

        It is one that came where types and ids are the same, else the first of its type that is left.
        """
        came = {(item.type, item.id): item for item in self._order if item.id}
        matched = [came.pop((text(raw, "type"), text(raw, "id")), None) for raw in output]
        taken = {id(item) for item in matched if item is not None}
        left: defaultdict[str, deque[Item]] = defaultdict(deque)
        for item in self._order:
            if id(item) not in taken:
                left[item.type].append(item)
        pairs: list[tuple[dict[str, Any], Item | None]] = []
        for raw, same in zip(output, matched, strict=True):
            rest = left[text(raw, "type")]
            pairs.append((raw, same or (rest.popleft() if rest else None)))
        return pairs
