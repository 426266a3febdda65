"""The blocks of an Anthropic answer while they are open.

The wire's `index` only tells open blocks apart: it may have gaps, start anywhere and come again after a stop. Text,
thinking and calls go out piece by piece. All else goes out whole: at its start where nothing can follow, else at its
stop, with what its deltas said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from streamkit.deltas import (
    BlockAdded,
    CitationAdded,
    Delta,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from streamkit.errors import ProtocolError
from streamkit.parts import Part, RawPart, ServerToolPart
from streamkit.protocols.lenient import decode_lenient, decode_value, rejoin, split_surrogate
from streamkit.protocols.values import scrub

__all__ = ["Blocks", "CollectedBlock", "StreamedBlock"]

# The delta types, and the field that each has its text in.
TEXT_FIELDS = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}
# The block that a delta of an unknown block opens. A call cannot be opened so: it has no name.
_OPENS = {
    "text_delta": "text",
    "citations_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "thinking",
}
_KNOWN_DELTAS = {*TEXT_FIELDS, *_OPENS, "compaction_delta"}
_OF_CALLS = {"type", "id", "name", "input"}
_SERVER_CALLS = {"server_tool_use", "mcp_tool_use"}


class Blocks:
    """The open blocks of one answer, by their index on the wire.

    Each method appends the deltas that it makes. A block of a known type with a broken shape raises
    `msgspec.ValidationError`.
    """

    def __init__(self, max_argument_bytes: int, mint: Callable[[], str]) -> None:
        self.open: dict[int, StreamedBlock] = {}
        self._collected: dict[int, CollectedBlock] = {}
        self.has_calls = False
        self.count = 0  # of the blocks that went out, which is the next dense index
        self._limit = max_argument_bytes
        self._mint = mint
        self._server_calls: dict[str, str] = {}  # names by id

    def reset(self) -> None:
        """Forget all blocks."""
        self.open.clear()
        self._collected.clear()
        self._server_calls.clear()
        self.has_calls = False
        self.count = 0

    def start(self, key: int, block: dict[str, Any], out: list[Delta]) -> None:
        """Open `block` as the wire's number `key`."""
        self.stop(key, out)
        kind = _string(block, "type")
        if kind == "text":
            self._start_text(key, block, out)
        elif kind == "thinking":
            self._start_thinking(key, block, out)
        elif kind == "tool_use":
            self._start_call(key, block, out)
        elif kind == "redacted_thinking":
            index = self._take_index()
            out += (ThinkingStart(index), ThinkingEnd(index, extra={"opaque": block}))
        elif kind.endswith("_tool_result"):
            out.append(BlockAdded(self._take_index(), self._result(kind, block)))
        else:
            if kind in _SERVER_CALLS:
                self._server_calls[_optional(block, "id")] = _string(block, "name")
            self._collected[key] = CollectedBlock(block, self._limit)

    def delta(self, key: int, delta: dict[str, Any], out: list[Delta]) -> bool:
        """Take in a delta of block `key`; False where it is of an unknown type."""
        kind = _string(delta, "type")
        if kind not in _KNOWN_DELTAS:
            return False
        block = self.open.get(key) or self._collected.get(key)
        if block is not None and block.takes(kind):
            block.take(kind, delta, out)
            return True
        opens = _OPENS.get(kind)
        if opens is None or (block is not None and block.is_call):
            raise msgspec.ValidationError(f"{kind} for block {key}, which is not open or takes none")
        self.start(key, {"type": opens}, out)
        self.open[key].take(kind, delta, out)
        return True

    def stop(self, key: int, out: list[Delta]) -> None:
        """Close block `key` if it is open."""
        if streamed := self.open.pop(key, None):
            streamed.stop(out)
        if collected := self._collected.pop(key, None):
            out.append(BlockAdded(self._take_index(), self._part(collected.finished())))

    def stop_all(self, out: list[Delta]) -> None:
        """Close what is open."""
        for key in (*self.open, *self._collected):
            self.stop(key, out)

    def flush(self, out: list[Delta]) -> None:
        """Give out what was held back, leaving the blocks open."""
        for block in self.open.values():
            block.flush(out)

    def _start_text(self, key: int, block: dict[str, Any], out: list[Delta]) -> None:
        text = _optional(block, "text")
        citations = block.get("citations") or []
        if not isinstance(citations, list):
            raise msgspec.ValidationError("`citations` is not a list")
        index = self._take_index()
        opened = self.open[key] = StreamedBlock(index, "text_delta", TextDelta, TextEnd)
        out.append(TextStart(index))
        out.extend([CitationAdded(index, citation) for citation in citations])
        opened.append(text, out)

    def _start_thinking(self, key: int, block: dict[str, Any], out: list[Delta]) -> None:
        text, signature = _optional(block, "thinking"), _optional(block, "signature")
        index = self._take_index()
        opened = self.open[key] = StreamedBlock(index, "thinking_delta", ThinkingDelta, ThinkingEnd)
        opened.signature = signature or None
        out.append(ThinkingStart(index))
        opened.append(text, out)

    def _start_call(self, key: int, block: dict[str, Any], out: list[Delta]) -> None:
        id, name = _optional(block, "id") or self._mint(), _string(block, "name")
        given = block.get("input")  # {} stands for what follows, any other is the input unless deltas follow after all
        index = self._take_index()
        opened = self.open[key] = StreamedBlock(index, "input_json_delta", ToolCallDelta, ToolCallEnd, self._limit)
        opened.hold(given if isinstance(given, str) else msgspec.json.encode(given).decode() if given else "")
        opened.extra = {k: v for k, v in block.items() if k not in _OF_CALLS and v is not None} or None
        out.append(ToolCallStart(index, id, name))
        self.has_calls = True

    def _result(self, kind: str, block: dict[str, Any]) -> Part:
        id = _optional(block, "tool_use_id")
        name = self._server_calls.get(id) or kind.removesuffix("_tool_result")
        return ServerToolPart("result", id, name, block)

    def _part(self, block: dict[str, Any]) -> Part:
        if block["type"] not in _SERVER_CALLS:
            return RawPart(block)
        id = block.get("id") or ""
        return ServerToolPart("call", id, self._server_calls[id], block)

    def _take_index(self) -> int:
        self.count += 1
        return self.count - 1


