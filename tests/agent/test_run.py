"""Runs that are left before their end: at every event, in every way, on both event loops."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import anyio
import pytest
import trio
from anyio.from_thread import start_blocking_portal

from streamkit.agent import Agent, Run
from streamkit.errors import ConfigError
from streamkit.events import Event, OutputDelta, ToolEnd, ToolUpdate
from streamkit.messages import Message
from streamkit.testing import Answer, Call, Received, ReplayServer, Reply, Thinking
from streamkit.tools import tool

Watch: TypeAlias = Callable[[ReplayServer], Awaitable[Callable[[], Awaitable[None]]]]
Seen: TypeAlias = list[Event]
Make: TypeAlias = Callable[[], Run[Event]]


class Boom(Exception):
    """What a consumer raises."""


def in_thread(text: str) -> str:
    """Answer from a thread."""
    time.sleep(0.002)
    return text.upper()


async def progress(n: int) -> AsyncIterator[int]:
    """Report progress."""
    for i in range(n):
        await anyio.sleep(0.001)
        yield i


async def failing() -> None:
    """Fail."""
    raise ValueError("never works")


TOOLS = [tool(function) for function in (in_thread, progress, failing)]
SCRIPT = [
    Answer([Thinking("Hm.", "sig"), "I will.", Call("in_thread", {"text": "a"}), Call("progress", {"n": 3})]),
    Answer([Call("failing"), Call("nobody")]),
    Answer(["All done."]),
]


def reply(request: Received) -> Reply:
    """The script by how far the conversation is, and a short answer to what is asked after it."""
    messages = request.json["messages"]
    if "again" in str(messages[-1]["content"]):
        return Reply(body=Answer(["Fine."]))
    return Reply(body=SCRIPT[sum(message["role"] == "assistant" for message in messages)], piece=10)


# How a run is left once `at` events have been seen.


async def leave_by_break(make: Make, seen: Seen, at: int) -> None:
    async with make() as run:
        async for event in run:
            seen.append(event)
            if len(seen) == at:
                break


async def leave_by_bare_break(make: Make, seen: Seen, at: int) -> None:
    async for event in make():
        seen.append(event)
        if len(seen) == at:
            break


async def leave_by_close(make: Make, seen: Seen, at: int) -> None:
    run = make()
    for _ in range(at):
        seen.append(await anext(run))
    await run.aclose()
    await run.aclose()
    with pytest.raises(StopAsyncIteration):
        await anext(run)


async def leave_by_error(make: Make, seen: Seen, at: int) -> None:
    with pytest.raises(Boom):
        async with make() as run:
            async for event in run:
                seen.append(event)
                if len(seen) == at:
                    raise Boom


async def leave_by_bare_error(make: Make, seen: Seen, at: int) -> None:
    with pytest.raises(Boom):
        async for event in make():
            seen.append(event)
            if len(seen) == at:
                raise Boom


async def leave_by_cancel(make: Make, seen: Seen, at: int) -> None:
    with anyio.CancelScope() as scope:
        async with make() as run:
            async for event in run:
                seen.append(event)
                if len(seen) == at:
                    scope.cancel()


async def leave_by_bare_cancel(make: Make, seen: Seen, at: int) -> None:
    async def consume() -> None:
        async for event in make():
            seen.append(event)
            if len(seen) == at:
                tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(consume)


WAYS = [
    leave_by_break,
    leave_by_bare_break,
    leave_by_close,
    leave_by_error,
    leave_by_bare_error,
    leave_by_cancel,
    leave_by_bare_cancel,
]


@pytest.mark.feature("first-5", "D: openai-agents-python#574", "D: openai-agents-python#2222", "D: pydantic-ai#1524")
@pytest.mark.parametrize("provider", ["anthropic"], indirect=True)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_a_run_may_be_left_at_every_event(
    way: Callable[[Make, Seen, int], Awaitable[None]], make_agent: Any, watch: Watch, assert_whole: Any
) -> None:
    async with ReplayServer(reply) as server:
        agent = make_agent(server, tools=TOOLS)
        events = [event async for event in agent.run_events("start")]
        whole = agent.history
        clean = await watch(server)
        for at in range(1, len(events)):
            agent = make_agent(server, tools=TOOLS)
            seen: Seen = []
            await way(partial(agent.run_events, "start"), seen, at)
            assert_whole(agent.history)
            assert_shown(agent.history, seen)
            assert [message.role for message in agent.history] == [m.role for m in whole[: len(agent.history)]]
            await clean()
            outputs = [output async for output in agent.run("again")]
            assert outputs[-1].message.text == "Fine."
            assert_whole(agent.history)
            await clean()
        gc.collect()  # what only the garbage collector would have found warns by now


def assert_shown(history: list[Message], events: list[Event]) -> None:
    """Every text that the events showed is in the history, and every result that had been given."""
    text = "".join(message.text for message in history)
    for event in events:
        if isinstance(event, OutputDelta):
            assert getattr(event.output.delta, "text", "") in text + "".join(m.thinking or "" for m in history)
        if isinstance(event, ToolEnd):
            assert any(m.id == event.id and m.contents == event.message.contents for m in history)


# What the run waits for when it is cancelled, and the reply and tool that make it wait.
async def forever() -> None:
    """Never end."""
    await anyio.sleep_forever()


async def endless() -> AsyncIterator[int]:
    """Report for ever."""
    while True:
        await anyio.sleep(0.001)
        yield 1


def stuck() -> None:
    """Hold a thread."""
    time.sleep(3)


CALLS = [Answer([Call("forever"), Call("endless"), Call("stuck")])]
WAITS: list[tuple[str, Reply | list[Answer], list[str]]] = [
    ("for the answer", Reply(body=Answer(["Hi."]), delay_s=30), ["user"]),
    ("for more of it", Reply(body=b"", ends="hangs"), ["user"]),
    ("for tools", CALLS, ["user", "assistant", "tool", "tool", "tool"]),
]


@pytest.mark.feature("first-5")
@pytest.mark.parametrize(("replies", "roles"), [case[1:] for case in WAITS], ids=[case[0] for case in WAITS])
async def test_a_timeout_ends_a_run_wherever_it_waits(
    replies: Any, roles: list[str], make_agent: Any, watch: Watch, assert_whole: Any
) -> None:
    async with ReplayServer(replies) as server:
        agent = make_agent(server, tools=[forever, endless, stuck])
        clean = await watch(server)
        started = time.perf_counter()
        with pytest.raises(TimeoutError):
            with anyio.fail_after(0.15):
                async for _ in agent.run("start"):
                    pass
        assert time.perf_counter() - started < 1, "a thread was waited for"
        assert [message.role for message in agent.history] == roles
        assert_whole(agent.history)
        await clean()


@pytest.mark.feature("D: openai-agents-python#2222")
async def test_a_bare_break_ends_connection_and_tools_within_a_second_of_the_last_reference(
    make_agent: Any, watch: Watch, assert_whole: Any
) -> None:
    ended = anyio.Event()

    async def patient() -> None:
        """Wait."""
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    async with ReplayServer([Answer([Call("patient"), Call("endless")])]) as server:
        agent = make_agent(server, tools=[patient, endless])
        clean = await watch(server)
        run = agent.run_events("start")
        async for event in run:
            if isinstance(event, ToolUpdate):
                break
        assert not ended.is_set()
        del run
        assert_whole(agent.history)  # at once
        await clean()
        assert ended.is_set()


@pytest.mark.feature("D: unsloth#6577")
async def test_a_run_in_a_cycle_of_garbage_ends_too(make_agent: Any, watch: Watch, assert_whole: Any) -> None:
    class App:
        """Holds the agent and the run; and the agent holds it, by a tool that is not called."""

        def __init__(self, server: ReplayServer) -> None:
            self.agent = make_agent(server, tools=[*TOOLS, self.quit])
            self.run = self.agent.run_events("start")

        async def quit(self) -> None: ...

    async with ReplayServer(reply) as server:
        clean = await watch(server)
        for at in (1, 4, 12, 16, 20, 30):
            app = App(server)
            for _ in range(at):
                await anext(app.run)
            history = app.agent.history
            del app
            gc.collect()
            assert_whole(history)
            await clean()


async def test_the_next_prompt_may_follow_a_bare_break_at_once(make_agent: Any) -> None:
    async with ReplayServer(reply) as server:
        async with make_agent(server, tools=TOOLS) as agent:
            async for _ in agent.run_stream("start"):
                break
            assert [output.message.text async for output in agent.run("again")] == ["Fine."]


async def test_a_second_run_is_refused_while_the_first_is_held(make_agent: Any, assert_whole: Any) -> None:
    async with ReplayServer(reply) as server:
        agent = make_agent(server, tools=TOOLS)
        first = agent.run_stream("start")
        await anext(first)
        with pytest.raises(ConfigError, match="still in a run"):
            await anext(agent.run("again"))
        await first.aclose()
        assert [output.message.text async for output in agent.run("again")] == ["Fine."]
        assert_whole(agent.history)


async def test_the_agent_is_free_as_soon_as_the_last_message_is_complete(make_agent: Any) -> None:
    agent = make_agent([Answer(["One."]), Answer(["Two."])])
    async with agent.run("a") as first:
        assert (await anext(first)).message.text == "One."
        assert [output.message.text async for output in agent.run("b")] == ["Two."]


async def test_a_run_that_was_never_read_has_done_nothing(make_agent: Any) -> None:
    agent = make_agent([Answer(["One."])])
    async with agent.run("a") as run:
        pass
    with pytest.raises(StopAsyncIteration):
        await anext(run)
    del run
    assert agent.history == []
    assert [output.message.text async for output in agent.run("b")] == ["One."]


async def test_closing_or_reading_a_run_that_another_task_reads_is_an_error_that_says_so(make_agent: Any) -> None:
    async with ReplayServer(Reply(body=b"", ends="hangs")) as server:
        run = make_agent(server).run("a")

        async def consume() -> None:
            async for _ in run:
                pass

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(consume)
            await anyio.sleep(0.05)
            with pytest.raises(ConfigError, match="another task"):
                await run.aclose()
            with pytest.raises(ConfigError, match="another task"):
                await consume()
            tasks.cancel_scope.cancel()


@pytest.mark.feature("D: unsloth#6577")
async def test_items_may_be_read_from_one_task_each(make_agent: Any) -> None:
    agent = make_agent(SCRIPT, tools=TOOLS)
    found: list[Any] = []

    async def one(run: Run[Any]) -> None:
        found.append(await anext(run, None))

    run = agent.run("start")
    while None not in found:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(one, run)
    assert [output.message.role for output in found[:-1]] == [m.role for m in agent.history[1:]]


async def test_a_temporary_run_lives_while_it_is_awaited(make_agent: Any) -> None:
    agent = make_agent(SCRIPT, tools=TOOLS)
    output = await anext(agent.run("start"))
    assert [call.function.name for call in output.message.tool_calls] == ["in_thread", "progress"]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_cancelled_asyncio_task_leaves_nothing(make_agent: Any, watch: Watch, assert_whole: Any) -> None:
    async with ReplayServer(CALLS) as server:
        agent = make_agent(server, tools=[forever, endless, stuck])
        clean = await watch(server)

        async def consume() -> None:
            async for _ in agent.run("start"):
                pass

        task = asyncio.create_task(consume())
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert_whole(agent.history)
        await clean()


@pytest.fixture
def served() -> Iterator[ReplayServer]:
    """A server in a thread of its own, so that the event loops under test may end."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(ReplayServer(reply)) as server:
        yield server


