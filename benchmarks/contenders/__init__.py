"""Who is measured.

A module each: `PACKAGE` is the distribution whose version is told, `CASES` what it runs: the name of the case, its
protocol, and an async function that makes ready for a URL and returns another, which reads one stream to its end and
returns the text. What must be closed goes on the stack.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from importlib import import_module
from types import ModuleType
from typing import TypeAlias

__all__ = ["CONTENDERS", "Read", "Ready", "load"]

Read: TypeAlias = Callable[[], Awaitable[str]]
Ready: TypeAlias = Callable[[str, AsyncExitStack], Awaitable[Read]]

# The extra of pyproject.toml that installs each.
CONTENDERS = {
    "transports": "bench",
    "openai_sdk": "bench",
    "anthropic_sdk": "bench",
    "litellm_sdk": "bench",
    "langchain": "bench",
    "pydantic_ai_agent": "bench",
    "any_llm_sdk": "bench-any-llm",
}


def load(name: str) -> ModuleType:
    """Import the module of a contender, and with it what it measures."""
    return import_module(f"benchmarks.contenders.{name}")
