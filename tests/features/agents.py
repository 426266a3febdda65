"""Agents on a script, for the tests of features."""

from __future__ import annotations

from typing import Any

import httpx

from streamkit import Agent, MessageOutput
from streamkit.testing import ReplayTransport

__all__ = ["PROVIDERS", "agent_on", "run"]

PROVIDERS = ["openai", "anthropic", "gemini"]


def agent_on(script: Any, provider: str = "openai", **options: Any) -> tuple[Agent, ReplayTransport]:
    """An agent whose model says what the script does, and the transport that has its requests."""
    transport = ReplayTransport(script)
    http = httpx.AsyncClient(transport=transport)
    return Agent(f"{provider}/m", api_key="key", http_client=http, **{"retry": 0, **options}), transport


async def run(agent: Agent, query: Any = "go") -> list[MessageOutput]:
    """All that a run yields."""
    return [output async for output in agent.run(query)]
