"""The body of an answer as deltas: as it comes, or all that came since the read before at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from streamkit.accumulator import coalesce
from streamkit.client.costs import CostMeter
from streamkit.deltas import Delta, MessageEnd
from streamkit.errors import StreamkitError, TruncatedStream
from streamkit.protocols import Parser
from streamkit.transport.exchange import DRAIN_S, Exchange
from streamkit.transport.readahead import ReadAhead

__all__ = ["Body", "finish"]


class Body:
    """How the bodies of one answer are read, over as many exchanges as it takes, each after the one before.

    Where they are `merged`, reading goes on while nobody asks, and deltas that came in one read are fewer and larger.
    With a `meter` their usage has its cost.
    """

    def __init__(self, meter: CostMeter | None, *, merged: bool) -> None:
        self.meter = meter
        self._merged = merged
        self._ahead: ReadAhead | None = None

    def chunks(self, exchange: Exchange) -> AsyncIterator[bytes]:
        """The body in reads; where deltas are to be merged, each is all that came since the one before."""
        if not self._merged:
            return exchange.chunks
        self._ahead = ReadAhead(exchange.chunks)
        self._ahead.start()
        return self._ahead

    def feeder(self, parser: Parser) -> Callable[[bytes], list[Delta]]:
        """What makes deltas of a read."""
        feed = _merging(parser.feed) if self._merged else parser.feed
        return feed if self.meter is None else lambda data: self.metered(feed(data))

    def metered(self, deltas: list[Delta]) -> list[Delta]:
        """The deltas with costs."""
        return deltas if self.meter is None else self.meter.feed(deltas)

    async def drain(self, exchange: Exchange) -> None:
        """Read what is left of a body that has ended, so that its connection can be kept."""
        if self._ahead is None:
            await exchange.drain()
        else:
            await self._ahead.drain(DRAIN_S)

    async def let_go(self, exchange: Exchange) -> None:
        """Read no more, and close the exchange."""
        if self._ahead is not None:
            await self._ahead.stop()
        await exchange.aclose()


def finish(parser: Parser, fault: StreamkitError | None) -> tuple[list[Delta], StreamkitError | None]:
    """Return the deltas that the end of input completes, and the error that ends the stream, if one does.

    A connection that broke after the provider's last word has spoilt nothing; a finish reason that the parser would
    only assume does not count as one.
    """
    try:
        rest = parser.finish()
    except StreamkitError as error:
        rest, error.deltas = error.deltas, []
        return rest, fault if fault is not None and isinstance(error, TruncatedStream) else error
    if fault is None:
        return rest, None
    assumed = [delta for delta in rest if isinstance(delta, MessageEnd) and delta.finish_reason.synthesized]
    return [delta for delta in rest if delta not in assumed], fault if assumed else None


def _merging(feed: Callable[[bytes], list[Delta]]) -> Callable[[bytes], list[Delta]]:
    return lambda data: coalesce(feed(data))
