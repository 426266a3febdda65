"""Anthropic's SDK: the raw stream, and the accumulating helper."""

from __future__ import annotations

from contextlib import AsyncExitStack

from anthropic import AsyncAnthropic

from benchmarks.contenders import Read

PACKAGE = "anthropic"

_REQUEST = {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}


async def _raw(url: str, stack: AsyncExitStack) -> Read:
    client = await stack.enter_async_context(AsyncAnthropic(api_key="none", base_url=url))

    async def read() -> str:
        pieces = []
        async for event in await client.messages.create(**_REQUEST, stream=True):
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                pieces.append(event.delta.text)
        return "".join(pieces)

    return read


async def _helper(url: str, stack: AsyncExitStack) -> Read:
    client = await stack.enter_async_context(AsyncAnthropic(api_key="none", base_url=url))

    async def read() -> str:
        pieces = []
        async with client.messages.stream(**_REQUEST) as stream:
            async for text in stream.text_stream:
                pieces.append(text)
        return "".join(pieces)

    return read


CASES = {
    "anthropic, raw stream": ("anthropic", _raw),
    "anthropic, .stream()": ("anthropic", _helper),
}
