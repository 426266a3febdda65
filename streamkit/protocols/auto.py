"""The mode of a gateway that nobody knows, found out from what it sends.

A known server's mode is never guessed: `"a"`, `"and"` may be two increments. Here a caller has asked for it, and the
proof is a strong one.
"""

from __future__ import annotations

import logging
from typing import Any

from streamkit.deltas import Delta, RefusalDelta, TextDelta, ThinkingDelta, ToolCallDelta
from streamkit.errors import ConfigError, StreamkitError
from streamkit.protocols.base import Parser

__all__ = ["AutoParser"]

logger = logging.getLogger("streamkit")

# That records hold all so far is proven by so many in a row that each begin with the one before and go on, once they
# are so many characters long.
_EXTENSIONS = 3
_CHARACTERS = 32

_PIECES = (TextDelta, ThinkingDelta, RefusalDelta, ToolCallDelta)


class AutoParser(Parser):
    """The bytes of one response in a dialect of two modes → deltas, none of which comes before the mode is known.

    They are read as increments until they prove to be snapshots; the first piece that does not begin with the one
    before it proves them increments, and so does the end. Either is logged, as debug.
    """

    def __init__(self, kind: type[Parser], options: dict[str, Any]) -> None:
        """`options` are those of `kind`, whatever the mode; raises `ConfigError` where it has only one."""
        super().__init__(framing=options.get("framing") or kind.framing)
        if not {"incremental", "cumulative"} <= set(kind.modes):
            raise ConfigError(f"{kind.protocol} has one mode, {kind.modes[0]}, so there is none to find out")
        self._kind = kind
        self._options = {name: value for name, value in options.items() if name != "mode"}
        self._spoken = kind(**self._options, mode="incremental")
        self._known = False
        self._body: list[bytes] = []  # all that came until the mode was known
        self._held: list[Delta] = []  # what it says in increments
        # Of each text and call, the last piece, and how many before it began with the one before them.
        self._last: dict[tuple[type, int, int], tuple[str, int]] = {}

    @property
    def protocol(self) -> str:  # type: ignore[override]  # of this one body
        """The dialect that is read."""
        return self._kind.protocol

    @property
    def heartbeats(self) -> int:
        return self._spoken.heartbeats

    def feed(self, data: bytes) -> list[Delta]:
        out = self._spoken.feed(data)
        if not self._known:
            self._body.append(data)
            out = self._judge(out)
        self.ended = self._spoken.ended
        return out

    def finish(self) -> list[Delta]:
        try:
            out = self._spoken.finish()
        except StreamkitError as error:
            error.deltas[:0] = self._give()
            raise
        return self._give() + out

    def _judge(self, deltas: list[Delta]) -> list[Delta]:
        """Return what can be given out: nothing while the mode is not known."""
        self._held += deltas
        for delta in deltas:
            if isinstance(delta, _PIECES):
                mode = self._mode_by(delta)
                if mode is not None:
                    return self._settle(mode)
        return self._settle("incremental") if self._spoken.ended else []

    def _mode_by(self, delta: TextDelta | ThinkingDelta | RefusalDelta | ToolCallDelta) -> str | None:
        """The mode that a piece proves, None where it proves none."""
        piece = delta.arguments if isinstance(delta, ToolCallDelta) else delta.text.rstrip("\ufffd")
        # A text may be in several blocks, as where thinking comes again with each record.
        place = type(delta), delta.choice, delta.index if isinstance(delta, ToolCallDelta) else 0
        before, count = self._last.get(place, ("", -1))
        if not piece or piece == before:
            return None
        if not piece.startswith(before):
            return "incremental"
        self._last[place] = piece, count + 1
        return "cumulative" if count + 1 >= _EXTENSIONS and len(piece) >= _CHARACTERS else None

    def _settle(self, mode: str) -> list[Delta]:
        logger.debug("the records of %s are read as %s", self._spoken.provider or self.protocol, mode)
        if mode == "incremental":
            return self._give()
        self._known = True
        self._held.clear()
        self._spoken = self._kind(**self._options, mode=mode)
        body, self._body = b"".join(self._body), []
        return self._spoken.feed(body)

    def _give(self) -> list[Delta]:
        """Return what was held back, as increments."""
        self._known = True
        held, self._held = self._held, []
        self._body.clear()
        return held
