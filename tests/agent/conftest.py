"""What the tests of agents share: agents that talk to a script, and what must hold after any run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import anyio
import httpx
import msgspec
import pytest

from streamkit.agent import Agent
from streamkit.messages import Message
from streamkit.testing import ReplayServer, ReplayTransport
from tests.runs import assert_answered

MakeAgent: TypeAlias = Callable[..., Agent]
BASES = {"openai": "/v1", "anthropic": ""}


@pytest.fixture(params=list(BASES))
def provider(request: pytest.FixtureRequest) -> str:
    """The dialects in turn."""
    return str(request.param)


@pytest.fixture
def make_agent(provider: str) -> MakeAgent:
    """Makes an agent on a script, a transport or a server: `make_agent(script, tools=[…])`."""

    def make(replies: Any, **options: Any) -> Agent:
        if isinstance(replies, ReplayServer):
            options["base_url"] = replies.url + BASES[provider]
        else:
            transport = replies if isinstance(replies, ReplayTransport) else ReplayTransport(replies)
            options["http_client"] = httpx.AsyncClient(transport=transport)
        return Agent(f"{provider}/m", api_key="key", **{"retry": 0, **options})

    return make


@pytest.fixture
def watch() -> Callable[[ReplayServer], Awaitable[Callable[[], Awaitable[None]]]]:
    """`clean = await watch(server)` before a run, `await clean()` after it: no connection and no task is left."""

    async def start(server: ReplayServer) -> Callable[[], Awaitable[None]]:
        await anyio.wait_all_tasks_blocked()
        before = {task.id for task in anyio.get_running_tasks()}

        def left() -> list[str]:
            return [task.name or "" for task in anyio.get_running_tasks() if task.id not in before]

        async def clean() -> None:
            with anyio.move_on_after(1):
                while server.connections or left():  # noqa: ASYNC110 # nothing tells when a task has gone
                    await anyio.sleep(0.002)
            assert (server.connections, left()) == (0, [])

        return clean

    return start


@pytest.fixture
def assert_whole() -> Callable[[list[Message]], None]:
    """Checks that a history is one that providers take, and plain JSON."""

    def check(history: list[Message]) -> None:
        assert_answered(history)
        assert msgspec.json.decode(msgspec.json.encode(history), type=list[Message]) == history

    return check
