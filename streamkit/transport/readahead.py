"""A body that is read while its consumer is busy, so that what came meanwhile can be taken at once."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio

from streamkit.transport.background import spawn

__all__ = ["ReadAhead"]

HELD_BYTES = 256 << 10


class ReadAhead:
    """Reads on from `chunks` in a task of its own; each item is all that has come since the one before.

    No timer is in it: an item is handed over as soon as there is one. Once `limit` bytes are held, reading waits for
    the consumer, and so does the sender. An error of the source comes after all that came before it.
    """

    def __init__(self, chunks: AsyncIterator[bytes], limit: int = HELD_BYTES) -> None:
        self._chunks = chunks
        self._limit = limit
        self._held: list[bytes] = []
        self._size = 0
        self._error: Exception | None = None
        self._scope: anyio.CancelScope | None = None
        self._some = anyio.Event()
        self._room = anyio.Event()
        self._ended = anyio.Event()

    def start(self) -> None:
        """Begin to read."""
        self._scope = anyio.CancelScope()
        spawn(self._read)

    async def stop(self) -> None:
        """End reading, wherever it stands; what is held can still be taken. May be called again."""
        if self._scope is not None:
            self._scope.cancel()
            if not self._ended.is_set():  # else there is nothing to wait for, not even other tasks
                with anyio.CancelScope(shield=True):
                    await self._ended.wait()

    async def drain(self, seconds: float) -> None:
        """Wait so long at most for the end of the source; what comes until then is held as ever."""
        with anyio.move_on_after(seconds):
            await self._ended.wait()

    def __aiter__(self) -> ReadAhead:
        return self

    async def __anext__(self) -> bytes:
        while not self._held:
            if self._ended.is_set():
                if self._error is not None:
                    raise self._error
                raise StopAsyncIteration
            self._some = anyio.Event()
            await self._some.wait()
        data = self._held[0] if len(self._held) == 1 else b"".join(self._held)
        self._held.clear()
        self._size = 0
        self._room.set()
        return data

    async def _read(self) -> None:
        assert self._scope is not None, "started"
        try:
            with self._scope:
                async for chunk in self._chunks:
                    self._held.append(chunk)
                    self._size += len(chunk)
                    self._some.set()
                    if self._size >= self._limit:
                        self._room = anyio.Event()
                        await self._room.wait()
        except Exception as error:  # whatever the source raises is for the consumer
            self._error = error
        finally:
            self._ended.set()
            self._some.set()
