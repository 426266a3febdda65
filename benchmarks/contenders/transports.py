"""streamkit's client on each transport, the floor in its place, and nothing in it: the bytes are read and dropped."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from benchmarks.contenders import Read, Ready
from benchmarks.floor import FloorReader
from streamkit import Client, TextDelta

PACKAGE = "streamkit"

TRANSPORTS = ("httpx", "httpx2", "aiohttp")
_PATHS = {"openai-chat": "/v1/chat/completions", "anthropic": "/v1/messages"}
_MODELS = {"openai-chat": ("openai/m", "/v1"), "anthropic": ("anthropic/m", "")}


def _bare(transport: str, protocol: str) -> Ready:
    async def ready(url: str, stack: AsyncExitStack) -> Read:
        client = await stack.enter_async_context(_new_client(transport))

        async def read() -> str:
            async with client.stream("POST", url + _PATHS[protocol], json={"stream": True}) as response:
                async for _ in response.aiter_raw():
                    pass
            return ""

        return read

    return ready


def _floor(transport: str, protocol: str) -> Ready:
    """The floor where it would stand: behind the transport, which leaves it cold caches."""

    async def ready(url: str, stack: AsyncExitStack) -> Read:
        client = await stack.enter_async_context(_new_client(transport))

        async def read() -> str:
            take = FloorReader(protocol).take
            async with client.stream("POST", url + _PATHS[protocol], json={"stream": True}) as response:
                async for chunk in response.aiter_raw():
                    take(chunk)
            return ""

        return read

    return ready


def _streamkit(transport: str, protocol: str) -> Ready:
    async def ready(url: str, stack: AsyncExitStack) -> Read:
        model, path = _MODELS[protocol]
        http = await stack.enter_async_context(_new_client(transport))
        client = Client(model, api_key="none", base_url=url + path, http_client=http)

        async def read() -> str:
            pieces = []
            async with client.stream("Hello") as stream:
                async for delta in stream:
                    if type(delta) is TextDelta:
                        pieces.append(delta.text)
            assert stream.output.message.text == "".join(pieces)
            return "".join(pieces)

        return read

    return ready


def _new_client(transport: str) -> Any:
    if transport == "httpx2":
        import httpx2

        return httpx2.AsyncClient(trust_env=False)
    import httpx

    if transport == "aiohttp":
        from httpx_aiohttp import AiohttpTransport

        return httpx.AsyncClient(transport=AiohttpTransport(), trust_env=False)
    return httpx.AsyncClient(trust_env=False)


CASES = {
    f"{name} {transport}, {protocol}": (protocol, make(transport, protocol))
    for protocol in _PATHS
    for transport in TRANSPORTS
    for name, make in (("bare", _bare), ("floor on", _floor), ("streamkit on", _streamkit))
}