class StreamedBlock:
    """Text, thinking or a call, which go out piece by piece.

    `fast` is the delta type whose text may go out as it is; "" while something is held back that must go first.
    """

    __slots__ = ("end", "extra", "fast", "half", "index", "kind", "limit", "piece", "prefill", "signature", "size")

    def __init__(
        self, index: int, kind: str, piece: Callable[[int, str], Delta], end: Callable[..., Delta], limit: int = 0
    ) -> None:
        self.index = index
        self.kind = self.fast = kind
        self.piece = piece
        self.end = end
        self.limit = limit
        self.size = 0  # bytes of arguments so far
        self.half = ""  # of a surrogate pair whose other half has not come
        self.prefill = ""  # arguments that came with the start
        self.signature: str | None = None
        self.extra: dict[str, Any] | None = None

    @property
    def is_call(self) -> bool:
        """Whether it is a call, which only its stop may end."""
        return self.kind == "input_json_delta"

    def takes(self, kind: str) -> bool:
        """Whether a delta of this type belongs to such a block."""
        return kind in (self.kind, "signature_delta") or (kind == "citations_delta" and self.kind == "text_delta")

    def take(self, kind: str, delta: dict[str, Any], out: list[Delta]) -> None:
        """Take in a delta that this block takes."""
        if kind == "signature_delta":
            self.signature = _string(delta, "signature") or self.signature
        elif kind == "citations_delta":
            out.append(CitationAdded(self.index, _citation(delta)))
        else:
            self.append(_string(delta, TEXT_FIELDS[kind]), out)

    def append(self, text: str, out: list[Delta]) -> None:
        """Give out more text, except for half a surrogate pair at its end."""
        if not text:
            return
        self.prefill = ""
        text, self.half = split_surrogate(self.half + text)
        self.fast = "" if self.half else self.kind
        if text:
            text = rejoin(text)
            self.count(text)
            out.append(self.piece(self.index, text))

    def hold(self, arguments: str) -> None:
        """Keep arguments that came with the start until it is clear that no others follow."""
        self.prefill = arguments
        self.fast = "" if arguments else self.kind

    def count(self, text: str) -> None:
        """Add to the size of a call's arguments; raises `ProtocolError` over the limit."""
        if self.limit:
            self.size += len(text) if text.isascii() else len(text.encode())
            if self.size > self.limit:
                raise _too_long("the arguments of a call are", self.limit)

    def flush(self, out: list[Delta]) -> None:
        """Give out what was held back."""
        if self.half:
            self.half, self.fast = "", self.kind
            out.append(self.piece(self.index, "\ufffd"))
        self.append(self.prefill, out)

    def stop(self, out: list[Delta]) -> None:
        """Give out the end."""
        self.flush(out)
        out.append(self.end(self.index, signature=self.signature, extra=self.extra))


