"""The output items of a Responses answer, and the blocks that they become.

An item that was never announced is opened by its first piece.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from streamkit.deltas import AudioDelta, BlockAdded, CitationAdded, Delta, Logprobs
from streamkit.parts import RawPart
from streamkit.protocols.lenient import rejoin, split_surrogate
from streamkit.protocols.openai_responses.blocks import NO_BLOCK, Block, CallBlock, TextBlock, ThinkingBlock
from streamkit.protocols.openai_responses.events import ARGUMENTS, INPUT, PARTS, REASONING, REFUSAL, SUMMARY, TEXT
from streamkit.protocols.openai_responses.extras import item_extra, thinking_extra
from streamkit.protocols.openai_responses.roster import Item, Roster
from streamkit.protocols.openai_responses.server_tools import IN_ONE_ITEM, read_announced, read_item
from streamkit.protocols.openai_responses.views import NO_INDEX, listed, text
from streamkit.protocols.values import compact_json

__all__ = ["CALLS", "Items"]

# The types of item that are calls of the caller's tools: the event of a piece, and the field of the whole text.
CALLS = {"function_call": (ARGUMENTS, "arguments"), "custom_tool_call": (INPUT, "input")}

# The types of part that a message is made of.
_SPOKEN = ("output_text", "refusal")

# The fields of an item that hold its text.
_TEXTS = ("content", "summary", "arguments", "input")

# Where the parts of thinking stand, and the event of the pieces of each.
_THINKING = (("summary", SUMMARY), ("content", REASONING))


class Items:
    """The items of one answer. Each method appends the deltas that it makes.

    With `server_custom_tools`, a call of a custom tool is no call of the caller's: the provider runs it.
    """

    def __init__(self, max_argument_bytes: int, mint: Callable[[], str], *, server_custom_tools: bool = False) -> None:
        self.newest: Block = NO_BLOCK  # the block that grew last, if it is open
        self.has_calls = False
        self.refused = False
        self._count = 0
        self._limit = max_argument_bytes
        self._mint = mint
        self._calls = {kind: CALLS[kind] for kind in CALLS if kind != "custom_tool_call" or not server_custom_tools}
        self._passed_over = INPUT if server_custom_tools else None  # what comes once more with its item
        self._roster = Roster()
        self._audio = NO_INDEX
        self._half = ""  # of a character of the transcript

    def announce(self, index: int, raw: dict[str, Any], out: list[Delta]) -> None:
        """Take in an item that begins."""
        kind, id = text(raw, "type"), text(raw, "id")
        item = self._roster.find_begun(kind, index, id)
        if item is not None and (item.done or item.announced) and id and item.known.get("id") == id:
            return  # announced twice
        if item is None or item.done or item.announced or item.type != kind:
            item = self._new(kind, index, id)
        item.announced, item.known = True, raw
        if kind == "reasoning":
            self._thinking(item, out)
        elif kind in self._calls and text(raw, "name"):
            self._call(item, raw, out)
        elif kind in IN_ONE_ITEM:
            out.append(BlockAdded(self._take_index(), read_announced(kind, raw)))

    def grow(self, event: str, index: int, id: str, at: int, piece: str, out: list[Delta]) -> None:
        """Take in a piece of text of the part `at` (`NO_INDEX` where it has no number)."""
        if event == self._passed_over:
            return
        item = self._open_item(event, index, id)
        if item.type in self._calls and not item.blocks:
            item.pending.append(piece)
        else:
            self._block(item, event, at, out).add(piece, out)

    def fill(self, event: str, index: int, id: str, at: int, whole: str, out: list[Delta]) -> None:
        """Take in all the text of a part, most of which has come before."""
        if event == self._passed_over:
            return
        item = self._roster.find(_TYPES[event], index, id)
        if item is not None and item.done:
            return
        item = item or self._open_item(event, index, id)
        if item.type in self._calls and not item.blocks:
            item.pending[:] = [whole]
        else:
            self._fill(item, event, at, whole, out)

    def cite(self, index: int, id: str, at: int, citation: Any, out: list[Delta]) -> None:
        """Add a source to a text."""
        item = self._open_item(TEXT, index, id)
        block = self._block(item, TEXT, at, out)
        block.cited += 1
        out.append(CitationAdded(block.index, citation))

    def audio(self, out: list[Delta], data: bytes = b"", transcript: str = "") -> None:
        """Add sound or transcript; they belong to no item, so an answer has one block of audio."""
        transcript, self._half = split_surrogate(self._half + transcript)
        if data or transcript:
            if self._audio == NO_INDEX:
                self._audio = self._take_index()
            out.append(AudioDelta(self._audio, data, rejoin(transcript)))

    def finish(self, index: int, raw: dict[str, Any], out: list[Delta]) -> None:
        """Take in an item as it is at its end: what never came of it goes out, and its blocks close."""
        kind, id = text(raw, "type"), text(raw, "id")
        item = self._roster.find(kind, index, id)
        if item is None or (item.done and item.id != id):
            item = self._new(kind, index, id)
        if not item.done:
            self._settle(item, raw, out)

    def settle(self, output: list[dict[str, Any]], out: list[Delta]) -> None:
        """Take in the whole output at the end of the answer; only what never came goes out."""
        for raw, came in self._roster.match(output):
            item = came or self._new(text(raw, "type"), NO_INDEX, text(raw, "id"))
            if not item.done:
                self._settle(item, raw, out)

    def close(self, out: list[Delta], *, cut: bool = False) -> None:
        """Close what is open, with what was announced of it; where text came, a text that was announced is none.

        `cut` says that the answer stopped on the way, so that what is open is not whole.
        """
        for item in self._roster:
            if not item.done:
                known = item.known
                if any(block.sent for block in item.blocks.values()):
                    known = {name: value for name, value in known.items() if name not in _TEXTS}
                self._settle(item, known | {"status": "incomplete"} if cut else known, out)
        self._release(out)

    def flush(self, out: list[Delta]) -> None:
        """Give out what was held back, leaving the blocks open."""
        for item in self._roster:
            for block in item.blocks.values():
                if not item.done:
                    block.flush(out)
        self._release(out)

    def _release(self, out: list[Delta]) -> None:
        """Give out half a character at the end of the transcript."""
        half, self._half = self._half, ""
        if half:
            self.audio(out, transcript=rejoin(half))

    # Finding.

    def _open_item(self, event: str, index: int, id: str) -> Item:
        item = self._roster.find(_TYPES[event], index, id)
        return self._new(_TYPES[event], index, id) if item is None or item.done else item

    def _new(self, kind: str, index: int, id: str) -> Item:
        self.newest = NO_BLOCK  # which may be one that this takes the place of
        return self._roster.add(kind, index, id)

    # Blocks.

    def _block(self, item: Item, event: str, at: int, out: list[Delta]) -> Any:
        """The block that a piece belongs to, opened where it is not there."""
        if item.type == "reasoning":
            block: Any = self._thinking(item, out)
            block.turn(event, at, out)
        elif item.type in self._calls:
            block = self._call(item, item.known, out)
        else:
            block = item.blocks.get(max(at, 0))
            if block is None or block.kind != event:
                if block is not None:  # one part is of one kind; what another puts there is a block of its own
                    block.stop(None, out)
                block = item.blocks[max(at, 0)] = TextBlock(self._take_index(), event, at, out)
                block.place = item.place
            self.refused = self.refused or event == REFUSAL
        self.newest = block
        return block

    def _thinking(self, item: Item, out: list[Delta]) -> ThinkingBlock:
        if 0 not in item.blocks:
            item.blocks[0] = ThinkingBlock(self._take_index(), out)
            item.blocks[0].place = item.place
        block: ThinkingBlock = item.blocks[0]
        return block

    def _call(self, item: Item, raw: dict[str, Any], out: list[Delta]) -> CallBlock:
        if 0 not in item.blocks:
            id = text(raw, "call_id") or text(raw, "id") or self._mint()
            event = CALLS[item.type][0]
            item.blocks[0] = CallBlock(self._take_index(), event, id, text(raw, "name"), self._limit, out)
            item.blocks[0].place = item.place
            item.blocks[0].add("".join(item.pending), out)
            item.pending.clear()
            self.has_calls = True
        block: CallBlock = item.blocks[0]
        return block

    def _fill(self, item: Item, event: str, at: int, whole: str, out: list[Delta]) -> None:
        if not whole:
            return
        block = self._block(item, event, at, out)
        if isinstance(block, ThinkingBlock):
            block.fill_part(event, at, whole, out)
        else:
            block.fill(whole, out)

    # Ends.

    def _settle(self, item: Item, raw: dict[str, Any], out: list[Delta]) -> None:
        """Give out what of the item has not come, and its end."""
        item.done, item.id = True, text(raw, "id")
        if item.type == "message":
            self._settle_message(item, raw, out)
        elif item.type == "reasoning":
            self._settle_thinking(item, raw, out)
        elif item.type in self._calls:
            block = self._call(item, raw, out)
            block.fill(_arguments(raw.get(CALLS[item.type][1])), out)
            if item.type == "function_call" and not block.sent and text(raw, "status") == "incomplete":
                block.add("{", out)  # no arguments at all would be those of a tool that takes none
            block.stop(item_extra(raw), out)
        elif item.type in IN_ONE_ITEM and raw is item.known:
            pass  # it was announced, and no more has come
        elif raw:
            part, extra = read_item(item.type, raw, text(item.known, "id"))
            out.append(BlockAdded(self._take_index(), part, extra=extra))
        self.newest = NO_BLOCK

    def _settle_message(self, item: Item, raw: dict[str, Any], out: list[Delta]) -> None:
        content = listed(raw, "content")
        extra = item_extra(raw)
        numbers = sorted(item.blocks)
        shifted = bool(numbers) and numbers[-1] >= len(content)  # they count from another number
        for at, part in enumerate(content):
            at = (numbers[at] if at < len(numbers) else numbers[-1] + at + 1) if shifted else at
            kind = text(part, "type")
            if kind in _SPOKEN:
                event, field = PARTS[kind]
                fresh = at not in item.blocks
                self._fill(item, event, at, text(part, field), out)
                self._settle_part(item, at, part, fresh, out)
            else:
                out.append(BlockAdded(self._take_index(), RawPart(part), extra=extra))
        for block in item.blocks.values():
            block.stop(extra, out)

    def _settle_part(self, item: Item, at: int, part: dict[str, Any], fresh: bool, out: list[Delta]) -> None:
        """Give out the sources and the log probabilities that have not come."""
        sources = part.get("annotations") or []
        if not isinstance(sources, list):
            raise msgspec.ValidationError("`annotations` is not a list")
        if sources:
            block = item.blocks.get(at) or self._block(item, TEXT, at, out)
            out.extend([CitationAdded(block.index, source) for source in sources[block.cited :]])
        if fresh and part.get("logprobs") and isinstance(part["logprobs"], list):
            out.append(Logprobs(part["logprobs"]))

    def _settle_thinking(self, item: Item, raw: dict[str, Any], out: list[Delta]) -> None:
        block = self._thinking(item, out)
        for field, event in _THINKING:
            came = [at for kind, at in block.parts if kind == event]
            for place, part in enumerate(listed(raw, field)):
                at = came[place] if place < len(came) else max([*came, NO_INDEX]) + 1 + place - len(came)
                block.fill_part(event, at, text(part, "text"), out)
        signature = text(raw, "encrypted_content") or None
        block.stop(signature, thinking_extra(raw, block.texts()), out)

    def _take_index(self) -> int:
        self._count += 1
        return self._count - 1


# The type of item that each piece belongs to.
_TYPES = {
    TEXT: "message",
    REFUSAL: "message",
    REASONING: "reasoning",
    SUMMARY: "reasoning",
    **{event: kind for kind, (event, _) in CALLS.items()},
}


def _arguments(value: Any) -> str:
    """The arguments of a call, which some servers send as an object."""
    return value if isinstance(value, str) else "" if value is None else compact_json(value)
