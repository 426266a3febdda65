"""A body in one of several dialects, which its first known frame tells: vendors serve more than one at an address."""

from __future__ import annotations

from typing import Any

from streamkit.deltas import Delta, UnknownFrame
from streamkit.protocols.base import Parser
from streamkit.wire import Frame

__all__ = ["EitherParser"]


class EitherParser(Parser):
    """The bytes of one response in the dialect of `first`, or in one of `others` that the first known frame names.

    A dialect is taken at its own word (`Parser.claims`), never for what is absent; `protocol` is the first's until
    then, which passes on what nobody knows. All have the framing of the first.
    """

    def __init__(self, first: type[Parser], *others: type[Parser], framing: str | None = None, **options: Any) -> None:
        super().__init__(framing=framing or first.framing, **options)
        self._options = options
        self._others = others
        self._spoken = first(**options)
        self._is_told = False

    @property
    def protocol(self) -> str:  # type: ignore[override]  # of this one body
        """The dialect that the body is read in."""
        return self._spoken.protocol

    @property
    def heartbeats(self) -> int:
        return self._decoder.heartbeats + self._spoken._pings

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        at = 0
        while at < len(frames) and not self._is_told:
            self._read_first(frames[at], out)
            at += 1
        self._spoken._read(frames[at:], out)
        self.ended = self._spoken.ended

    def _read_first(self, frame: Frame, out: list[Delta]) -> None:
        """Read a frame while none has said anything that the first dialect, or one of the others, knows."""
        kind = next((other for other in self._others if other.claims(frame)), None)
        self._spoken = kind(**self._options) if kind else self._spoken
        said: list[Delta] = []
        try:
            self._spoken._read([frame], said)
        finally:
            out += said
        self._is_told = kind is not None or any(type(delta) is not UnknownFrame for delta in said)

    def _end(self, out: list[Delta]) -> None:
        self._spoken._end(out)

    def _flush(self, out: list[Delta]) -> None:
        self._spoken._flush(out)