class CollectedBlock:
    """A block that goes out whole, with what its deltas said."""

    __slots__ = ("block", "citations", "limit", "pieces", "size")
    is_call = False

    def __init__(self, block: dict[str, Any], limit: int) -> None:
        self.block = dict(block)
        self.limit = limit
        self.size = 0
        self.pieces: dict[str, list[str]] = {}
        self.citations: list[Any] = []

    def takes(self, kind: str) -> bool:
        """Any delta belongs to such a block."""
        return True

    def take(self, kind: str, delta: dict[str, Any], out: list[Delta]) -> None:
        """Take in a delta of a known type; nothing goes out."""
        if kind in TEXT_FIELDS:
            piece = _string(delta, TEXT_FIELDS[kind])
            self.size += len(piece.encode("utf-8", "surrogatepass"))
            if self.size > self.limit:
                raise _too_long(f"a block of type {self.block['type']} is", self.limit)
            self.pieces.setdefault(TEXT_FIELDS[kind], []).append(piece)
        elif kind == "citations_delta":
            self.citations.append(_citation(delta))
        else:  # a signature or a compaction, which replace
            self.block.update((name, value) for name, value in delta.items() if name != "type")

    def finished(self) -> dict[str, Any]:
        """Return the block as it would have come without streaming."""
        for field, pieces in self.pieces.items():
            text = rejoin("".join(pieces))
            if field != "partial_json":
                given = self.block.get(field)
                self.block[field] = given + text if isinstance(given, str) else text
            elif text.strip():
                self.block["input"] = _json(text)
        if self.citations:
            given = self.block.get("citations")
            self.block["citations"] = [*given, *self.citations] if isinstance(given, list) else self.citations
        return self.block


def _json(text: str) -> Any:
    """The input of a call; the text itself where it was cut short."""
    try:
        return decode_value(text)
    except (msgspec.DecodeError, RecursionError):
        try:
            return scrub(decode_lenient(text.encode(), object))
        except (ProtocolError, RecursionError):
            return text


def _too_long(what: str, limit: int) -> ProtocolError:
    return ProtocolError(
        f"{what} longer than max_argument_bytes ({limit}); set Limits.max_argument_bytes if it must be"
    )


def _citation(delta: dict[str, Any]) -> Any:
    if delta.get("citation") is None:
        raise msgspec.ValidationError("`citation` is missing")
    return delta["citation"]


def _string(value: dict[str, Any], field: str) -> str:
    """The text at `field`, which must be there; null is none."""
    found = value[field] if field in value else msgspec.UNSET
    if found is None:
        return ""
    if not isinstance(found, str):
        raise msgspec.ValidationError(f"`{field}` is not a text")
    return found


def _optional(value: dict[str, Any], field: str) -> str:
    return _string(value, field) if field in value else ""
