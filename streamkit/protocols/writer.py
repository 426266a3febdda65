"""Block bookkeeping for dialects whose streams do not say where a block begins and ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    CitationAdded,
    Delta,
    RefusalDelta,
    RefusalEnd,
    RefusalStart,
    Replace,
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
from streamkit.limits import Limits
from streamkit.parts import CitationPart, Part
from streamkit.protocols.lenient import rejoin, split_surrogate

__all__ = ["BlockWriter", "Kind", "Seal"]

Kind: TypeAlias = Literal["text", "thinking", "refusal"]

# What a block of thinking is closed with: its signature, and what else the provider wants back.
Seal = Callable[[], tuple[str | None, dict[str, Any] | None]]

_STARTS: dict[Kind, type[TextStart] | type[ThinkingStart] | type[RefusalStart]] = {
    "text": TextStart,
    "thinking": ThinkingStart,
    "refusal": RefusalStart,
}
_PIECES: dict[Kind, type[TextDelta] | type[ThinkingDelta] | type[RefusalDelta]] = {
    "text": TextDelta,
    "thinking": ThinkingDelta,
    "refusal": RefusalDelta,
}
_ENDS: dict[Kind, type[TextEnd] | type[ThinkingEnd] | type[RefusalEnd]] = {
    "text": TextEnd,
    "thinking": ThinkingEnd,
    "refusal": RefusalEnd,
}


class BlockWriter:
    """Pieces of one choice → blocks with dense indices, in the order of opening.

    One block of text, thinking or refusal is open at a time: a piece of another kind closes it, and so does a call
    or a part that comes whole. Calls stay open until `end_call` or `close`, since later pieces may still belong to
    them. Of a surrogate pair split over two pieces the first half is held back until the second comes; a lone half
    becomes U+FFFD. Every method appends to `out`.
    """

    def __init__(
        self,
        choice: int,
        *,
        mint: Callable[[], str],
        limits: Limits,
        seal: Seal | None = None,
        direct: bool = True,
    ) -> None:
        """`mint` makes the id of a call that has none; `seal` is asked when a block of thinking closes.

        `direct` lets `ready` be used; a dialect that must see all text itself turns it off.
        """
        self.choice = choice
        self.size = 0  # how many blocks there are
        self.kind: Kind | None = None  # of the open block of text, thinking or refusal
        self.index = -1  # of that block
        self.ready = -1  # the same while a caller may append its own TextDelta with clean text, else -1
        self._mint = mint
        self._limit = limits.max_argument_bytes
        self._seal = seal
        self._direct = direct
        self._half = ""
        self._calls: dict[int, _OpenCall] = {}
        self._audio = -1

    def write(self, out: list[Delta], kind: Kind, piece: str) -> None:
        """Add a piece of text, thinking or refusal; an empty one says nothing."""
        if not piece:
            return
        if self.kind != kind:
            self.open(out, kind)
        if self._half or not piece.isascii():
            piece, self._half = _pair(self._half, piece)
        if piece:
            out.append(_PIECES[kind](self.index, piece, choice=self.choice))
        if kind == "text" and self._direct:
            self.ready = -1 if self._half else self.index

    def open(self, out: list[Delta], kind: Kind) -> None:
        """Open a block of `kind`, unless it is the open one; for a block that may have no text of its own."""
        if self.kind != kind:
            self.close_open(out)
            self.kind, self.index = kind, self._next()
            out.append(_STARTS[kind](self.index, choice=self.choice))

    def close_open(
        self, out: list[Delta], *, signature: str | None = None, extra: dict[str, Any] | None = None
    ) -> None:
        """Close the open block of text, thinking or refusal, if there is one, with what the provider wants back."""
        if self.kind is None:
            return
        self._release_text(out)
        if self._seal and self.kind == "thinking":
            signature, extra = self._seal()
        out.append(_ENDS[self.kind](self.index, choice=self.choice, signature=signature, extra=extra))
        self.kind, self.index, self.ready = None, -1, -1

    def replace(self, out: list[Delta], index: int, text: str) -> None:
        """Let `text` be all of the text, thinking or arguments of the block at `index`."""
        if index == self.index:
            text, self._half = _pair("", text)
            self.ready = -1
        elif index in self._calls:
            call = self._calls[index]
            call.size = 0
            self._grow(call, text)
            text, call.half = _pair("", text)
        out.append(Replace(index, rejoin(text), choice=self.choice))

    def add(self, out: list[Delta], part: Part, *, signature: str | None = None) -> int:
        """Add a block that came whole; returns its index."""
        self.close_open(out)
        out.append(BlockAdded(self._next(), part, choice=self.choice, signature=signature))
        return self.size - 1

    def audio(
        self,
        out: list[Delta],
        data: bytes = b"",
        transcript: str = "",
        *,
        id: str | None = None,
        expires_at: int | None = None,
        format: str | None = None,
    ) -> None:
        """Add sound or transcript; a choice has one block of audio."""
        if self._audio < 0:
            self.close_open(out)
            self._audio = self._next()
        out.append(AudioDelta(self._audio, data, transcript, id, expires_at, format, choice=self.choice))

    def cite(self, out: list[Delta], citation: Any) -> None:
        """Add a source: to the open text, else as a block of its own."""
        if self.kind == "text":
            out.append(CitationAdded(self.index, citation, choice=self.choice))
        else:
            self.add(out, CitationPart(citation))

    def open_call(self, out: list[Delta], id: str | None, name: str, *, custom: bool = False) -> int:
        """Open a call, with a minted id where `id` is empty; returns its index."""
        self.close_open(out)
        index = self._next()
        self._calls[index] = _OpenCall(name)
        out.append(ToolCallStart(index, rejoin(id) if id else self._mint(), name, custom, choice=self.choice))
        return index

    def arguments(self, out: list[Delta], index: int, piece: str) -> None:
        """Add to the arguments of the call at `index`.

        Raises `ProtocolError` where they are longer than `Limits.max_argument_bytes`.
        """
        call = self._calls[index]
        self._grow(call, piece)
        if call.half or not piece.isascii():
            piece, call.half = _pair(call.half, piece)
        if piece:
            out.append(ToolCallDelta(index, piece, choice=self.choice))

    def mark_call(self, index: int, extra: dict[str, Any]) -> None:
        """Let the end of the call at `index` carry `extra`, for the provider to get back."""
        self._calls[index].extra = extra

    def end_call(
        self, out: list[Delta], index: int, *, signature: str | None = None, extra: dict[str, Any] | None = None
    ) -> None:
        """Close the call at `index`, to which nothing more may come."""
        self._release_call(out, index, self._calls.pop(index))
        out.append(ToolCallEnd(index, choice=self.choice, signature=signature, extra=extra))

    def close(self, out: list[Delta]) -> None:
        """Close every block, in the order of the indices."""
        for index in list(self._calls):
            if 0 <= self.index < index:
                self.close_open(out)
            call = self._calls.pop(index)
            self._release_call(out, index, call)
            out.append(ToolCallEnd(index, choice=self.choice, extra=call.extra))
        self.close_open(out)

    def release(self, out: list[Delta]) -> None:
        """Append what is held back, where the stream breaks off and no block will be closed."""
        self._release_text(out)
        for index, call in self._calls.items():
            self._release_call(out, index, call)

    def _next(self) -> int:
        self.size += 1
        return self.size - 1

    def _grow(self, call: _OpenCall, piece: str) -> None:
        call.size += len(piece) if piece.isascii() else len(piece.encode("utf-8", "surrogatepass"))
        if call.size > self._limit:
            raise ProtocolError(
                f"the arguments of the call of {call.name!r} are longer than max_argument_bytes ({self._limit})"
            )

    def _release_text(self, out: list[Delta]) -> None:
        if self._half and self.kind:
            out.append(_PIECES[self.kind](self.index, rejoin(self._half), choice=self.choice))
            self._half = ""

    def _release_call(self, out: list[Delta], index: int, call: _OpenCall) -> None:
        if call.half:
            out.append(ToolCallDelta(index, rejoin(call.half), choice=self.choice))
            call.half = ""


class _OpenCall:
    __slots__ = ("extra", "half", "name", "size")

    def __init__(self, name: str) -> None:
        self.name = name
        self.size = 0  # bytes of arguments so far
        self.half = ""
        self.extra: dict[str, Any] | None = None


def _pair(half: str, piece: str) -> tuple[str, str]:
    """Return what can be given out of `half` and `piece`, and the half of a pair that must wait."""
    text, half = split_surrogate(half + piece)
    return rejoin(text), half