def run_main(backend: str, main: Callable[[], Awaitable[None]]) -> None:
    if backend == "trio":
        trio.run(main)
    else:
        asyncio.run(main())


BACKENDS = pytest.mark.parametrize("backend", ["asyncio", "trio"])


@BACKENDS
@pytest.mark.parametrize("at", [1, 3, 8, 20, 25, 30])
def test_the_event_loop_may_end_right_after_a_bare_break(
    backend: str, at: int, served: ReplayServer, caplog: pytest.LogCaptureFixture, assert_whole: Any
) -> None:
    agent = Agent("anthropic/m", api_key="key", base_url=served.url, tools=TOOLS)

    async def main() -> None:
        seen = 0
        async for _ in agent.run_events("start"):
            seen += 1
            if seen == at:
                break

    run_main(backend, main)
    gc.collect()
    assert_whole(agent.history)
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


@BACKENDS
def test_an_agent_works_in_one_event_loop_after_another(backend: str, served: ReplayServer, assert_whole: Any) -> None:
    agent = Agent("openai/m", api_key="key", base_url=served.url, tools=TOOLS)
    answers: list[str] = []

    async def main() -> None:
        async with agent.run("again" if answers else "start") as run:
            answers.append([output.message.text async for output in run][-1])

    for _ in range(3):
        run_main(backend, main)
    assert answers == ["All done.", "Fine.", "Fine."]
    assert_whole(agent.history)


async def test_a_run_that_has_ended_is_not_read_again(make_agent):
    run = make_agent(Answer(["Hi"])).run("Hello")
    assert [output.message.text async for output in run] == ["Hi"]
    with pytest.raises(ConfigError, match="read once"):
        async for _ in run:
            pass


async def test_a_run_that_is_awaited_says_how_it_is_read(make_agent):
    with pytest.raises(ConfigError, match="async for"):
        await make_agent(Answer(["Hi"])).run("Hello")
