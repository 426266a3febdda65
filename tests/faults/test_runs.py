"""Seeded runs of agents: odd answers, odd tools, faults, and users who steer, abort or leave at any moment."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import AsyncIterator, Callable
from random import Random
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from streamkit import Agent, MessageOutput, Retry, ToolContext, ToolResult
from streamkit.agent.loop import ABORTED
from streamkit.deltas import MessageDeltaOutput
from streamkit.errors import StreamkitError
from streamkit.events import Done, Failed, MessageAdded, OutputDelta, OutputEnd, SubAgent, ToolEnd
from streamkit.messages import Message
from streamkit.protocols import Request, get_protocol
from streamkit.testing import Answer, Call, Received, ReplayServer, Reply, Thinking, error_reply, render, wires
from streamkit.testing.replies import ReplyLike
from streamkit.tools import Tool
from streamkit.usage import Usage
from tests.laws.acceptance import CHECKERS, check
from tests.runs import assert_answered, fold

# Of generators that httpx and httpcore leave to the garbage collector; trio tells of them.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning")  # see above

HANG_S = 20.0
SAMPLE, ALL = 30, 2_500
TOOLS = ["add", "thread", "fails", "counts", "slow", "late", "ends", "costs", "ask"]


# What a model says


def answer(random: Random, sub: bool) -> Answer:
    """Text, thinking and calls of any tool; a sub-agent asks nobody."""
    blocks: list[Any] = [Thinking("Hm.")] if random.random() < 0.2 else []
    if random.random() < 0.8:
        blocks.append("one two three four five six"[: random.randrange(1, 28)])
    for _ in range(random.choice([0, 0, 1, 1, 2, 3])):
        name = random.choice([*TOOLS[: -1 if sub else None], "nobody"])
        blocks.append(Call(name, {"query": "x"} if name == "ask" else {"a": random.choice([1, "x"])}))
    finish = random.choice(["max_tokens", "refusal"]) if random.random() < 0.08 else ""
    return Answer(blocks or ["."], **({"finish": finish} if finish else {}))


def replies(seed: int, faults: float) -> Callable[[Received], ReplyLike]:
    """The reply to a conversation depends on its length alone, so a seed says the same in any view of its run."""
    tries: Counter[tuple[str, int]] = Counter()

    def reply(request: Received) -> ReplyLike:
        model, messages = request.json["model"], request.json["messages"]
        length = len(messages)
        tries[model, length] += 1
        if length > 12 or "plainly" in str(messages[-1]["content"]):
            return Answer(["Fine."])
        random = Random(f"{seed} {model} {length} {tries[model, length] if faults else 0}")
        said = answer(random, model == "s")
        if random.random() >= faults:
            return Reply(body=said, piece=random.choice([7, 20, 40]), pace_s=random.choice([0, 0, 0.001]))
        body = render(said, "anthropic")
        kind = random.randrange(5)
        if kind == 0:
            return error_reply(random.choice([400, 429, 500, 529]), "no", protocol="anthropic")
        if kind == 1:
            return Reply(body=body[: random.randrange(len(body))], ends="hangs")
        if kind == 2:
            return wires.unanswered(random.choice(["closes", "resets"]))
        return Reply(body=body[: random.randrange(len(body))], ends="drops")

    return reply


# What the tools do


async def add(a: int) -> int:
    return a + 1


def thread(a: int) -> str:
    return f"thread {a}"


async def fails(a: int) -> None:
    raise ValueError(f"no {a}")


async def counts(a: int) -> AsyncIterator[int]:
    for number in range(3):
        await anyio.lowlevel.checkpoint()
        yield number


async def slow(a: int, context: ToolContext) -> str:
    await context.update({"at": a})
    await anyio.sleep(0.005)
    return "slow"


async def late(a: int) -> None:
    await anyio.sleep(5)


async def ends(a: int) -> ToolResult:
    return ToolResult("over", terminate=a == 1)


async def costs(a: int) -> ToolResult:
    return ToolResult("paid", usage=Usage(a, a))


def make_agent(seed: int, url: str, limit_s: float | None = 0.3) -> Agent:
    random = Random(seed)
    functions: list[Any] = [add, thread, fails, Tool(counts, mode="sequential"), slow, Tool(late, timeout_s=0.01)]
    functions += [ends, Tool(costs, depends_on=["add"])]
    options: dict[str, Any] = {
        "api_key": "key",
        "base_url": url,
        "retry": Retry(times=random.randrange(2), first_wait_s=0.0, after_content=random.random() < 0.5),
        "idle_timeout_s": limit_s,
        "first_token_timeout_s": limit_s,
    }
    below = Agent("anthropic/s", name="below", tools=functions, max_turns=4, **options)
    asking = below.as_tool("ask", description="Ask somebody.")
    return Agent("anthropic/m", tools=[*functions, asking], max_turns=6, **options)


# What must hold of a history


def assert_whole(history: list[Message]) -> None:
    assert_answered(history)
    for protocol in CHECKERS if history else ():
        request = Request(model="m", messages=list(history))
        check(get_protocol(protocol).encode(request).body, protocol)


def gained(outputs: list[MessageOutput]) -> list[Message]:
    """What of the outputs belongs into the history: all of the agent's own, but for one that was cut before a word."""
    own = [output for output in outputs if output.depth == 0]
    return [
        o.message
        for o in own
        if o.finish_reason != ABORTED or o.message.contents or o.message.tool_calls or o.message.thinking
    ]


