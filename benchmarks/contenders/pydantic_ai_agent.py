"""Pydantic AI's agent, text as deltas without grouping by time."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from benchmarks.contenders import Read

PACKAGE = "pydantic-ai-slim"


def _reader(model: Any) -> Read:
    agent = Agent(model)

    async def read() -> str:
        async with agent.run_stream("Hello") as run:
            return "".join([piece async for piece in run.stream_text(delta=True, debounce_by=None)])

    return read


async def _openai(url: str, stack: AsyncExitStack) -> Read:
    return _reader(OpenAIChatModel("m", provider=OpenAIProvider(base_url=url + "/v1", api_key="none")))


async def _anthropic(url: str, stack: AsyncExitStack) -> Read:
    return _reader(AnthropicModel("m", provider=AnthropicProvider(base_url=url, api_key="none")))


CASES = {
    "pydantic-ai, openai-chat": ("openai-chat", _openai),
    "pydantic-ai, anthropic": ("anthropic", _anthropic),
}
