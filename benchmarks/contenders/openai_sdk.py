"""OpenAI's SDK: the raw stream, and the accumulating helper."""

from __future__ import annotations

from contextlib import AsyncExitStack

from openai import AsyncOpenAI

from benchmarks.contenders import Read

PACKAGE = "openai"

_MESSAGES = [{"role": "user", "content": "Hello"}]


async def _raw(url: str, stack: AsyncExitStack) -> Read:
    client = await stack.enter_async_context(AsyncOpenAI(api_key="none", base_url=url + "/v1"))

    async def read() -> str:
        pieces = []
        async for chunk in await client.chat.completions.create(model="m", messages=_MESSAGES, stream=True):
            if chunk.choices and chunk.choices[0].delta.content:
                pieces.append(chunk.choices[0].delta.content)
        return "".join(pieces)

    return read


async def _helper(url: str, stack: AsyncExitStack) -> Read:
    client = await stack.enter_async_context(AsyncOpenAI(api_key="none", base_url=url + "/v1"))

    async def read() -> str:
        pieces = []
        async with client.chat.completions.stream(model="m", messages=_MESSAGES) as stream:
            async for event in stream:
                if event.type == "content.delta":
                    pieces.append(event.delta)
        return "".join(pieces)

    return read


CASES = {
    "openai, raw stream": ("openai-chat", _raw),
    "openai, .stream()": ("openai-chat", _helper),
}
