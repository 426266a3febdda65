"""What ends a stream that takes longer than it may.

A cancel scope cannot be held while a generator yields, and one a read would cost as much as reading. So there is one
task for a stream that has such limits: it sleeps until the next of them, looks whether it still holds, and closes the
connection where it does, which ends the read that was waiting.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import perf_counter_ns

import anyio

from streamkit.errors import FirstTokenTimeout, IdleTimeout, TotalTimeout, TransportTimeout
from streamkit.timing import Timeouts
from streamkit.transport.background import spawn

__all__ = ["Watchdog"]

_S = 1_000_000_000
_NEVER = 1 << 63


class Watchdog:
    """Watches one stream, whose reader says when content has come and when it waits for more.

    The limits on the first token, and from there on that on silence, count only while the reader waits: what a slow
    consumer takes is its own. That of the whole always counts. `late` is the error of the limit that was broken, once
    one was. All stamps are of `time.perf_counter_ns`.
    """

    def __init__(self, limits: Timeouts, began_ns: int) -> None:
        """Watch a stream whose first request was sent at `began_ns`."""
        self.late: TransportTimeout | None = None
        self._limits = limits
        # A limit that begins to hold while the watch sleeps is broken no sooner than after this.
        self._shortest_s = min(
            limit for limit in (limits.first_token_s, limits.idle_s, limits.total_s) if limit is not None
        )
        self._place = ""
        self._total_ns = _after(began_ns, limits.total_s)
        self._begun = False  # whether the answer itself has
        self._next_ns = _NEVER  # when the limit that counts is broken
        self._left_ns = _NEVER  # how much is left of it while the consumer has what came
        self._scope: anyio.CancelScope | None = None
        self._ended = anyio.Event()

    def expect(self, sent_ns: int, place: str) -> None:
        """Begin to wait for the first token of a request that was sent at `sent_ns`, to `place` (for messages)."""
        self.late, self._place, self._begun = None, place, False
        self._next_ns = _after(sent_ns, self._limits.first_token_s)

    def hold(self, *, token: bool, news: bool = True) -> None:
        """Note that the consumer has now what came: `news` of the answer, of which a first `token` may be among them.

        What is no news, such as a frame that nobody knows, ends no silence.
        """
        self._begun = self._begun or token
        if self._begun and news:
            self._left_ns = _after(0, self._limits.idle_s)
        elif self._next_ns != _NEVER:
            self._left_ns = self._next_ns - perf_counter_ns()
        else:
            self._left_ns = _NEVER
        self._next_ns = _NEVER

    def wait(self) -> None:
        """Note that the reader waits for more from now on."""
        if self._left_ns != _NEVER:
            self._next_ns, self._left_ns = perf_counter_ns() + self._left_ns, _NEVER

    def rest(self) -> None:
        """Note that nothing is expected until the next request: only the limit of the whole holds."""
        self._next_ns = self._left_ns = _NEVER

    def left_s(self) -> float:
        """Return how many seconds are left until a limit is broken, infinity where none holds now."""
        next_ns = min(self._total_ns, self._next_ns)
        return float("inf") if next_ns == _NEVER else (next_ns - perf_counter_ns()) / _S

    def check(self) -> TransportTimeout | None:
        """Return the error of the limit that is broken by now, None where all hold; the first stays."""
        if self.late is None and self.left_s() <= 0:
            self.late = self._error(perf_counter_ns())
        return self.late

    def broken(self) -> TransportTimeout:
        """Return the error of a limit that `left_s` was waited for."""
        return self.check() or self._error(min(self._total_ns, self._next_ns))

    def start(self, close: Callable[[], Awaitable[None]]) -> None:
        """Call `close` when a limit is broken, unless `stop` comes first."""
        self._scope, self._ended = anyio.CancelScope(), anyio.Event()
        scope, ended = self._scope, self._ended

        async def watch() -> None:
            try:
                with scope:
                    while self.check() is None:  # noqa: ASYNC110 - a limit is set anew without a word
                        await anyio.sleep(min(max(self.left_s(), 0.0), self._shortest_s))
                    await close()
            finally:
                ended.set()

        spawn(watch)

    async def stop(self) -> None:
        """End the watch, and return when its task has ended."""
        if self._scope is not None:
            self._scope.cancel()
            self._scope = None
            with anyio.CancelScope(shield=True):
                await self._ended.wait()

    def _error(self, now_ns: int) -> TransportTimeout:
        limits, place = self._limits, self._place
        if now_ns >= self._total_ns:
            return TotalTimeout(f"{place} took longer than {limits.total_s:g} s for the whole (total_timeout_s)")
        if not self._begun:
            return FirstTokenTimeout(f"{place} gave no token within {limits.first_token_s:g} s (first_token_timeout_s)")
        return IdleTimeout(f"{place} gave nothing new for {limits.idle_s:g} s (idle_timeout_s)")


def _after(ns: int, limit_s: float | None) -> int:
    return _NEVER if limit_s is None else ns + int(limit_s * _S)
