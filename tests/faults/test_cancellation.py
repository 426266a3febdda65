"""A consumer that goes away, in every way and at every phase: the provider sees it, and what came stays readable."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import anyio.abc
import pytest
from msgspec import Struct

from streamkit.accumulator import accumulate
from streamkit.agent import Agent
from streamkit.client import Client, Stream
from streamkit.client.retries import Retry
from streamkit.deltas import Delta, MessageDeltaOutput
from streamkit.errors import StreamkitError
from streamkit.testing import ReplayServer, wires
from streamkit.testing.replies import ReplyLike
from streamkit.usage import Usage
from tests.faults.harness import ANSWER, KEY, body, client_at, place, said, until

# Of generators that httpx and httpcore leave to the garbage collector; trio tells of them.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning")  # see above

B = body("anthropic")
HALF = "Let me look.|It is su"
MIDDLE = place(HALF, "anthropic")
SEEN_S = 1.0  # within which the provider sees that the consumer has gone


class Phase(Struct):
    """Where a stream stands when its consumer leaves: what was asked for by then, and what had been shown."""

    replies: list[ReplyLike]
    requests: int
    shown: str = "|"
    wait_s: float = 0.0  # before a retry
    idle: int = 0  # connections that are kept for it


PHASES = {
    "waiting for the headers": Phase([wires.unanswered("hangs")], 1),
    "before the first token": Phase([wires.stall(B, after=place("|", "anthropic"))], 1),
    "in the middle": Phase([wires.stall(B, after=MIDDLE)], 1, HALF),
    "among pings": Phase([wires.endless(B[:MIDDLE], every_s=0.002)], 1, HALF),
    "before it asks again": Phase([wires.error(529), ANSWER], 1, wait_s=30, idle=1),
    "before it asks anew": Phase([wires.close(B, after=MIDDLE), ANSWER], 1, HALF, wait_s=30),
    "asking anew": Phase([wires.close(B, after=MIDDLE), wires.unanswered("hangs")], 2, HALF),
}
LIMITS = {"first_token_timeout_s": 30, "idle_timeout_s": 30, "total_timeout_s": 30}
HOW: list[tuple[dict[str, Any], bool]] = [({}, False), (LIMITS, True)]

Read: TypeAlias = Callable[[], Awaitable[None]]


async def by_cancel(read: Read, stream: Stream, stands: Callable[[], Awaitable[None]]) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await stands()
        tasks.cancel_scope.cancel()


async def by_fail_after(read: Read, stream: Stream, stands: Callable[[], Awaitable[None]]) -> None:
    with suppress(TimeoutError), anyio.fail_after(30) as scope:  # it is to be late
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            await stands()
            scope.deadline = anyio.current_time()


async def by_aclose(read: Read, stream: Stream, stands: Callable[[], Awaitable[None]]) -> None:
    async def reads() -> None:
        with suppress(StreamkitError):  # closing is an error for who reads
            await read()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reads)
        await stands()
        await stream.aclose()


WAYS = {"cancel": by_cancel, "fail_after": by_fail_after, "aclose": by_aclose}


@pytest.mark.feature("D: openai-openapi#539")
@pytest.mark.parametrize(("options", "coalesce"), HOW, ids=["plain", "watched and merged"])
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("way", WAYS)
async def test_the_provider_sees_the_consumer_go_and_what_came_stays(
    way: str, phase: str, options: dict[str, Any], coalesce: bool
) -> None:
    case = PHASES[phase]
    policy = Retry(first_wait_s=case.wait_s, cap_s=case.wait_s, after_content=True)
    async with ReplayServer(case.replies) as server:
        await anyio.wait_all_tasks_blocked()
        before = len(anyio.get_running_tasks())
        async with client_at(server, "anthropic", retry=policy, **options) as client:
            stream = client.stream("How is it?", max_tokens=50, coalesce=coalesce)
            deltas: list[Delta] = []

            async def read() -> None:
                async with stream:
                    async for delta in stream:
                        deltas.append(delta)  # noqa: PERF401 - each as it comes

            async def stands() -> None:
                await until(lambda: len(server.requests) == case.requests and said(stream.output.message) == case.shown)
                await anyio.sleep(0.02)

            with anyio.fail_after(5):
                await WAYS[way](read, stream, stands)
            await until(lambda: server.connections == case.idle, SEEN_S)
            await until(lambda: len(anyio.get_running_tasks()) <= before + case.idle, SEEN_S)
    assert len(server.requests) == case.requests
    assert said(stream.output.message) == case.shown
    assert accumulate(deltas).message == stream.output.message
    assert stream.output.finish_reason is None
    if case.shown != "|":
        assert stream.output.usage == Usage(input_tokens=12, output_tokens=1)


async def test_a_consumer_that_goes_while_it_connects_leaves_nothing() -> None:
    """The queue of a listener that accepts nobody is full, so that no handshake ends."""
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        fillers = []
        for _ in range(4):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
            fillers.append(filler)
        await anyio.wait_all_tasks_blocked()
        before = len(anyio.get_running_tasks())
        async with client_at(f"http://127.0.0.1:{port}") as client:
            with anyio.move_on_after(0.1) as scope:
                await client.send("How is it?")
            assert scope.cancelled_caught
            await until(lambda: len(anyio.get_running_tasks()) <= before, SEEN_S)
        for filler in fillers:
            filler.close()


# ---- left behind


@pytest.mark.parametrize(("options", "coalesce"), HOW, ids=["plain", "watched and merged"])
async def test_a_generator_around_a_stream_that_is_left_behind_is_closed(
    coalesce: bool, options: dict[str, Any]
) -> None:
    async def texts(client: Client) -> AsyncIterator[Delta]:
        async with client.stream("How is it?", max_tokens=50, coalesce=coalesce) as stream:
            async for delta in stream:
                yield delta

    async with ReplayServer(wires.stall(B, after=MIDDLE)) as server:
        async with client_at(server, "anthropic", **options) as client:
            async with aclosing(texts(client)) as generator:  # by its owner, as trio wants it
                async for _ in generator:
                    break
            await until(lambda: not server.connections, SEEN_S)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_generator_that_nobody_closes_is_closed_by_the_event_loop(anyio_backend: str) -> None:
    async def texts(client: Client) -> AsyncIterator[Delta]:
        async with client.stream("How is it?", max_tokens=50) as stream:
            async for delta in stream:
                yield delta

    async with ReplayServer(wires.stall(B, after=MIDDLE)) as server, client_at(server, "anthropic") as client:
        async for _ in texts(client):
            break
        gc.collect()
        await until(lambda: not server.connections, SEEN_S)


# ---- through an agent


AGENT_PHASES = [
    "waiting for the headers",
    "in the middle",
    "before it asks again",
    "before it asks anew",
    "asking anew",
]


@pytest.mark.feature("first-5")
@pytest.mark.parametrize("way", ["cancel", "fail_after"])
@pytest.mark.parametrize("phase", AGENT_PHASES)
async def test_a_run_that_is_cancelled_keeps_what_was_shown(phase: str, way: str) -> None:
    case = PHASES[phase]
    policy = Retry(first_wait_s=case.wait_s, cap_s=case.wait_s, after_content=True)
    async with ReplayServer([*case.replies[: case.requests], ANSWER]) as server:
        agent = Agent(
            "anthropic/claude-haiku-4-5",
            api_key=KEY,
            base_url=server.url,
            retry=policy,
            idle_timeout_s=30,
            max_tokens=50,
        )
        pieces: list[MessageDeltaOutput] = []

        async def read() -> None:
            async with agent.run_stream("How is it?") as run:
                async for piece in run:
                    pieces.append(piece)  # noqa: PERF401 - each as it comes

        async def stands() -> None:
            await until(lambda: len(server.requests) == case.requests)
            await until(lambda: said(accumulate(piece.delta for piece in pieces).message) == case.shown)
            await anyio.sleep(0.02)

        with anyio.fail_after(5):
            await WAYS[way](read, None, stands)
        await until(lambda: not server.connections, SEEN_S)
        shown = [said(message) for message in agent.history[1:]]
        assert shown == ([case.shown] if case.shown != "|" else [])
        assert agent.usage == (Usage(input_tokens=12, output_tokens=1) if case.shown != "|" else Usage())

        agent.history = []
        outputs = [output async for output in agent.run("Again?")]
        assert said(outputs[-1].message) == "Let me look.|It is sunny in Oslo."


# ---- the end of the interpreter


SCRIPT = """
import os, signal, sys
import anyio
from streamkit import Client

