"""The transports with nothing on top: the bytes are read and dropped."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from benchmarks.contenders import Read, Ready

EXTRA = "bench"
PACKAGE = "httpx"

_PATHS = {"openai-chat": "/v1/chat/completions", "anthropic": "/v1/messages"}


def _reader(transport: str, protocol: str) -> Ready:
    async def ready(url: str, stack: AsyncExitStack) -> Read:
        client = await stack.enter_async_context(new_client(transport))

        async def read() -> str:
            async with client.stream("POST", url + _PATHS[protocol], json={"stream": True}) as response:
                async for _ in response.aiter_raw():
                    pass
            return ""

        return read

    return ready


def new_client(transport: str) -> Any:
    """Return an http client over the transport named: httpx, httpx2 or aiohttp."""
    if transport == "httpx2":
        import httpx2

        return httpx2.AsyncClient(trust_env=False)
    import httpx

    if transport == "aiohttp":
        from httpx_aiohttp import AiohttpTransport

        return httpx.AsyncClient(transport=AiohttpTransport(), trust_env=False)
    return httpx.AsyncClient(trust_env=False)


CASES = {
    f"bare {transport}, {protocol}": (protocol, _reader(transport, protocol))
    for transport in ("httpx", "httpx2", "aiohttp")
    for protocol in _PATHS
}
