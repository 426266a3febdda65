"""What `agent.run` and its like return: an async iterator that is also a context manager."""

from __future__ import annotations

from collections.abc import Callable
from types import AsyncGeneratorType, TracebackType
from typing import Generic, TypeVar, cast

from streamkit.agent.background import Closer, closer
from streamkit.agent.loop import Item, Loop
from streamkit.errors import ConfigError

__all__ = ["Run"]

T = TypeVar("T")


class Run(Generic[T]):
    """One run of an agent, which starts with the first item that is asked for.

    `async for` reads it, once. It may be left at any item: under `async with`, or by `aclose`, connections and tools
    have ended when the block has; after a bare `break` they end in the background as soon as nothing refers to the
    run. The history is whole and the agent free in either case. Raises `ConfigError` at the start where the agent is
    in another run.
    """

    def __init__(self, loop: Loop, pick: Callable[[Item], T | None]) -> None:
        self._loop = loop
        self._pick = pick
        self._items: AsyncGeneratorType[Item, None] | None = None
        self._close_later: Closer
        self._closed = False

    def __aiter__(self) -> Run[T]:
        return self

    async def __anext__(self) -> T:
        if self._closed:
            raise StopAsyncIteration
        items = self._items or self._start()
        while True:
            item = self._pick(await items.__anext__())
            if item is not None:
                return item

    async def aclose(self) -> None:
        """End the run; does nothing where it has ended. Raises `ConfigError` while another task reads it."""
        items = self._items if self._is_live() else None
        if items is not None and items.ag_running:
            raise ConfigError("the run is being read by another task: cancel that task to end the run")
        self._closed = True
        if items is not None:
            await items.aclose()

    async def __aenter__(self) -> Run[T]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __del__(self) -> None:
        if self._items is not None and self._is_live():
            self._loop.settle()
            self._close_later(self._items)

    def _is_live(self) -> bool:
        return self._items is not None and self._items.ag_frame is not None

    def _start(self) -> AsyncGeneratorType[Item, None]:
        self._close_later = closer()
        self._loop.start()
        self._items = cast(AsyncGeneratorType[Item, None], self._loop.items())
        return self._items
