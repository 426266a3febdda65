"""One answer as it comes, over as many requests as it takes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from time import perf_counter_ns
from types import AsyncGeneratorType, TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from streamkit.accumulator import Accumulator
from streamkit.client.asking import Asked, Asking
from streamkit.client.body import Body, finish
from streamkit.client.costs import CostMeter
from streamkit.client.observing import RunReport, StreamReport
from streamkit.client.retries import Retrying
from streamkit.deltas import (
    Delta,
    MessageStart,
    RawFrame,
    RefusalStart,
    Retract,
    TextStart,
    ThinkingStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.errors import ConfigError, StreamkitError
from streamkit.keys import scrub_error
from streamkit.messages import MessageOutput
from streamkit.protocols import Request
from streamkit.stopwatch import Stopwatch
from streamkit.structured import OutputReader, OutputType
from streamkit.timing import Timing
from streamkit.transport.exchange import Exchange

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
        self._opened = self._tells = False
        self._report: StreamReport | None = None
        self.run: RunReport | None = None  # what an observer knows of the run that this is part of
        self.accumulator = Accumulator()
        self._reader = None if output_type is None else OutputReader(output_type, self.accumulator)
        meter: CostMeter | None = None
        if client.prices is not None:
            model, tier = (request.model, request.service_tier) if request else (client.model, None)
            meter = CostMeter(client.prices, client.provider.name, model, tier)
        self._body = Body(meter, merged=coalesce)
        self._stopwatch = Stopwatch()
        self._asking = Asking(
            client,
            asked,
            request,
            self._stopwatch,
            include_raw=include_raw,
            fetch_images=fetch_images,
            meter=meter,
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
        stream.accumulator, stream._reader = self.accumulator, self._reader
        stream._body.meter = self._body.meter
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
        asking, first = self._asking, not self._opened
        if first:
            self._opened = True
            if self._first.telemetry is not None:
                self._report = asking.report = self._first.telemetry.stream(self._first, asking.request, self.run)
        try:
            if first:
                await asking.begin()
            retrying = await asking.attempt()
        except BaseException as error:  # a cancellation too is an end to report
            if isinstance(error, StreamkitError) and asking.gave_up:
                error.partial = self.output
            self._ended(error)
            raise
        if retrying is None:
            self._exchange = asking.exchange
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
        if self._exchange is not None:
            await self._body.let_go(self._exchange)
        if self._asking.watch is not None:
            await self._asking.watch.stop()
        # Only now, when it has nothing to wait for: a cancelled wait inside leaves it marked as running (Python 3.11),
        # and the task that reads may ask for the next delta meanwhile.
        if self._deltas is not None and not self._deltas.ag_running:
            await self._deltas.aclose()
        self._ended(None)

    async def _read(self, exchange: Exchange) -> AsyncGenerator[Delta | Retrying, None]:
        note, asking, watch, body = self._stopwatch.note, self._asking, self._asking.watch, self._body
        fold = self.accumulator.feed if self._reader is None else self._fold
        began = False  # whether any delta went out that an answer which begins anew takes back
        try:
            while True:
                parser = asking.parser
                feed = body.feeder(parser)
                fault: StreamkitError | None = None
                now = 0
                if watch is not None:
                    watch.start(exchange.aclose)
                    watch.wait()
                try:
                    async for chunk in body.chunks(exchange):
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
                rest, fault = finish(parser, fault)
                rest = body.metered(rest)
                if watch is not None:
                    await watch.stop()
                    fault = fault and (watch.late or fault)
                if fault is not None:
                    asking.resume(fault)
                    if asking.may_go_on(fault):
                        reason = str(fault)
                        self._complete(fault, exchange)
                        await body.let_go(exchange)
                        try:
                            retrying: Retrying | None = await asking.go_on(fault)
                            while retrying is not None:
                                if self._tells:
                                    yield retrying
                                retrying = await asking.attempt()
                            exchange = self._exchange = asking.exchange
                            fault = None
                        except StreamkitError as error:
                            fault = error
                        if fault is None:
                            if not asking.resumes:  # all of it goes, but for what was spent
                                rest = [delta for delta in rest if isinstance(delta, UsageSnapshot)] if began else []
                                rest += body.metered([Retract(reason)]) if began else []
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
                await body.drain(exchange)
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
            await body.let_go(exchange)

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
        if self._body.meter is not None:
            self._body.meter.complete(output)
        return output
