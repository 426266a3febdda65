"""Streams of a real llama.cpp server that do not come to their end: left, cancelled, waited for, or killed."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from streamkit.agent import Agent
from streamkit.deltas import TextDelta
from streamkit.errors import StreamkitError, TransportError, TruncatedStream

pytestmark = pytest.mark.live

STORY = "Write a long story about a king."
LONG = {"temperature": 0, "max_tokens": 400}
ENDLESS = {"temperature": 0, "max_tokens": 1900, "ignore_eos": True}
BOTH_LOOPS = pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])


@BOTH_LOOPS
@pytest.mark.parametrize("how", ["left", "closed", "cancelled"])
async def test_a_stream_that_is_given_up_frees_the_server(connect, server, how):
    text = ""
    async with connect() as client:
        with anyio.CancelScope() as scope:
            async with client.stream(STORY, **LONG) as stream:
                async for delta in stream:
                    text += delta.text if isinstance(delta, TextDelta) else ""
                    if len(text) > 20:
                        if how == "left":
                            break
                        elif how == "closed":
                            await stream.aclose()
                        else:
                            scope.cancel()
        assert scope.cancelled_caught == (how == "cancelled")
        assert stream.output.message.text.startswith(text)
        await server.idle()
        assert (await client.send("Hi.", max_tokens=2)).message.text


@pytest.fixture(scope="module")
def narrow(start):
    """A server that answers one at a time; the others wait, and get no byte meanwhile."""
    with start(n_parallel=1) as server:
        yield server


@BOTH_LOOPS
async def test_a_request_that_waits_for_another_is_answered_when_that_is_left(connect, narrow):
    async with connect(server=narrow) as client, client.stream(STORY, **ENDLESS) as first:
        async for _ in first:
            break
        with anyio.move_on_after(0.5) as scope:
            await client.send("Hi.", max_tokens=2)
        assert scope.cancelled_caught  # it waits: the first is still being written
        await first.aclose()
        assert (await client.send("Hi.", max_tokens=2)).message.text


@BOTH_LOOPS
async def test_a_request_that_is_cancelled_while_it_waits_is_never_worked_on(connect, narrow):
    async with connect(server=narrow) as client:
        async with client.stream(STORY, **ENDLESS) as first:
            async for _ in first:
                break
            with anyio.move_on_after(0.5) as scope:
                await client.send(STORY, **ENDLESS)
            assert scope.cancelled_caught
        await narrow.idle()
        assert (await client.send("Hi.", max_tokens=2)).message.text


@BOTH_LOOPS
@pytest.mark.parametrize("dialect", ["both"])  # at once
async def test_a_server_that_dies_leaves_what_was_shown(start, connect, dialect):
    with start(n_ctx=4096, n_parallel=4) as server:
        async with connect("openai-chat", server=server) as chat, connect("anthropic", server=server) as messages:
            deaths = Deaths(server)
            agents = [Agent(client=client, **LONG) for client in (chat, messages)]
            async with anyio.create_task_group() as tasks:
                for client in (chat, messages):
                    tasks.start_soon(deaths.meet, client.stream(STORY, **LONG))
                for agent in agents:
                    tasks.start_soon(deaths.meet, agent.run_stream(STORY))
            assert len(deaths.errors) == 4
            for error, text in deaths.errors:
                assert isinstance(error, TransportError | TruncatedStream)
                assert error.partial.message.text == text
                assert error.partial.finish_reason is None
            kept = [agent.history[-1].text for agent in agents]
            assert all(text in kept for error, text in deaths.errors if error.partial.source_agent)
            for client in (chat, messages):
                with pytest.raises(TransportError, match="cannot connect to llamacpp at 127.0.0.1"):
                    await client.send("Hi.")


class Deaths:
    """Streams that are read until all show some text, when the server is killed, and the errors that they meet."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.waiting = 4
        self.errors: list[tuple[StreamkitError, str]] = []

    async def meet(self, stream: Any) -> None:
        text = ""
        with pytest.raises(StreamkitError) as caught:
            async with stream:
                async for item in stream:
                    delta = getattr(item, "delta", item)
                    if isinstance(delta, TextDelta):
                        self.show(text)
                        text += delta.text
        self.errors.append((caught.value, text))

    def show(self, before: str) -> None:
        """Count a stream that shows its first text."""
        self.waiting -= not before
        if self.waiting == 0:
            self.waiting = -1
            self.server.kill()
