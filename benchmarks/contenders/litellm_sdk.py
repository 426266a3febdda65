"""LiteLLM, on both dialects."""

from __future__ import annotations

from contextlib import AsyncExitStack

import litellm

from benchmarks.contenders import Read, Ready

PACKAGE = "litellm"


def _reader(model: str, path: str) -> Ready:
    async def ready(url: str, stack: AsyncExitStack) -> Read:
        async def read() -> str:
            pieces = []
            stream = await litellm.acompletion(
                model=model,
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
    "litellm, openai-chat": ("openai-chat", _reader("openai/m", "/v1")),
    "litellm, anthropic": ("anthropic", _reader("anthropic/m", "")),
}
