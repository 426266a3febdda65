"""Notes when the content of an answer comes, at a cost that does not show."""

from __future__ import annotations

from msgspec import structs

from streamkit.deltas import Delta, RefusalDelta, TextDelta, ThinkingDelta, ToolCallDelta
from streamkit.timing import STALL_NS, Gaps, Timing

__all__ = ["Stopwatch"]

_FIRST = {
    TextDelta: "first_text_ns",
    ThinkingDelta: "first_thinking_ns",
    ToolCallDelta: "first_arguments_ns",
    RefusalDelta: "first_refusal_ns",
}
_KINDS = set(_FIRST)


class Stopwatch:
    """The stamps of one stream: `note` takes one for each read, `timing` gives what they say by now.

    As long as each read brings one piece of the same kind as the one before, a note costs a few steps of arithmetic;
    anything else is looked at closely.
    """

    __slots__ = (
        "_bar_ns",
        "_counts",
        "_first_sent_ns",
        "_kind",
        "_last_ns",
        "_live",
        "_longest_ns",
        "_stalled_ns",
        "_stalls",
    )

    def __init__(self) -> None:
        self._first_sent_ns = 0
        self.restart(Timing())

    def sent(self, attempt: Timing) -> None:
        """Note that a request was sent, whatever became of it."""
        self._first_sent_ns = self._first_sent_ns or attempt.sent_ns
        if self._live.headers_ns is None:
            self._live.sent_ns = attempt.sent_ns

    def restart(self, attempt: Timing) -> None:
        """Begin with the answer to an attempt, which is stamped up to its headers; any answer before is forgotten."""
        self._live = attempt
        self._kind: type | None = None  # of the content that comes now
        self._last_ns = 0
        self._counts: list[int] = []
        self._longest_ns = self._stalls = self._stalled_ns = 0
        self._bar_ns = -1  # a gap above it is the longest yet, or a stall; for others there is a bucket

    def note(self, now_ns: int, deltas: list[Delta]) -> None:
        """Note a read, and what it brought."""
        if len(deltas) == 1 and type(deltas[0]) is self._kind:
            gap_ns = now_ns - self._last_ns
            self._last_ns = now_ns
            if gap_ns > self._bar_ns:
                self._count(gap_ns)
            else:
                square = gap_ns * gap_ns
                self._counts[(square * square).bit_length()] += 1
        else:
            self._look(now_ns, deltas)

    def end(self, now_ns: int) -> None:
        """Note the end of the answer."""
        self._live.end_ns = now_ns

    def timing(self) -> Timing:
        """Return all stamps as they are now."""
        live, sent_ns = self._live, self._first_sent_ns
        gaps = Gaps(self._counts[:], self._longest_ns, self._stalls, self._stalled_ns) if self._counts else None
        return structs.replace(
            live,
            first_sent_ns=None if sent_ns in (0, live.sent_ns) else sent_ns,
            last_token_ns=self._last_ns or None,
            gaps=gaps,
        )

    def _look(self, now_ns: int, deltas: list[Delta]) -> None:
        live = self._live
        if live.first_byte_ns is None:
            live.first_byte_ns = now_ns
        if not deltas:
            return
        if live.first_event_ns is None:
            live.first_event_ns = now_ns
        kinds = _KINDS.intersection(map(type, deltas))
        if not kinds:
            return
        for kind in kinds:
            if getattr(live, _FIRST[kind]) is None:
                setattr(live, _FIRST[kind], now_ns)
        if live.first_token_ns is None:
            live.first_token_ns = now_ns
        else:
            self._count(now_ns - self._last_ns)
        self._last_ns = now_ns
        self._kind = kinds.pop()

    def _count(self, gap_ns: int) -> None:
        bucket = (gap_ns**4).bit_length()
        self._counts += [0] * (bucket + 1 - len(self._counts))
        self._counts[bucket] += 1
        self._longest_ns = max(self._longest_ns, gap_ns)
        if gap_ns > STALL_NS:
            self._stalls += 1
            self._stalled_ns += gap_ns
        self._bar_ns = min(self._longest_ns, STALL_NS)
