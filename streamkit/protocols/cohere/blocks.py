"""The blocks of a Cohere answer while they are open.

Blocks of content, calls and citations are numbered each from 0, so each family has a map of its own. The plan that
precedes calls has no number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streamkit.deltas import CitationAdded, Delta
from streamkit.errors import ProtocolError
from streamkit.limits import Limits
from streamkit.parts import CitationPart, RawPart
from streamkit.protocols.lenient import rejoin
from streamkit.protocols.values import compact_json, scrub
from streamkit.protocols.writer import BlockWriter, Kind

__all__ = ["PLAN", "Blocks"]

# What marks a block of thinking as the plan, which goes back in a field of its own.
PLAN = "tool_plan"


class Blocks:
    """What the events add to the message → deltas; every method appends to `out`."""

    def __init__(self, *, plan_as_thinking: bool, mint: Callable[[], str], limits: Limits) -> None:
        self.writer = BlockWriter(0, mint=mint, limits=limits, seal=self._seal)
        self.contents: dict[int | None, int] = {}  # the block of each number of content
        self.any_calls = False
        self._kinds: dict[int, Kind] = {}  # of the blocks of content
        self._calls: dict[int | None, int] = {}  # the block of each call that is open
        self._plan_as_thinking = plan_as_thinking
        self._planning = False  # the open block of thinking is the plan
        self._plan: list[str] = []
        self._unknown: dict[int | None, list[dict[str, Any]]] = {}  # the pieces of blocks of kinds that nobody knows

    def start(self, key: int | None, kind: Kind, out: list[Delta]) -> None:
        """Open a block of content."""
        self._end_plan(out)
        self.writer.close_open(out)
        self.writer.open(out, kind)
        self.contents[key] = self.writer.index
        self._kinds[self.writer.index] = kind

    def write(self, key: int | None, kind: Kind, piece: str, out: list[Delta]) -> None:
        """Add to a block of content, which this opens if it is not open."""
        if self.contents.get(key) != self.writer.index or self.writer.kind != kind:
            self.start(key, kind, out)
        self.writer.write(out, kind, piece)

    def stop(self, key: int | None, out: list[Delta]) -> None:
        """Close a block of content."""
        pieces = self._unknown.pop(key, None)
        if pieces is not None:
            self.writer.add(out, RawPart(scrub(_joined(pieces))))
        if key in self.contents and self.contents[key] == self.writer.index:
            self.writer.close_open(out)

    def keep(self, key: int | None, content: dict[str, Any], out: list[Delta]) -> None:
        """Take in a piece of a block of an unknown kind, which is a part as it came once it ends: texts add up."""
        if key not in self._unknown:
            self._end_plan(out)
            self.writer.close_open(out)
        self._unknown.setdefault(key, []).append(content)

    def is_unknown(self, key: int | None) -> bool:
        """Whether the block with the number `key` is one of an unknown kind."""
        return key in self._unknown

    def plan(self, piece: str, out: list[Delta]) -> None:
        """Add to the plan of what to call: thinking, or a part of its own that is whole once something else comes."""
        if not self._plan_as_thinking:
            self._plan.append(piece)
            return
        if piece and not self._planning:
            self.writer.close_open(out)
            self._planning = True
        self.writer.write(out, "thinking", piece)

    def start_call(self, key: int | None, call: dict[str, Any], out: list[Delta]) -> None:
        """Open a call; some servers give all of its arguments at once."""
        self._end_plan(out)
        self.stop_call(key, out)
        function = call.get("function")
        named = function if isinstance(function, dict) else {}
        name, id = named.get("name"), call.get("id")
        self.any_calls = True
        self._calls[key] = self.writer.open_call(
            out, id if isinstance(id, str) else "", rejoin(name) if isinstance(name, str) else ""
        )
        self.write_call(key, named.get("arguments"), out)

    def write_call(self, key: int | None, arguments: Any, out: list[Delta]) -> None:
        """Add to the arguments of a call."""
        if arguments is None or arguments == "":
            return
        if key not in self._calls:
            raise ProtocolError(f"arguments came for a call that has not begun, number {key!r}")
        text = arguments if isinstance(arguments, str) else compact_json(arguments)
        self.writer.arguments(out, self._calls[key], text)

    def stop_call(self, key: int | None, out: list[Delta]) -> None:
        """Close a call: nothing more will come of it."""
        index = self._calls.pop(key, None)
        if index is not None:
            self.writer.end_call(out, index)

    def cite(self, citation: dict[str, Any], out: list[Delta]) -> None:
        """Add a source to the text that it supports; one of thinking or of the plan is a part of its own."""
        clean = scrub(citation)
        number = clean.get("content_index")
        index = self.contents.get(number) if isinstance(number, int) else None
        if number is None and clean.get("type") in (None, "TEXT_CONTENT"):
            index = next((index for index, kind in reversed(self._kinds.items()) if kind == "text"), None)
        if index is not None and self._kinds[index] == "text":
            out.append(CitationAdded(index, clean))
        else:
            self._end_plan(out)
            self.writer.add(out, CitationPart(clean))

    def close(self, out: list[Delta]) -> None:
        """Close every block."""
        self._end_plan(out)
        for key in list(self._unknown):
            self.stop(key, out)
        self.writer.close(out)

    def release(self, out: list[Delta]) -> None:
        """Append what is held back, where the stream breaks off."""
        if self._plan:
            self._end_plan(out)
        self.writer.release(out)

    def _end_plan(self, out: list[Delta]) -> None:
        if self._planning:
            self.writer.close_open(out)
        plan = rejoin("".join(self._plan))
        self._plan.clear()
        if plan:
            self.writer.add(out, RawPart({"type": PLAN, PLAN: plan}))

    def _seal(self) -> tuple[str | None, dict[str, Any] | None]:
        planning, self._planning = self._planning, False
        return None, {PLAN: True} if planning else None


def _joined(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    """The block that came in these pieces: its texts are joined, and of all else the last counts."""
    block: dict[str, Any] = {}
    texts: dict[str, list[str]] = {}
    for piece in pieces:
        block |= piece
        for name, value in piece.items():
            if isinstance(value, str) and name != "type":
                texts.setdefault(name, []).append(value)
    return block | {name: "".join(said) for name, said in texts.items() if isinstance(block[name], str)}
