"""Notes when the content of an answer comes, at a cost that does not show."""

from __future__ import annotations

from msgspec import structs

from streamkit.deltas import Delta, RefusalDelta, TextDelta, ThinkingDelta, ToolCallDelta
from streamkit.timing import Gaps, Timing

__all__ = ["Stopwatch"]

_FIRST = {
    TextDelta: "first_text_ns",
    ThinkingDelta: "first_thinking_ns",
    ToolCallDelta: "first_arguments_ns",
    RefusalDelta: "first_refusal_ns",
}
_KINDS = set(_FIRST)
_MANY = 10_000  # stamps that are kept, at 40 bytes each: less than the text that came with them takes


class Stopwatch:
    """The stamps of one stream: `note` takes one for each read, `timing` gives what they say by now.

    As long as each read brings one piece of the same kind as the one before, its stamp is kept and nothing else done;
    anything else is looked at closely. The gaps are made of the stamps when somebody asks, or there are many.
    """

    __slots__ = ("_first_sent_ns", "_gaps", "_kind", "_live", "_stamps")

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
        self._gaps = Gaps()
        self._stamps: list[int] = []  # of the reads with content; all but the first stand in no gap yet

    def note(self, now_ns: int, deltas: list[Delta]) -> None:
        """Note a read, and what it brought."""
        if len(deltas) == 1 and type(deltas[0]) is self._kind and len(self._stamps) < _MANY:
            self._stamps.append(now_ns)
        else:
            self._look(now_ns, deltas)

    def end(self, now_ns: int) -> None:
        """Note the end of the answer."""
        self._live.end_ns = now_ns

    def timing(self) -> Timing:
        """Return all stamps as they are now."""
        live, sent_ns, stamps = self._live, self._first_sent_ns, self._stamps
        self._fold()
        return structs.replace(
            live,
            first_sent_ns=None if sent_ns in (0, live.sent_ns) else sent_ns,
            last_token_ns=stamps[-1] if stamps else None,
            gaps=self._gaps if self._gaps.counts else None,
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
        if len(self._stamps) >= _MANY:
            self._fold()
        self._stamps.append(now_ns)
        self._kind = kinds.pop()

    def _fold(self) -> None:
        if len(self._stamps) > 1:
            self._gaps += Gaps.between(self._stamps)
            del self._stamps[:-1]
