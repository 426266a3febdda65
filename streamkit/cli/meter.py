"""What an answer took: tokens, money and time, measured where the user sits."""

from __future__ import annotations

from time import perf_counter_ns

from streamkit.deltas import (
    Delta,
    MessageEnd,
    RefusalDelta,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallStart,
    UsageSnapshot,
)
from streamkit.usage import Usage

__all__ = ["Meter"]

_TOKENS = (TextDelta, ThinkingDelta, RefusalDelta, ToolCallStart, ToolCallDelta)


class Meter:
    """Counts over all messages of one turn, from its making on."""

    def __init__(self) -> None:
        self._start_ns = perf_counter_ns()
        self._first_ns: int | None = None  # the first token of the turn
        self._began_ns: int | None = None  # the first token of the message that is streaming
        self._streamed_ns = 0
        self._latest: Usage | None = None
        self.usage = Usage()

    def feed(self, delta: Delta) -> None:
        """Take in one delta, now."""
        if isinstance(delta, _TOKENS):
            if self._began_ns is None:
                self._began_ns = perf_counter_ns()
                self._first_ns = self._first_ns or self._began_ns
        elif isinstance(delta, UsageSnapshot):
            self._latest = self._latest.merge(delta.usage) if self._latest else delta.usage
        elif isinstance(delta, MessageEnd) and self._began_ns is not None and delta.choice == 0:
            self._streamed_ns += perf_counter_ns() - self._began_ns
            self._began_ns = None
            self.usage += self._latest or Usage()
            self._latest = None

    def summary(self) -> str:
        """Return one line; what is not known is left out."""
        usage = self.usage
        parts = []
        if usage.input_tokens is not None:
            parts.append(f"{usage.prompt_tokens} tokens in")
        if usage.output_tokens is not None:
            parts.append(f"{usage.output_tokens} out")
        if usage.cost is not None and usage.cost.total is not None:
            parts.append(f"${usage.cost.total:.6f}")
        if self._first_ns is not None:
            parts.append(f"first token after {(self._first_ns - self._start_ns) / 1e6:.0f} ms")
        if usage.output_tokens and self._streamed_ns:
            parts.append(f"{usage.output_tokens / (self._streamed_ns / 1e9):.0f} tokens/s")
        return " · ".join(parts)
