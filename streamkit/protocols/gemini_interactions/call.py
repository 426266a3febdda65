"""A step that calls a function of the caller's."""

from __future__ import annotations

from typing import Any

from streamkit.deltas import Delta, ToolCallDelta, ToolCallEnd, ToolCallStart
from streamkit.protocols.anthropic.blocks import StreamedBlock
from streamkit.protocols.gemini_interactions.shelf import Shelf
from streamkit.protocols.openai_responses.views import text
from streamkit.protocols.values import value_text

__all__ = ["CallStep"]


class CallStep:
    """A call while it grows: its arguments come in pieces, or whole with its name.

    The name may come after the step began, with the arguments; the call begins with the first of the two.
    """

    def __init__(self, key: int, step: dict[str, Any], shelf: Shelf, out: list[Delta]) -> None:
        self._key = key
        self._shelf = shelf
        self._id = ""
        self._signature: str | None = None
        self._block: StreamedBlock | None = None
        self._tell(step, out)

    def take(self, delta: dict[str, Any], out: list[Delta]) -> bool:
        """Take in a delta; False where a call has none of its type."""
        kind = text(delta, "type")
        if kind == "arguments_delta":
            self._open("", out).append(text(delta, "arguments"), out)
            self._signature = text(delta, "signature") or self._signature
        elif kind == "function_call":
            self._tell(delta, out)
        else:
            return False
        return True

    def stop(self, out: list[Delta]) -> None:
        """Give out the end."""
        block = self._open("", out)
        block.signature = self._signature
        del self._shelf.open[self._key]
        block.stop(out)

    def _tell(self, call: dict[str, Any], out: list[Delta]) -> None:
        """Take in what a start or a delta says of the call; empty arguments stand for those that follow."""
        self._id = text(call, "id") or self._id
        self._signature = text(call, "signature") or self._signature
        name, arguments = text(call, "name"), call.get("arguments")
        if name or arguments:
            block = self._open(name, out)
            if arguments and not block.size:
                block.hold(value_text(arguments))

    def _open(self, name: str, out: list[Delta]) -> StreamedBlock:
        if self._block is None:
            index = self._shelf.take_index()
            self._block = StreamedBlock(index, "arguments_delta", ToolCallDelta, ToolCallEnd, self._shelf.limit)
            self._shelf.open[self._key] = self._block
            out.append(ToolCallStart(index, self._id or self._shelf.mint(), name))
        return self._block
