"""One answer as it comes, over as many requests as it takes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import nullcontext
from random import random
from time import perf_counter_ns
from types import AsyncGeneratorType, TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import anyio
from msgspec import Struct

from streamkit.accumulator import Accumulator, coalesce
from streamkit.costs import CostMeter
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
    ImageFetchError,
    StreamkitError,
    TotalTimeout,
    TransportError,
    TruncatedStream,
)
from streamkit.keys import scrub_error
from streamkit.messages import MessageOutput
from streamkit.observing import RunReport, StreamReport
from streamkit.protocols import EncodedRequest, Parser, Request
from streamkit.readahead import ReadAhead
from streamkit.stopwatch import Stopwatch
from streamkit.structured import OutputReader, OutputType
from streamkit.timing import Timing
from streamkit.transport import DRAIN_S, Exchange
from streamkit.watchdog import Watchdog

if TYPE_CHECKING:
    from streamkit.client import Client

__all__ = ["Asked", "Stream"]

# What can come before anything of the answer has.
_OPENING = {MessageStart, TextStart, ThinkingStart, RefusalStart, UsageSnapshot, UnknownFrame, RawFrame}
# What may be no more than a sign of life.
_FRAMES = {UnknownFrame, RawFrame}

T = TypeVar("T")


class Asked(Struct, frozen=True):
    """A request in a provider's words, and what reads the answer."""

    encoded: EncodedRequest
    body: bytes
    new_parser: Callable[[], Parser]


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
        self._client = client  # that is asked now
        self._asked = asked
        self._request = request  # None for an answer that the provider kept, which is asked for once
        self._include_raw = include_raw
        self._coalesce = coalesce
        self._fetch_images = fetch_images  # `asked` has a stand-in for each image that is to be fetched
        self._parser = asked.new_parser()
        self._kept: Asked | None = None  # what goes on with an answer that broke off, where its provider keeps it
        self._fallback = list(client.fallback) if request is not None else []
        self._retries = 0  # of the model that is asked now
        self._exchange: Exchange | None = None
        self._deltas: AsyncGeneratorType[Delta, None] | None = None
        self._watch: Watchdog | None = None
        self._waiting: anyio.CancelScope | None = None  # for an answer, or for the time to ask for it
        self._ahead: ReadAhead | None = None
        self._opened = self._closed = False
        self._delivered = False  # whether anything of this attempt's answer has come
        self._report: StreamReport | None = None
        self.run: RunReport | None = None  # what an observer knows of the run that this is part of
        self.accumulator = Accumulator()
        self._reader = None if output_type is None else OutputReader(output_type, self.accumulator)
        self._meter: CostMeter | None = None
        if client.prices is not None:
            model, tier = (request.model, request.service_tier) if request else (client.model, None)
            self._meter = CostMeter(client.prices, client.provider.name, model, tier)
        self._stopwatch = Stopwatch()
        self.retried: list[StreamkitError] = []

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
        """The value of a complete answer, of the `output_type`; raises `OutputError` where it is not of that."""
        return self._typed.kind.read(self.output)

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
        return self._parser.heartbeats

    def resume(self) -> Stream:
        """Return the stream of what did not come before the connection broke, from a provider that keeps answers.

        Its deltas go on where those of this one ended, and its `output` is the whole message. Raises `ConfigError`
        where the provider keeps none (see `Client.resume`), nothing is left to come, or this stream is still open.
        """
        if self._exchange is None or not self._exchange.closed:
            raise ConfigError("only a stream that was opened and is closed can be gone on with")
        parser = self._parser
        asked = Asked(parser.resume(), b"", lambda: parser)
        stream = Stream(self._client, asked, coalesce=self._coalesce)
        stream.accumulator, stream._reader, stream._meter = self.accumulator, self._reader, self._meter
        return stream

    async def __aenter__(self) -> Stream:
        if self._opened or self._closed:
            raise ConfigError("a stream is opened once: call client.stream() for another answer")
        self._opened = True
        if self._first.telemetry is not None:
            self._report = self._first.telemetry.stream(self._first, self._request, self.run)
        try:
            await self._begin()
        except BaseException as error:
            self._ended(error)
            raise
        return self

    async def _begin(self) -> None:
        limits = self._client.timeouts
        if limits.need_watching:
            self._watch = Watchdog(limits, perf_counter_ns())
        if self._fetch_images and (request := await self._embedded(self._client)) is not self._request:
            self._asked = self._client.ask(request, include_raw=self._include_raw)
        while self._exchange is None:
            try:
                self._exchange = await self._open()
            except StreamkitError as error:
                await self._retry(error)

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
        self._closed = True
        if self._waiting is not None:
            self._waiting.cancel()
        if self._ahead is not None:
            await self._ahead.stop()
        if self._exchange is not None:
            await self._exchange.aclose()
        if self._watch is not None:
            await self._watch.stop()
        # Only now, when it has nothing to wait for: a cancelled wait inside leaves it marked as running (Python 3.11),
        # and the task that reads may ask for the next delta meanwhile.
        if self._deltas is not None and not self._deltas.ag_running:
            await self._deltas.aclose()
        self._ended(None)

    async def _read(self, exchange: Exchange) -> AsyncGenerator[Delta, None]:
        note, watch = self._stopwatch.note, self._watch
        fold = self.accumulator.feed if self._reader is None else self._fold
        began = False  # whether any delta went out that an answer which begins anew takes back
        try:
            while True:
                parser = self._parser
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
                            if not self._delivered:
                                self._delivered = not {type(delta) for delta in deltas} <= _OPENING
                            if watch is not None:
                                watch.hold(token=self._delivered, news=any(type(d) not in _FRAMES for d in deltas))
                            for delta in deltas:
                                fold(delta)
                                yield delta
                            if watch is not None:
                                watch.wait()
                        if parser.ended:
                            break
                except Exception as error:
                    fault = exchange.explain(error)
                    if fault is None:
                        raise
                if fault is None and not parser.ended and (self._closed or exchange.closed):
                    fault = exchange.left()  # a read that was given up can look like the end of the body
                rest, fault = self._end(fault)
                rest = self._metered(rest)
                if watch is not None:
                    await watch.stop()
                    fault = fault and (watch.late or fault)
                if fault is not None:
                    self._kept = self._resumption(fault)
                    if self._may_retry(fault):
                        reason = str(fault)
                        self._complete(fault, exchange)
                        await self._let_go(exchange)
                        try:
                            exchange = await self._reopen(fault)
                            fault = None
                        except StreamkitError as error:
                            fault = error
                        if fault is None:
                            if self._kept is None:  # all of it goes, but for what was spent
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
        except BaseException as error:
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
        self._typed.feed(delta)

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
            rest = self._parser.finish()
        except StreamkitError as error:
            rest, error.deltas = error.deltas, []
            return rest, fault if fault is not None and isinstance(error, TruncatedStream) else error
        if fault is None:
            return rest, None
        assumed = [delta for delta in rest if isinstance(delta, MessageEnd) and delta.finish_reason.synthesized]
        return [delta for delta in rest if delta not in assumed], fault if assumed else None

    async def _open(self) -> Exchange:
        """Send the request once, within the limits."""
        if self._closed:
            raise self._gone()
        client, watch = self._client, self._watch
        timing = Timing()
        if watch is not None:
            watch.expect(perf_counter_ns(), client.place)
        try:
            with nullcontext() if self._report is None else self._report.sending():
                exchange = await self._wait(client.open(self._kept or self._asked, timing, sse=self._parser.is_sse))
        finally:
            self._stopwatch.sent(timing)
        if self._closed:  # in the very moment
            await exchange.aclose()
            raise exchange.left()
        if self._kept is None:  # else it is the answer of before that goes on
            self._stopwatch.restart(timing)
        if watch is not None:
            watch.hold(token=self._delivered)
        return exchange

    def _resumption(self, error: StreamkitError) -> Asked | None:
        """The request for what has not come yet, where the provider goes on with the answer that broke off."""
        if not self._asked.encoded.kept or not isinstance(error, (TransportError, TruncatedStream)) or self._closed:
            return None
        parser = self._parser
        try:
            return Asked(parser.resume(), b"", lambda: parser)
        except ConfigError:  # it broke off before the answer had an id
            return None

    def _may_retry(self, error: StreamkitError) -> bool:
        policy = self._first.retry
        if self._request is None or self._closed or isinstance(error, TotalTimeout):
            return False
        left = policy.wait_s(error, self._retries + 1, 0.0) is not None
        if self._kept is not None:
            if left and policy.allows(error, delivered=False):
                return True
            self._kept = None  # what is left is to ask anew
        return policy.allows(error, delivered=self._delivered) and (left or bool(self._fallback))

    async def _reopen(self, error: StreamkitError) -> Exchange:
        """Send the request again, as often as it may be; raises `error` where no other answer begins.

        So what came before is lost only to an answer that takes its place.
        """
        await self._retry(error)
        while True:
            try:
                exchange = await self._open()
                break
            except StreamkitError as another:
                if self._closed or isinstance(another, TotalTimeout):
                    raise
                await self._retry(another, instead=error)
        self._exchange = exchange
        if self._kept is None:
            self._delivered = False
        return exchange

    async def _retry(self, error: StreamkitError, instead: StreamkitError | None = None) -> None:
        """Make ready for another request after `error`, and wait as long as that takes.

        Raises `instead` (or else `error`) where there is to be none, and `TotalTimeout` where it is too late.
        """
        if not self._may_retry(error):
            raise instead or error
        wait_s = self._first.retry.wait_s(error, self._retries + 1, random())
        if wait_s is not None:
            self._retries += 1
        elif not await self._fall_back(instead or error):
            raise instead or error
        self.retried.append(error.with_traceback(None))
        self._first.announce(error, self._client, len(self.retried), wait_s or 0.0)
        if self._report is not None:
            self._report.retrying(error, self._client, len(self.retried), wait_s or 0.0)
        self._parser = (self._kept or self._asked).new_parser()
        if self._watch is not None:
            self._watch.rest()
        await self._wait(anyio.sleep(wait_s or 0.0))

    async def _wait(self, waiting: Awaitable[T]) -> T:
        """Wait no longer than the limits allow, nor than until the stream is closed."""
        left_s = float("inf") if self._watch is None else self._watch.left_s()
        with anyio.move_on_after(left_s) as self._waiting:
            return await waiting
        if self._closed or self._watch is None:
            raise self._gone()
        late = self._watch.broken()
        late.provider, late.partial = self._client.provider.name, self.output
        raise late

    def _gone(self) -> TransportError:
        error = TransportError(f"the stream from {self._client.place} was closed before its answer began")
        error.provider, error.partial = self._client.provider.name, self.output
        return error

    async def _fall_back(self, error: StreamkitError) -> bool:
        """Ask the next model from now on; False where there is none that can be asked the same."""
        while self._fallback:
            client = self._fallback.pop(0)
            self._fallback[:0] = client.fallback
            try:
                request = await self._embedded(client)
                self._asked = client.ask_again(request, include_raw=self._include_raw)
            except (ConfigError, ImageFetchError) as refusal:
                error.add_note(f"The fallback {client!r} cannot be asked the same: {refusal}")
            else:
                self._client, self._retries = client, 0
                if self._meter is not None:
                    self._meter.ask(client.provider.name, client.model)
                return True
        return False

    async def _embedded(self, client: Client) -> Request:
        """The request with the images that were to be fetched for a client's model, within the limits."""
        assert self._request is not None, "only an answer that was asked for is asked for again"
        return await self._wait(client.embed(self._request)) if self._fetch_images else self._request

    def _complete(self, error: StreamkitError, exchange: Exchange) -> None:
        """Give an error that ends the stream what belongs to it, and take out what does not."""
        error.partial = self.output
        error.provider = error.provider or exchange.endpoint.provider.name
        error.status = error.status or exchange.status
        error.request_id = error.request_id or exchange.request_id
        scrub_error(error, exchange.endpoint.secrets)

    def _finished(self, output: MessageOutput) -> MessageOutput:
        output.provider = output.provider or self._client.provider.name
        output.timing = self.timing
        if self._meter is not None:
            self._meter.complete(output)
        return output


def _merging(feed: Callable[[bytes], list[Delta]]) -> Callable[[bytes], list[Delta]]:
    return lambda data: coalesce(feed(data))
