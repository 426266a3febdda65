"""any-llm, on both dialects."""

from __future__ import annotations

from contextlib import AsyncExitStack

from any_llm import acompletion

from benchmarks.contenders import Read, Ready

PACKAGE = "any-llm-sdk"


def _reader(provider: str, path: str) -> Ready:
    async def ready(url: str, stack: AsyncExitStack) -> Read:
        async def read() -> str:
            pieces = []
            stream = await acompletion(
                model="m",
                provider=provider,
                messages=[{"role": "user", "content": "Hello"}],
                api_base=url + path,
                api_key="none",
                stream=True,
            )
            async for chunk in stream:
                if chunk.choices and chunk.choices[0].delta.content:
                    pieces.append(chunk.choices[0].delta.content)
            return "".join(pieces)

        return read

    return ready


CASES = {
    "any-llm, openai-chat": ("openai-chat", _reader("openai", "/v1")),
    "any-llm, anthropic": ("anthropic", _reader("anthropic", "")),
}