def spent(outputs: list[MessageOutput]) -> int:
    return sum(output.usage.output_tokens or 0 for output in outputs if output.usage is not None)


def told(output: MessageOutput) -> tuple[Any, ...]:
    return (output.message, output.finish_reason, output.usage, output.depth, output.source_agent)


# The fold law


class User:
    """Steers a run when messages of the agent are complete, the same in every view."""

    def __init__(self, seed: int, agent: Agent) -> None:
        self._random = Random(f"user {seed}")
        self._agent = agent

    def hears(self, finished: bool) -> None:
        if not finished:
            return
        match self._random.randrange(12):
            case 0:
                self._agent.steer("left")
            case 1:
                self._agent.follow_up("right")
            case 2:
                self._agent.steer("now", interrupt=True)
            case 3 if self._random.random() < 0.3:
                self._agent.abort()


async def view(seed: int, kind: str) -> tuple[list[Any], Agent, str]:
    """All that a view of a seed's run yields, the agent after it, and the error that ended it."""
    async with ReplayServer(replies(seed, 0.0)) as server:
        agent = make_agent(seed, server.url, limit_s=None)
        user, items, error = User(seed, agent), [], ""
        async with agent, getattr(agent, kind)("go") as run:
            try:
                async for item in run:
                    items.append(item)
                    plain = item.output if isinstance(item, (OutputDelta, OutputEnd)) else item
                    finish, depth = getattr(plain, "finish_reason", None), getattr(plain, "depth", 1)
                    is_message = isinstance(plain, MessageDeltaOutput if kind == "run_stream" else MessageOutput)
                    # While tools run, what is cut off depends on the clock.
                    speaks = agent.history[-1:] and agent.history[-1].role == "assistant"
                    user.hears(bool(speaks and finish is not None and depth == 0 and is_message))
            except StreamkitError as caught:
                error = type(caught).__name__
        return items, agent, error


async def law(seed: int) -> None:
    outputs, first, error = await view(seed, "run")
    pieces, second, same = await view(seed, "run_stream")
    assert error == same
    folded = fold(pieces)
    by_agent = [[told(output) for output in folded if bool(output.depth) is below] for below in (False, True)]
    assert by_agent[0] == [told(output) for output in outputs if output.depth == 0]
    # Sub-agents that are asked side by side may be heard in another order.
    assert sorted(map(repr, by_agent[1])) == sorted(repr(told(output)) for output in outputs if output.depth)
    assert first.history == second.history
    added = [message for message in first.history if message.role == "user"]
    assert [message for message in first.history if message.role != "user"] == gained(outputs)
    assert added[0].text == "go"
    assert (first.usage.output_tokens or 0) == spent(outputs)
    assert first.usage == second.usage
    assert_whole(first.history)
    events, third, also = await view(seed, "run_events")
    assert (also, third.history) == (error, first.history)
    assert [type(event) for event in events if isinstance(event, (Done, Failed))] == [Failed if error else Done]
    assert isinstance(events[-1], (Done, Failed))
    assert [event.message for event in events if isinstance(event, MessageAdded)] == added[1:]
    said: dict[tuple[str, ...], list[MessageDeltaOutput]] = {}
    whole: dict[tuple[str, ...], list[MessageOutput]] = {}
    for event in events:
        path: tuple[str, ...] = ()
        while isinstance(event, SubAgent):
            path, event = (*path, event.id), event.event
        if isinstance(event, OutputDelta):
            said.setdefault(path, []).append(event.output)
        elif isinstance(event, OutputEnd):
            whole.setdefault(path, []).append(event.output)
    for path, pieces in said.items():
        assert list(map(told, fold(pieces))) == list(map(told, whole[path]))


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("seed", range(10))
async def test_every_view_of_a_run_says_the_same(seed: int) -> None:
    with anyio.fail_after(HANG_S):
        await law(seed)


