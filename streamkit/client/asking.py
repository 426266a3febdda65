"""The asking for one answer: of whom, how often and within which limits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from random import random
from time import perf_counter_ns
from typing import TYPE_CHECKING, TypeVar

import anyio
from msgspec import Struct

from streamkit.client.costs import CostMeter
from streamkit.client.observing import StreamReport
from streamkit.client.retries import Retrying
from streamkit.errors import (
    ConfigError,
    ImageFetchError,
    StreamkitError,
    TotalTimeout,
    TransportError,
    TruncatedStream,
)
from streamkit.protocols import EncodedRequest, Parser, Request
from streamkit.stopwatch import Stopwatch
from streamkit.timing import Timing
from streamkit.transport.exchange import Exchange
from streamkit.transport.watchdog import Watchdog

if TYPE_CHECKING:
    from streamkit.client.client import Client

__all__ = ["Asked", "Asking"]

T = TypeVar("T")


class Asked(Struct, frozen=True):
    """A request in a provider's words, and what reads the answer."""

    encoded: EncodedRequest
    body: bytes
    new_parser: Callable[[], Parser]


class Asking:
    """Sends a request until an answer begins, and again where that broke off and the policy allows it.

    Retries, limits and the hook are those of the client that was asked first; `client` is the one that is asked now,
    and `parser` reads its answer. The reader sets `delivered` once anything of the answer has come. `resumes` says that
    the provider goes on with the answer of before. `gave_up` says that an error was raised because a limit was broken,
    or by `close`.
    """

    def __init__(
        self,
        client: Client,
        asked: Asked,
        request: Request | None,
        stopwatch: Stopwatch,
        *,
        include_raw: bool,
        fetch_images: bool,
        meter: CostMeter | None,
    ) -> None:
        """`request` is None for an answer that the provider kept, which is asked for once.

        With `fetch_images`, `asked` has a stand-in for each image that is to be fetched.
        """
        self.client = client
        self.request = request
        self.parser = asked.new_parser()
        self.retried: list[StreamkitError] = []
        self.watch: Watchdog | None = None
        self.report: StreamReport | None = None
        self.exchange: Exchange  # of the answer that began last
        self.delivered = self.closed = self.gave_up = False
        self._first = client
        self._asked = asked
        self._stopwatch = stopwatch
        self._include_raw = include_raw
        self._fetch_images = fetch_images
        self._meter = meter
        self._kept: Asked | None = None  # what goes on with an answer that broke off
        self._broken: StreamkitError | None = None  # what an answer broke off by, until another begins
        self._wait_s: float | None = None  # before the next attempt
        self._fallback = list(client.fallback) if request is not None else []
        self._retries = 0  # of the model that is asked now
        self._waiting: anyio.CancelScope | None = None

    @property
    def resumes(self) -> bool:
        """Whether it is the answer of before that goes on."""
        return self._kept is not None

    def close(self) -> None:
        """Ask no more, and wait for nothing."""
        self.closed = True
        if self._waiting is not None:
            self._waiting.cancel()

    async def begin(self) -> None:
        """Get ready for the first attempt."""
        limits = self.client.timeouts
        if limits.need_watching:
            self.watch = Watchdog(limits, perf_counter_ns())
        if self._fetch_images and (request := await self._embedded(self.client)) is not self.request:
            self._asked = self.client.ask(request, include_raw=self._include_raw)

    async def attempt(self) -> Retrying | None:
        """Send the request, after the wait that is due; None where an answer begins, which is then `exchange`.

        Else return what another attempt waits for. Raises the error after which there is to be none; once an answer
        has broken off, that is the one that broke it, so that what came before is lost only to another answer.
        """
        if self._wait_s is not None:
            await self._wait(anyio.sleep(self._wait_s))
            self._wait_s = None
        try:
            self.exchange = await self._open()
        except StreamkitError as error:
            if self._broken is not None and (self.closed or isinstance(error, TotalTimeout)):
                raise
            return await self._retry(error)
        if self._broken is not None and self._kept is None:
            self.delivered = False
        self._broken = None
        return None

    async def go_on(self, error: StreamkitError) -> Retrying:
        """Get ready for an attempt after the error that an answer broke off by, and return what that waits for."""
        self._broken = error
        return await self._retry(error)

    def resume(self, error: StreamkitError) -> None:
        """Ask for what has not come yet from here on, where the provider goes on with the answer that broke off."""
        self._kept = None
        if not self._asked.encoded.kept or not isinstance(error, (TransportError, TruncatedStream)) or self.closed:
            return
        parser = self.parser
        with suppress(ConfigError):  # it broke off before the answer had an id
            self._kept = Asked(parser.resume(), b"", lambda: parser)

    def may_go_on(self, error: StreamkitError) -> bool:
        """Return whether the same may be asked for again after `error`."""
        policy = self._first.retry
        if self.request is None or self.closed or isinstance(error, TotalTimeout):
            return False
        left = policy.wait_s(error, self._retries + 1, 0.0) is not None
        if self._kept is not None:
            if left and policy.allows(error, delivered=False):
                return True
            self._kept = None  # what is left is to ask anew
        return policy.allows(error, delivered=self.delivered) and (left or bool(self._fallback))

    async def _open(self) -> Exchange:
        """Send the request once, within the limits."""
        if self.closed:
            raise self._gone()
        client, watch = self.client, self.watch
        timing = Timing()
        if watch is not None:
            watch.expect(perf_counter_ns(), client.place)
        try:
            with nullcontext() if self.report is None else self.report.sending():
                exchange = await self._wait(client.open(self._kept or self._asked, timing, sse=self.parser.is_sse))
        finally:
            self._stopwatch.sent(timing)
        if self.closed:  # in the very moment
            await exchange.aclose()
            raise exchange.left()
        if self._kept is None:  # else it is the answer of before that goes on
            self._stopwatch.restart(timing)
        if watch is not None:
            watch.hold(token=self.delivered)
        return exchange

    async def _retry(self, error: StreamkitError) -> Retrying:
        """Make ready for another request after `error`; raises the one to be told where there is to be none."""
        told = self._broken or error
        if not self.may_go_on(error):
            raise told
        wait_s = self._first.retry.wait_s(error, self._retries + 1, random())
        if wait_s is not None:
            self._retries += 1
        elif not await self._fall_back(told):
            raise told
        self.retried.append(error.with_traceback(None))
        self._wait_s = wait_s or 0.0
        retrying = self._first.announce(error, self.client, len(self.retried), self._wait_s)
        if self.report is not None:
            self.report.retrying(error, self.client, len(self.retried), self._wait_s)
        self.parser = (self._kept or self._asked).new_parser()
        if self.watch is not None:
            self.watch.rest()
        return retrying

    async def _wait(self, waiting: Awaitable[T]) -> T:
        """Wait no longer than the limits allow, nor than until the stream is closed."""
        left_s = float("inf") if self.watch is None else self.watch.left_s()
        with anyio.move_on_after(left_s) as self._waiting:
            return await waiting
        if self.closed or self.watch is None:
            raise self._gone()
        self.gave_up = True
        late = self.watch.broken()
        late.provider = self.client.provider.name
        raise late

    def _gone(self) -> TransportError:
        error = TransportError(f"the stream from {self.client.place} was closed before its answer began")
        error.provider = self.client.provider.name
        self.gave_up = True
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
                self.client, self._retries = client, 0
                if self._meter is not None:
                    self._meter.ask(client.provider.name, client.model)
                return True
        return False

    async def _embedded(self, client: Client) -> Request:
        """The request with the images that were to be fetched for a client's model, within the limits."""
        assert self.request is not None, "only an answer that was asked for is asked for again"
        return await self._wait(client.embed(self.request)) if self._fetch_images else self.request
