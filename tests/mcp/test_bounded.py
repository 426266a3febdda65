"""Bodies of bounded size."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

httpx2 = pytest.importorskip("httpx2", reason="the extra `mcp` is not installed")

bounded = pytest.importorskip("streamkit.mcp.bounded", reason="the extra `mcp` is not installed")


async def body() -> AsyncIterator[bytes]:
    yield b"12345"
    yield b"67890"


@pytest.mark.parametrize(("limit", "whole"), [(10, True), (9, False)])
async def test_a_body_is_read_up_to_the_limit(limit: int, whole: bool) -> None:
    response = httpx2.Response(200, content=body())
    response.stream = bounded.BoundedStream(response, limit)
    if whole:
        assert await response.aread() == b"1234567890"
    else:
        with pytest.raises(httpx2.StreamError, match="longer than max_event_bytes, 9 bytes"):
            await response.aread()
        await response.aclose()


async def test_a_compressed_body_is_not_read_at_all() -> None:
    response = httpx2.Response(200, content=body(), headers={"content-encoding": "gzip"})
    response.stream = bounded.BoundedStream(response, 10)
    with pytest.raises(httpx2.StreamError, match="compressed"):
        await response.aread()
    await response.aclose()
