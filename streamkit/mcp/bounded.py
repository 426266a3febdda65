"""A body of bounded size."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator

from httpx2 import AsyncByteStream, Response, StreamError

__all__ = ["BoundedStream"]


class BoundedStream(AsyncByteStream):
    """The body of `response`; reading raises `StreamError` past `limit` bytes, and at once where it is compressed.

    Of a compressed body no size can be told before it fills the memory; none was asked for.
    """

    def __init__(self, response: Response, limit: int) -> None:
        assert isinstance(response.stream, AsyncByteStream)
        self._stream = response.stream
        self._coding = response.headers.get("content-encoding", "identity")
        self._limit = self._left = limit
        self._chunks: AsyncIterator[bytes] | None = None

    def __aiter__(self) -> AsyncIterator[bytes]:
        if self._coding != "identity":
            raise StreamError(f"the body is compressed ({self._coding!r}), which was not asked for")
        self._chunks = aiter(self._stream)
        return self

    async def __anext__(self) -> bytes:
        assert self._chunks is not None
        chunk = await anext(self._chunks)
        self._left -= len(chunk)
        if self._left < 0:
            raise StreamError(f"the body is longer than max_event_bytes, {self._limit} bytes")
        return chunk

    async def aclose(self) -> None:
        if isinstance(self._chunks, AsyncGenerator):
            await self._chunks.aclose()  # trio warns of one that is left in the middle
        await self._stream.aclose()
