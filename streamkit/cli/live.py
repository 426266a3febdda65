"""A stream of deltas on the screen as it comes: thinking, text, calls while their arguments grow, tool results."""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.cli.screen import Screen
from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    Delta,
    MessageEnd,
    MessageStart,
    RefusalDelta,
    RefusalEnd,
    RefusalStart,
    Replace,
    Retract,
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
from streamkit.parts import ValuePart

__all__ = ["Live"]

THINKING, CALL, RESULT, WARNING = "dim italic", "cyan", "green", "yellow"
# How much of a tool's result is shown, in characters; the model gets it all.
SHOWN = 2000


class _Block:
    """One block on its way to the screen; `waiting` is what is not there yet, its prefix first."""

    __slots__ = ("ended", "style", "waiting")

    def __init__(self, style: str, prefix: str = "") -> None:
        self.style = style
        self.waiting = [prefix]
        self.ended = False


class Live:
    """Shows deltas on `screen`; `close` where a stream ends before its message does.

    A terminal that only appends can grow one block at a time. The others that are open (parallel calls, further
    choices) wait, and are shown in the order in which they began.
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._blocks: dict[tuple[int, int], _Block] = {}  # the open ones; the first is on the screen

    def show(self, delta: Delta) -> None:
        """Show what `delta` adds; those that add nothing to see are passed over."""
        match delta:
            case TextDelta(text=text) | ThinkingDelta(text=text) | RefusalDelta(text=text):
                self._grow(delta, text)
            case ToolCallDelta(arguments=text):
                self._grow(delta, text)
            case TextStart():
                self._begin(delta, _Block(""))
            case ThinkingStart():
                self._begin(delta, _Block(THINKING))
            case RefusalStart():
                self._begin(delta, _Block(WARNING))
            case ToolCallStart(name=name):
                self._begin(delta, _Block(CALL, f"→ {name} "))
            case TextEnd() | ThinkingEnd() | RefusalEnd() | ToolCallEnd():
                self._end(delta)
            case Replace(text=text):
                if (delta.choice, delta.index) in self._blocks:
                    self._grow(delta, f"\n[revised] {text}")
                else:
                    self._begin(delta, _Block("", f"[revised] {text}"))
                    self._end(delta)
            case AudioDelta(transcript=text):
                if (delta.choice, delta.index) not in self._blocks:
                    self._begin(delta, _Block("", "[audio] "))
                self._grow(delta, text)
            case BlockAdded(part=part):
                self._begin(delta, _Block(RESULT, f"← {_shown(part)}"))
                self._end(delta)
            case MessageStart():
                self.close()
            case Retract(reason=reason):
                self.close()
                self._screen.line(f"[the answer begins again{': ' if reason else ''}{reason}]", WARNING)
            case MessageEnd(finish_reason=finish):
                self.close()
                if finish.type not in ("stop", "tool_call"):
                    why = f": {finish.reason}" if finish.reason else ""
                    self._screen.line(f"[ended by {finish.type}{why}]", WARNING)

    def close(self) -> None:
        """Show what waits of the blocks that are open, and end the line."""
        for block in self._blocks.values():
            block.ended = True
        self._show_next()
        self._screen.line()

    def _begin(self, delta: Any, block: _Block) -> None:
        self._blocks[delta.choice, delta.index] = block
        if len(self._blocks) == 1:
            self._show_next()

    def _grow(self, delta: Any, text: str) -> None:
        key = delta.choice, delta.index
        block = self._blocks[key]
        if key == next(iter(self._blocks)):
            self._screen.write(text, block.style)
        else:
            block.waiting.append(text)

    def _end(self, delta: Any) -> None:
        self._blocks[delta.choice, delta.index].ended = True
        self._show_next()

    def _show_next(self) -> None:
        """Take the blocks that have ended from the front, and show what the next one has by now."""
        for key, block in list(self._blocks.items()):
            if block.waiting:
                self._screen.line()
                self._screen.write("".join(block.waiting), block.style)
                block.waiting.clear()
            if not block.ended:
                return
            del self._blocks[key]


def _shown(part: Any) -> str:
    """A whole block as text: a tool's result as it is, or as JSON."""
    value = part.value if isinstance(part, ValuePart) else part
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text) - SHOWN} characters more)"
