"""What tasks tell one reader, in order: some of it is always taken, some waits until there is room."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

import anyio

__all__ = ["Channel"]

T = TypeVar("T")


class Channel(Generic[T]):
    """A queue of one reader, who iterates it until it is closed and empty.

    `put` is for what comes a bounded number of times; `send` waits while `room` items that were sent are unread, in
    the order of the callers. What comes after `close` is dropped.
    """

    def __init__(self, room: int) -> None:
        self._items: deque[tuple[bool, T]] = deque()
        self._room = anyio.Semaphore(room)
        self._arrived = anyio.Event()
        self._closed = False

    def put(self, item: T) -> None:
        """Add an item at once."""
        self._add(False, item)

    async def send(self, item: T) -> None:
        """Add an item when there is room for it."""
        await self._room.acquire()
        if self._closed:
            self._room.release()  # for the next that waits
        else:
            self._add(True, item)

    def close(self) -> None:
        """Take no more; the reader ends after what is there, and nobody waits any longer."""
        if not self._closed:
            self._closed = True
            self._arrived.set()
            self._room.release()

    def __aiter__(self) -> Channel[T]:
        return self

    async def __anext__(self) -> T:
        while not self._items:
            if self._closed:
                raise StopAsyncIteration
            self._arrived = anyio.Event()
            await self._arrived.wait()
        was_sent, item = self._items.popleft()
        if was_sent:
            self._room.release()
        return item

    def _add(self, was_sent: bool, item: T) -> None:
        if not self._closed:
            self._items.append((was_sent, item))
            self._arrived.set()
