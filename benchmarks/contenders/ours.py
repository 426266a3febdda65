"""streamkit's client over each transport."""

from __future__ import annotations

from contextlib import AsyncExitStack

from benchmarks.contenders import Read, Ready
from benchmarks.contenders.bare import new_client
from streamkit import Client, TextDelta

EXTRA = "bench"
PACKAGE = "streamkit"

_MODELS = {"openai-chat": ("openai/m", "/v1"), "anthropic": ("anthropic/m", "")}


def _reader(transport: str, protocol: str) -> Ready:
    async def ready(url: str, stack: AsyncExitStack) -> Read:
        model, path = _MODELS[protocol]
        http = await stack.enter_async_context(new_client(transport))
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


CASES = {
    f"streamkit on {transport}, {protocol}": (protocol, _reader(transport, protocol))
    for transport in ("httpx", "httpx2", "aiohttp")
    for protocol in _MODELS
}
