"""LangChain's chat models."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI

from benchmarks.contenders import Read

PACKAGE = "langchain-core"


def _reader(model: Any) -> Read:
    async def read() -> str:
        return "".join([chunk.text async for chunk in model.astream("Hello")])

    return read


async def _openai(url: str, stack: AsyncExitStack) -> Read:
    return _reader(ChatOpenAI(model="m", api_key="none", base_url=url + "/v1"))


async def _anthropic(url: str, stack: AsyncExitStack) -> Read:
    return _reader(ChatAnthropic(model_name="m", api_key="none", base_url=url))


CASES = {
    "langchain-openai": ("openai-chat", _openai),
    "langchain-anthropic": ("anthropic", _anthropic),
}
