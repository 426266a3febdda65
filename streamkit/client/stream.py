"""One answer as it comes, over as many requests as it takes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from time import perf_counter_ns
from types import AsyncGeneratorType, TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from streamkit.accumulator import Accumulator, coalesce
from streamkit.client.asking import Asked, Asking
from streamkit.client.costs import CostMeter
from streamkit.client.observing import RunReport, StreamReport
from streamkit.client.retries import Retrying
from streamkit.deltas import (
    Delta,
    MessageEnd,
    MessageStart,
    RawFrame,
    RefusalStart,
    Retract,
    TextStart,
    ThinkingStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.errors import (
    ConfigError,
    StreamkitError,
    TruncatedStream,
)
from streamkit.keys import scrub_error
from streamkit.messages import MessageOutput
from streamkit.protocols import Parser, Request
from streamkit.stopwatch import Stopwatch
from streamkit.structured import OutputReader, OutputType
from streamkit.timing import Timing
from streamkit.transport.exchange import DRAIN_S, Exchange
from streamkit.transport.readahead import ReadAhead

if TYPE_CHECKING:
    from streamkit.client.client import Client

__all__ = ["Asked", "Stream"]

DeltaT = TypeVar("DeltaT", bound=Delta)

# What can come before anything of the answer has.
_OPENING = {MessageStart, TextStart, ThinkingStart, RefusalStart, UsageSnapshot, UnknownFrame, RawFrame}
# What may be no more than a sign of life.
_FRAMES = {UnknownFrame, RawFrame}


class Stream:
    """One answer as it comes: `async with` sends the request, `async for` yields its deltas, once.

    Leaving the block closes the connection, wherever the reading stands. An error that ends the stream has what came
    until then as `partial`, and every delta of that has been yielded. `output` is the message so far, and after the
    last delta the whole. `accumulator` also has the arguments of an unfinished call. `retried` holds the errors after
    which the request was sent again; retries, limits, prices and the hook are those of the client that was asked first.
    """

    def __init__(
        self,
        client: Client,
        asked: Asked,
        request: Request | None = None,
        *,
        include_raw: bool = False,
        coalesce: bool = False,
        fetch_images: bool = False,
        output_type: OutputType[Any] | None = None,
    ) -> None:
        self._first = client
        self._coalesce = coalesce
        self._exchange: Exchange | None = None
        self._deltas: AsyncGeneratorType[Delta, None] | None = None
        self._ahead: ReadAhead | None = None
        self._opened = self._tells = False
        self._report: StreamReport | None = None
        self.run: RunReport | None = None  # what an observer knows of the run that this is part of
        self.accumulator = Accumulator()
        self._reader = None if output_type is None else OutputReader(output_type, self.accumulator)
        self._meter: CostMeter | None = None
        if client.prices is not None:
            model, tier = (request.model, request.service_tier) if request else (client.model, None)
            self._meter = CostMeter(client.prices, client.provider.name, model, tier)
        self._stopwatch = Stopwatch()
        self._asking = Asking(
            client,
            asked,
            request,
            self._stopwatch,
            include_raw=include_raw,
            fetch_images=fetch_images,
            meter=self._meter,
        )

    @property
    def retried(self) -> list[StreamkitError]:
        """The errors after which the request was sent again."""
        return self._asking.retried

    @property
    def output(self) -> MessageOutput:
        """The message so far (of choice 0); costs as much as joining its text."""
        return self._finished(self.accumulator.snapshot())

    @property
    def outputs(self) -> list[MessageOutput]:
        """The messages of all choices, as if they had ended."""
        return [self._finished(output) for output in self.accumulator.outputs()]

    @property
    def partial_value(self) -> Any:
        """What the answer says so far, where there is an `output_type`: JSON that is not checked yet, None at first.

        Its lists and dicts are live: they grow with what comes. Parsing is incremental, so looking after every delta
        costs no more than the new text.
        """
        return self._typed.value

    @property
    def value(self) -> Any:
        """The value of a complete answer, of the `output_type`; raises `OutputError` where it is not of that.

        Raises `ConfigError` before the end, and where there was none.
        """
        kind, output = self._typed.kind, self.output
        if output.finish_reason is None:
            raise ConfigError("the answer has no value yet: read the stream to its end")
        return kind.read(output)

    @property
    def timing(self) -> Timing:
        """The stamps so far."""
        return self._stopwatch.timing()

    @property
    def status(self) -> int | None:
        """The HTTP status, None until there is an answer."""
        return None if self._exchange is None else self._exchange.status

    @property
    def request_id(self) -> str | None:
        """The provider's id of the request, where its headers give one."""
        return None if self._exchange is None else self._exchange.request_id

    @property
    def heartbeats(self) -> int:
        """How many comments, pings and empty events have come."""
        return self._asking.parser.heartbeats

    def resume(self) -> Self:
        """Return the stream of what did not come before the connection broke, from a provider that keeps answers.

        Its deltas go on where those of this one ended, and its `output` is the whole message. Raises `ConfigError`
        where the provider keeps none (see `Client.resume`), nothing is left to come, or this stream is still open.
        """
        if self._exchange is None or not self._exchange.closed:
            raise ConfigError("only a stream that was opened and is closed can be gone on with")
        parser = self._asking.parser
        asked = Asked(parser.resume(), b"", lambda: parser)
        stream = type(self)(self._asking.client, asked, coalesce=self._coalesce)
        stream.accumulator, stream._reader, stream._meter = self.accumulator, self._reader, self._meter
        return stream

    def tell(self, delta: DeltaT) -> DeltaT:
        """Add a delta of the reader's own to the message, and return it: that it was taken back, or cut off."""
        self._fold(delta)
        return delta

    def follow(self, other: Stream) -> None:
        """Go on with the message of `other`, which was taken back: what that has used counts on."""
        self.accumulator, self._reader = other.accumulator, other._reader

    async def attempt(self) -> Retrying | None:
        """Open the stream as `async with` does, but for the waiting: None once an answer begins.

        Else return what another attempt waits for; the next call waits, and makes it.
        """
        if not self._opened:
            self._opened = True
            if self._first.telemetry is not None:
                self._report = self._first.telemetry.stream(self._first, self._asking.request, self.run)
                self._asking.report = self._report
        try:
            retrying = await self._asking.attempt()
        except BaseException as error:  # a cancellation too is an end to report
            if isinstance(error, StreamkitError) and self._asking.gave_up:
                error.partial = self.output
            self._ended(error)
            raise
        self._exchange = self._asking.exchange
        return retrying

    def told(self) -> AsyncGenerator[Delta | Retrying, None]:
        """Return the deltas, and between them what is waited for where an answer begins anew, before the wait."""
        self._tells = True
        return cast("AsyncGenerator[Delta | Retrying, None]", aiter(self))

    async def __aenter__(self) -> Self:
        if self._opened or self._asking.closed:
            raise ConfigError("a stream is opened once: call client.stream() for another answer")
        while await self.attempt() is not None:
            pass
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncGenerator[Delta, None]:
        if self._exchange is None:
            raise ConfigError("open the stream first: `async with client.stream(…) as stream`")
        if self._deltas is not None:
            raise ConfigError("a stream is read once: its message is `output`")
        self._deltas = cast("AsyncGeneratorType[Delta, None]", self._read(self._exchange))
        return self._deltas

    async def aclose(self) -> None:
        """Close the connection. Another task that waits for a delta gets an error; else the reader's loop just ends."""
        self._asking.close()
        if self._ahead is not None:
            await self._ahead.stop()
        if self._exchange is not None:
            await self._exchange.aclose()
        if self._asking.watch is not None:
            await self._asking.watch.stop()
        # Only now, when it has nothing to wait for: a cancelled wait inside leaves it marked as running (Python 3.11),
        # and the task that reads may ask for the next delta meanwhile.
        if self._deltas is not None and not self._deltas.ag_running:
            await self._deltas.aclose()
        self._ended(None)

    async def _read(self, exchange: Exchange) -> AsyncGenerator[Delta | Retrying, None]:
        note, asking, watch = self._stopwatch.note, self._asking, self._asking.watch
        fold = self.accumulator.feed if self._reader is None else self._fold
        began = False  # whether any delta went out that an answer which begins anew takes back
        try:
            while True:
                parser = asking.parser
                feed = self._feeder(parser)
                fault: StreamkitError | None = None
                now = 0
                if watch is not None:
                    watch.start(exchange.aclose)
                    watch.wait()
                try:
                    async for chunk in self._chunks(exchange):
                        now = perf_counter_ns()
                        deltas = feed(chunk)
                        note(now, deltas)
                        if deltas:
                            began = True
                            if not asking.delivered:
                                asking.delivered = not {type(delta) for delta in deltas} <= _OPENING
                            if watch is not None:
                                watch.hold(token=asking.delivered, news=any(type(d) not in _FRAMES for d in deltas))
                            for delta in deltas:
                                fold(delta)
                                yield delta
                            if watch is not None:
                                watch.wait()
                        if parser.ended:
                            break
                except Exception as error:  # of any HTTP library; what is none of theirs is raised
                    fault = exchange.explain(error)
                    if fault is None:
                        raise
                if fault is None and not parser.ended and (asking.closed or exchange.closed):
                    fault = exchange.left()  # a read that was given up can look like the end of the body
                rest, fault = self._end(fault)
                rest = self._metered(rest)
                if watch is not None:
                    await watch.stop()
                    fault = fault and (watch.late or fault)
                if fault is not None:
                    asking.resume(fault)
                    if asking.may_go_on(fault):
                        reason = str(fault)
                        self._complete(fault, exchange)
                        await self._let_go(exchange)
                        try:
                            retrying: Retrying | None = await asking.go_on(fault)
                            while retrying is not None:
                                if self._tells:
                                    yield retrying
                                retrying = await asking.attempt()
                            if asking.exchange is not None:
                                exchange = self._exchange = asking.exchange
                            fault = None
                        except StreamkitError as error:
                            fault = error
                        if fault is None:
                            if not asking.resumes:  # all of it goes, but for what was spent
                                rest = [delta for delta in rest if isinstance(delta, UsageSnapshot)] if began else []
                                rest += self._metered([Retract(reason)]) if began else []
                                began = False
                            for delta in rest:
                                fold(delta)
                                yield delta
                            continue
                end = perf_counter_ns() if fault is not None or not now else now
                if rest:
                    note(now or end, rest)
                self._stopwatch.end(end)
                for delta in rest:
                    fold(delta)
                    yield delta
                if fault is not None:
                    raise fault
                self._ended(None)
                await self._drain(exchange)
                return
        except StreamkitError as error:
            chunk = b""  # may echo the key, and traces may show locals
            self._complete(error, exchange)
            self._ended(error)
            raise
        except BaseException as error:  # leaving and cancelling too are ends to report
            self._ended(error)
            raise
        finally:
            if watch is not None:
                await watch.stop()
            await self._let_go(exchange)

    def _feeder(self, parser: Parser) -> Callable[[bytes], list[Delta]]:
        feed = _merging(parser.feed) if self._coalesce else parser.feed
        return feed if self._meter is None else lambda data: self._metered(feed(data))

    def _metered(self, deltas: list[Delta]) -> list[Delta]:
        return deltas if self._meter is None else self._meter.feed(deltas)

    def _fold(self, delta: Delta) -> None:
        self.accumulator.feed(delta)
        if self._reader is not None:
            self._reader.feed(delta)

    @property
    def _typed(self) -> OutputReader:
        if self._reader is None:
            raise ConfigError("the stream was asked for without an output_type, so it has no value")
        return self._reader

    def _ended(self, error: BaseException | None) -> None:
        """Report the end, the first time."""
        report, self._report = self._report, None
        if report is not None:
            report.ended(self, error)

    def _chunks(self, exchange: Exchange) -> AsyncIterator[bytes]:
        """The body in reads; where deltas are to be merged, each is all that came since the one before."""
        if not self._coalesce:
            return exchange.chunks
        self._ahead = ReadAhead(exchange.chunks)
        self._ahead.start()
        return self._ahead

    async def _drain(self, exchange: Exchange) -> None:
        if self._ahead is None:
            await exchange.drain()
        else:
            await self._ahead.drain(DRAIN_S)

    async def _let_go(self, exchange: Exchange) -> None:
        if self._ahead is not None:
            await self._ahead.stop()
        await exchange.aclose()

    def _end(self, fault: StreamkitError | None) -> tuple[list[Delta], StreamkitError | None]:
        """The deltas that the end of input completes, and the error that ends the stream, if one does.

        A connection that broke after the provider's last word has spoilt nothing; a finish reason that the parser
        would only assume does not count as one.
        """
        try:
            rest = self._asking.parser.finish()
        except StreamkitError as error:
            rest, error.deltas = error.deltas, []
            return rest, fault if fault is not None and isinstance(error, TruncatedStream) else error
        if fault is None:
            return rest, None
        assumed = [delta for delta in rest if isinstance(delta, MessageEnd) and delta.finish_reason.synthesized]
        return [delta for delta in rest if delta not in assumed], fault if assumed else None

    def _complete(self, error: StreamkitError, exchange: Exchange) -> None:
        """Give an error that ends the stream what belongs to it, and take out what does not."""
        error.partial = self.output
        error.provider = error.provider or exchange.endpoint.provider.name
        error.status = error.status or exchange.status
        error.request_id = error.request_id or exchange.request_id
        scrub_error(error, exchange.endpoint.secrets)

    def _finished(self, output: MessageOutput) -> MessageOutput:
        output.provider = output.provider or self._asking.client.provider.name
        output.timing = self.timing
        if self._meter is not None:
            self._meter.complete(output)
        return output


def _merging(feed: Callable[[bytes], list[Delta]]) -> Callable[[bytes], list[Delta]]:
    return lambda data: coalesce(feed(data))
