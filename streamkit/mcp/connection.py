"""A connection to an MCP server, in a task of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
import anyio.to_thread

from streamkit.errors import ConnectTimeout
from streamkit.mcp.links import Link, statuses
from streamkit.transport.background import spawn
from streamkit.transport.http_clients import tls_context

if TYPE_CHECKING:
    from mcp import Client

__all__ = ["Connection"]

Follow: TypeAlias = "Callable[[Client], Awaitable[None]]"

# How long the end may take before it is cut short, in s; a process that does not end by itself is then killed, which
# takes 7 s at most.
CLOSE_S = 5.0
KILL_S = 8.0


class Connection:
    """An SDK client that is open in a task of its own.

    The SDK keeps task groups open for as long as a connection is. In the task of whoever opens it, an error in one of
    their tasks (a refused connection, say) would cancel what else that task does, and they would have to be left there,
    in order. `follow` runs in this task once the client is ready.
    """

    def __init__(self, link: Link, follow: Follow, **options: Any) -> None:
        self._link = link
        self._follow = follow
        self._options = options
        self.client: Client | None = None
        self.failure: Exception | None = None  # what ended the connection, or kept it from being made
        self.statuses: list[int] = []  # the bad ones of its making
        self._ready = anyio.Event()
        self._ended = anyio.Event()
        self._all = anyio.CancelScope()
        self._use = anyio.CancelScope()

    async def open(self, within_s: float) -> None:
        """Connect, or see `failure`; raises `ConnectTimeout`. Whatever goes wrong, nothing is left open."""
        await anyio.to_thread.run_sync(_load_libraries)
        spawn(self._run)
        try:
            with anyio.fail_after(within_s):
                await self._ready.wait()
        except TimeoutError:
            await self.aclose()
            raise self.late(within_s) from None
        except BaseException:  # whoever is cancelled while it opens leaves nothing open either
            await self.aclose()
            raise
        if self.client is None:
            await self.aclose()

    def late(self, within_s: float) -> ConnectTimeout:
        """Return what says that the server was not ready in time."""
        return ConnectTimeout(
            f"{self._link.label} was not ready within {within_s:g} s{self._link.noise}{self._link.last_words()}"
        )

    async def aclose(self) -> None:
        """End the connection and wait for its end; a cancellation does not cut that short."""
        (self._all if self.client is None else self._use).cancel()
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(CLOSE_S):
                await self._ended.wait()
            self._all.cancel()
            with anyio.move_on_after(KILL_S):
                await self._ended.wait()

    async def _run(self) -> None:
        statuses.set(self.statuses)
        try:
            with self._all:
                async with AsyncExitStack() as stack:
                    self.client = await self._connect(stack)
                    self._ready.set()
                    with self._use:
                        await self._follow(self.client)
                        await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            raise
        except Exception as error:  # the SDK raises what its tasks do, and nobody stands above this task
            self.failure = error
        finally:
            self.client = None
            self._ready.set()
            self._ended.set()

    async def _connect(self, stack: AsyncExitStack) -> Client:
        from mcp import Client

        transport = await self._link.open(stack)
        return await stack.enter_async_context(Client(transport, cache=None, **self._options))


def _load_libraries() -> None:
    """Import the SDK and read the certificates, which takes more than a second once and would hold up a loop."""
    import mcp  # noqa: F401 - only loaded here

    tls_context()