@pytest.mark.soak
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_every_view_of_many_runs_says_the_same() -> None:
    for seed in range(10, 1_000):
        with anyio.fail_after(HANG_S):
            await law(seed)


# Leaving at any moment


WAYS = ["reads", "aborts", "steers", "breaks", "bare break", "raises", "cancelled", "in time", "aclose"]


class Left(Exception):
    """The consumer's own."""


async def leave(seed: int) -> str:
    """One run that is left, aborted or broken at a random moment; return how it ended."""
    random = Random(f"leave {seed}")
    how = random.choice(WAYS)
    kind = random.choice(["run", "run_stream", "run_events"])
    at, after_s = random.randrange(1, 40), random.uniform(0, 0.06)
    ended = "end"
    async with ReplayServer(replies(seed, 0.25)) as server:
        agent = make_agent(seed, server.url)
        runs = [getattr(agent, kind)("go")]
        seen: list[Any] = []

        async def read() -> None:
            async for item in runs[0]:
                seen.append(item)
                if len(seen) < at:
                    continue
                if how == "aborts":
                    agent.abort()
                elif how == "steers" and len(seen) == at:
                    agent.steer("wait", interrupt=random.random() < 0.7)
                elif how in ("breaks", "bare break"):
                    break
                elif how == "raises":
                    raise Left

        try:
            match how:
                case "cancelled":
                    with anyio.move_on_after(after_s):
                        await read()
                case "in time":
                    async with anyio.create_task_group() as tasks:
                        tasks.start_soon(_later, after_s, agent.abort)
                        try:
                            await read()
                        except StreamkitError as error:  # a task group would wrap it
                            ended = type(error).__name__
                        tasks.cancel_scope.cancel()
                case "bare break":
                    await read()
                case "aclose":
                    with anyio.move_on_after(after_s):
                        await read()
                    await runs[0].aclose()
                case _:
                    async with runs[0]:
                        await read()
        except StreamkitError as error:
            ended = type(error).__name__
        except Left:
            ended = "left"
        runs.clear()
        gc.collect(0)
        with anyio.fail_after(3):
            while server.connections or agent.state.is_streaming:  # noqa: ASYNC110 # it is told nowhere
                await anyio.sleep(0.002)
        assert_whole(agent.history)
        if kind == "run_events" and ended == "end" and how in ("reads", "aborts", "steers"):
            assert [type(event) for event in seen if isinstance(event, (Done, Failed))] == [Done]
        shown = [event.message for event in seen if isinstance(event, ToolEnd)]
        assert all(any(message == kept for kept in agent.history) for message in shown if how == "reads")
        agent.clear_queues()
        for again in range(3):  # the server may still break the next one
            try:
                outputs = [output async for output in agent.run("Say it plainly.")]
                assert outputs[-1].message.text == "Fine."
                break
            except StreamkitError:
                assert again < 2
        with anyio.fail_after(3):
            while server.connections:  # noqa: ASYNC110 # it is told nowhere
                await anyio.sleep(0.002)
    return f"{how} {ended}"


async def _later(after_s: float, call: Callable[[], Any]) -> None:
    await anyio.sleep(after_s)
    call()


async def leave_many(seeds: range) -> Counter[str]:
    found: Counter[str] = Counter()
    waiting = iter(seeds)
    before = {task.id for task in anyio.get_running_tasks()}

    async def work() -> None:
        for seed in waiting:
            with anyio.fail_after(HANG_S):
                try:
                    found[await leave(seed)] += 1
                except BaseException as error:  # whatever it is, it is raised with its seed
                    error.add_note(f"seed {seed}")
                    raise

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(work)
    await anyio.sleep(0.05)
    gc.collect()
    assert {task.id for task in anyio.get_running_tasks()} <= before
    return found


async def test_runs_that_are_left_at_any_moment_leave_the_history_whole_and_nothing_open() -> None:
    found = await leave_many(range(SAMPLE))
    assert found.total() == SAMPLE
    assert len({how.split()[0] for how in found}) > 5


@pytest.mark.soak
async def test_many_runs_that_are_left_at_any_moment() -> None:
    found = await leave_many(range(SAMPLE, SAMPLE + ALL))
    assert found.total() == ALL