async def main():
    client = Client("anthropic/claude-haiku-4-5", api_key="k", base_url=sys.argv[1], total_timeout_s=30)
    async with client, client.stream("How is it?", max_tokens=50, coalesce=sys.argv[3] == "merged") as stream:
        async for delta in stream:
            if "su" in stream.output.message.text:
                HOW

anyio.run(main, backend=sys.argv[2])
"""
EXITS = {
    "sys.exit": ("sys.exit(3)", 3),
    "interrupt": ("os.kill(os.getpid(), signal.SIGINT)", None),
    "error": ("raise ZeroDivisionError", 1),
    "os._exit": ("os._exit(4)", 4),
}
# A process each costs a second.
HOW_IT_ENDS = {"asyncio": ["sys.exit", "interrupt", "os._exit"], "trio": ["sys.exit", "interrupt", "error"]}


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("loop", ["asyncio", "trio"])
async def test_the_provider_sees_the_interpreter_end_and_nothing_is_said_of_it(anyio_backend: str, loop: str) -> None:
    for how in HOW_IT_ENDS[loop]:
        code, expected = EXITS[how]
        async with ReplayServer(wires.stall(B, after=MIDDLE)) as server:
            merged = "merged" if how == "interrupt" else "each"
            command = [sys.executable, "-W", "error", "-X", "dev", "-c", SCRIPT.replace("HOW", code)]
            environment = {"PYTHONPATH": str(Path(__file__).parents[2])}
            with anyio.fail_after(30):
                done = await anyio.run_process(
                    [*command, server.url, loop, merged], env=environment, check=False, stdin=None
                )
            await until(lambda: not server.connections, SEEN_S)
        lines = [line for line in done.stderr.decode().splitlines() if not line.startswith("Executing <")]  # too slowly
        said_last = lines[-1] if lines else ""
        if how == "interrupt":
            assert done.returncode in (-signal.SIGINT, 1, 130), done.stderr.decode()
            assert said_last == "KeyboardInterrupt"
        else:
            assert done.returncode == expected, done.stderr.decode()
            assert said_last == ("ZeroDivisionError" if how == "error" else "")
        assert b"Warning" not in done.stderr and b"ignored" not in done.stderr, done.stderr.decode()
