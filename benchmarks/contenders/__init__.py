"""Who is measured.

A module each: `EXTRA` names the extra of pyproject.toml that installs it, `PACKAGE` the distribution whose version is
told, `CASES` what it runs: the name of the case, its protocol, and an async function that makes ready for a URL and
returns another, which reads one stream to its end and returns the text. What must be closed goes on the stack.
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

CONTENDERS = (
    "transports",
    "openai_sdk",
    "anthropic_sdk",
    "litellm_sdk",
    "langchain",
    "pydantic_ai_agent",
    "any_llm_sdk",
)


def load(name: str) -> ModuleType:
    """Import the module of a contender, and with it what it measures."""
    return import_module(f"benchmarks.contenders.{name}")
