"""The blocks of a Responses answer that go out piece by piece: text, refusals, calls and thinking."""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.deltas import (
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
from streamkit.protocols.lenient import decode_value, rejoin, split_surrogate
from streamkit.protocols.openai_responses.events import ARGUMENTS, INPUT, REASONING, TEXT
from streamkit.protocols.openai_responses.views import NO_INDEX

__all__ = [
    "NO_BLOCK",
    "SEPARATOR",
    "Block",
    "CallBlock",
    "TextBlock",
    "ThinkingBlock",
]

# What stands between two parts of the thinking of one item: each is a paragraph, often with a heading.
SEPARATOR = "\n\n"


class Block:
    """A block that is open.

    An event of type `takes` with the output index `place` (None: its events have none) and the numbers `content` and
    `summary` is more of its text: a reader may give it out itself as `piece(index, text)`, which it tells the block by
    `keep(text)`, and where there is a `limit` by `count(text)` before. `takes` is None while half a surrogate pair is
    held back, which must go first.
    """

    __slots__ = (
        "content",
        "half",
        "index",
        "keep",
        "kind",
        "limit",
        "piece",
        "pieces",
        "place",
        "size",
        "summary",
        "takes",
    )

    def __init__(self, index: int, kind: str, piece: type[Any], *, content: int = NO_INDEX, limit: int = 0) -> None:
        self.index = index
        self.kind = kind
        self.takes: str | None = kind or None
        self.piece = piece
        self.place: int | None = None
        self.content = content
        self.summary = NO_INDEX
        self.limit = limit
        self.size = 0  # bytes of arguments so far
        self.pieces: list[str] = []  # what went out
        self.keep = self.pieces.append
        self.half = ""

    @property
    def sent(self) -> str:
        """All that went out."""
        if len(self.pieces) > 1:
            self.pieces[:] = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def add(self, text: str, out: list[Delta]) -> None:
        """Give out more text, but for half a surrogate pair at its end."""
        text, self.half = split_surrogate(self.half + text)
        self.takes = None if self.half else self.kind
        if text:
            text = rejoin(text)
            self.count(text)
            self.pieces.append(text)
            out.append(self.piece(self.index, text))

    def count(self, text: str) -> None:
        """Add to the size of a call's arguments; raises `ProtocolError` over the limit."""
        if self.limit:
            self.size += len(text) if text.isascii() else len(text.encode())
            if self.size > self.limit:
                raise ProtocolError(
                    f"the arguments of a call are longer than max_argument_bytes ({self.limit}); "
                    "set Limits.max_argument_bytes if they must be"
                )

    def fill(self, whole: str, out: list[Delta]) -> None:
        """Let `whole` be all of the text: what never came goes out, and where another came it is replaced.

        An empty text says nothing: some servers leave it out.
        """
        self.flush(out)
        sent, whole = self.sent, rejoin(whole)
        if whole == sent or not whole:
            return
        if whole.startswith(sent):
            self.add(whole[len(sent) :], out)
        elif not self.is_same(sent, whole):
            self.size = 0
            self.count(whole)
            self.pieces[:] = [whole]
            out.append(Replace(self.index, whole))

    def is_same(self, sent: str, whole: str) -> bool:
        """Whether two texts that differ say the same."""
        return False

    def flush(self, out: list[Delta]) -> None:
        """Give out what was held back."""
        if self.half:
            self.half, self.takes = "", self.kind
            self.pieces.append("\ufffd")
            out.append(self.piece(self.index, "\ufffd"))


# Stands for the block where there is none: no event is more of it.
NO_BLOCK = Block(NO_INDEX, "", TextDelta)


class TextBlock(Block):
    """A part of a message: text, or the text of a refusal."""

    __slots__ = ("cited",)

    def __init__(self, index: int, kind: str, content: int, out: list[Delta]) -> None:
        super().__init__(index, kind, TextDelta if kind == TEXT else RefusalDelta, content=content)
        self.cited = 0  # how many sources went out
        out.append(TextStart(index) if kind == TEXT else RefusalStart(index))

    def stop(self, extra: dict[str, Any] | None, out: list[Delta]) -> None:
        """Give out the end."""
        self.flush(out)
        out.append((TextEnd if self.kind == TEXT else RefusalEnd)(self.index, extra=extra))


class CallBlock(Block):
    """A call of a function, or of a custom tool, whose input is free text."""

    __slots__ = ()

    def __init__(self, index: int, kind: str, id: str, name: str, limit: int, out: list[Delta]) -> None:
        super().__init__(index, kind, ToolCallDelta, limit=limit)
        out.append(ToolCallStart(index, id, name, kind == INPUT))

    def is_same(self, sent: str, whole: str) -> bool:
        """Whether both are one JSON value, which servers write anew at the end."""
        try:
            return self.kind == ARGUMENTS and bool(decode_value(sent) == decode_value(whole))
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            return False

    def stop(self, extra: dict[str, Any] | None, out: list[Delta]) -> None:
        """Give out the end."""
        self.flush(out)
        out.append(ToolCallEnd(self.index, extra=extra))


class ThinkingBlock(Block):
    """The thinking of one item: its summary in parts, its text in parts, or both, with `SEPARATOR` between them."""

    __slots__ = ("parts",)

    def __init__(self, index: int, out: list[Delta]) -> None:
        super().__init__(index, "", ThinkingDelta)
        self.parts: dict[tuple[str, int], list[str]] = {}  # what went out of each, in the order of coming
        out.append(ThinkingStart(index))

    def turn(self, kind: str, at: int, out: list[Delta]) -> None:
        """Let part number `at` of the summary or of the text be the one that grows."""
        if kind == self.kind and at == (self.content if kind == REASONING else self.summary):
            return
        self.flush(out)
        self.kind = self.takes = kind
        self.content, self.summary = (at, NO_INDEX) if kind == REASONING else (NO_INDEX, at)
        self.pieces = self.parts.setdefault((kind, max(at, 0)), [])
        self.keep = self.pieces.append
        if not self.pieces:
            self.takes = None  # until the separator is out

    def add(self, text: str, out: list[Delta]) -> None:
        """Give out more of the part that grows."""
        if text and not (self.pieces or self.half) and any(self.parts.values()):
            out.append(ThinkingDelta(self.index, SEPARATOR))
        super().add(text, out)

    def fill_part(self, kind: str, at: int, whole: str, out: list[Delta]) -> None:
        """Let `whole` be all of a part: what never came goes out; thinking that went out is not taken back."""
        self.turn(kind, at, out)
        self.flush(out)
        sent, whole = self.sent, rejoin(whole)
        if whole.startswith(sent):
            self.add(whole[len(sent) :], out)
            self.flush(out)

    def texts(self) -> list[str]:
        """Return what went out of each part that has text, in order."""
        return ["".join(pieces) for pieces in self.parts.values() if pieces]

    def stop(self, signature: str | None, extra: dict[str, Any] | None, out: list[Delta]) -> None:
        """Give out the end."""
        self.flush(out)
        out.append(ThinkingEnd(self.index, signature=signature, extra=extra))
