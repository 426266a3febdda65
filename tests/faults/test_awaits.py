"""A run that is cut off at each await of it, one after the other: in the loop, the connection, the tools, the hooks."""

from __future__ import annotations

import gc
import math
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import anyio
import anyio.lowlevel
import pytest

from streamkit import Agent, Message, NextTurn, Retry, ToolContext
from streamkit.agent.turns import Turn
from streamkit.deltas import MessageDeltaOutput
from streamkit.errors import StreamkitError
from streamkit.testing import Answer, Call, Received, ReplayServer, Thinking, render, wires
from streamkit.testing.replies import ReplyLike
from streamkit.tools import ToolRequest, ToolResult
from streamkit.usage import Usage
from tests.faults.awaits import Awaits
from tests.faults.harness import until
from tests.faults.worlds import Place, assert_kept, assert_whole

# Of generators that httpx and httpcore leave to the garbage collector; trio tells of them.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning")  # see above

T = TypeVar("T")
PLACE = '{"city":"Oslo","warm":true}'
FIRST = Answer(
    [Thinking("Let me see."), "One moment.", Call("add", {"a": 1}), Call("counts", {"a": 2}), Call("thread", {"a": 3})],
    usage=Usage(10, 5),
)
ASKS = Answer(["I ask.", Call("ask", {"query": "Where?"}), Call("add", {"a": 4})], usage=Usage(20, 5))
BELOW = [Answer(["I look.", Call("add", {"a": 5})], usage=Usage(3, 3)), Answer(["In Oslo."], usage=Usage(4, 4))]
WRONG, RIGHT = Answer(["It is Oslo."], usage=Usage(30, 5)), Answer([PLACE], usage=Usage(40, 5))
BROKEN = render(RIGHT, "anthropic", piece=9)
# A request that is refused, one that breaks off, and all else that an agent goes through.
TOP: list[ReplyLike] = [wires.error(529), FIRST, ASKS, WRONG, wires.close(BROKEN, after=-250), RIGHT]
HANG_S = 10.0


class Script:
    """One run with all of it, whose awaits are watched wherever they are: `read` reads it."""

    def __init__(self, url: str, awaits: Awaits) -> None:
        self.awaits = awaits
        self.asked = {"top": 0, "below": 0}
        self.pieces: list[MessageDeltaOutput] = []
        options: dict[str, Any] = {"api_key": "key", "base_url": url, "max_tokens": 500}
        below = Agent("anthropic/below", name="below", tools=[self._add], **options)
        asked = below.as_tool("ask", description="Ask somebody.")

        async def ask(query: str, context: ToolContext) -> Any:
            return await awaits.watch(asked.call({"query": query}, context))

        self.agent = Agent(
            "anthropic/top",
            tools=[self._add, self._counts, self._thread, asked.renamed("ask", function=ask)],
            retry=Retry(first_wait_s=0.001, after_content=True),
            idle_timeout_s=30,
            total_timeout_s=30,
            before_tool=self._before,
            after_tool=self._after,
            transform_context=self._same,
            convert_to_llm=self._same,
            compact=self._same,
            compact_at=0.5,
            context_window=40,
            should_stop=self._goes_on,
            prepare_next_turn=self._next,
            **options,
        )

    def reply(self, request: Received) -> ReplyLike:
        """Return what comes next of the script of who is asked, and its last once more after its end."""
        if "plainly" in str(request.json["messages"][-1]):
            return Answer(["Fine."])
        who = request.json["model"]
        script = TOP if who == "top" else BELOW
        at = self.asked[who]
        self.asked[who] += 1
        return script[min(at, len(script) - 1)]

    async def read(self) -> None:
        """Read the run under `async with`."""
        async with self.agent.run_stream("Where is it?", output_type=Place) as run:
            async for piece in run:
                self.pieces.append(piece)

    async def _add(self, a: int) -> int:
        await anyio.lowlevel.checkpoint()
        return a + 1

    async def _counts(self, a: int, context: ToolContext) -> AsyncIterator[int]:
        for number in range(2):
            await self.awaits.watch(anyio.lowlevel.checkpoint())
            yield number
        await self.awaits.watch(context.update("nearly"))
        yield 2

    def _thread(self, a: int) -> str:
        return f"thread {a}"

    async def _before(self, request: ToolRequest) -> None:
        await self.awaits.watch(anyio.lowlevel.checkpoint())

    async def _after(self, request: ToolRequest, result: ToolResult) -> None:
        await self.awaits.watch(anyio.lowlevel.checkpoint())

    async def _same(self, messages: list[Message]) -> list[Message]:
        await anyio.lowlevel.checkpoint()
        return messages

    async def _goes_on(self, turn: Turn) -> bool:
        await anyio.lowlevel.checkpoint()
        return False

    async def _next(self, turn: Turn) -> NextTurn:
        await anyio.lowlevel.checkpoint()
        return NextTurn(params={"max_tokens": 400})


Cut = Callable[[Script, anyio.CancelScope], object]


def cancels(script: Script, scope: anyio.CancelScope) -> None:
    scope.cancel()


def is_late(script: Script, scope: anyio.CancelScope) -> None:
    scope.deadline = -math.inf


def aborts(script: Script, scope: anyio.CancelScope) -> None:
    script.agent.abort()


def steers(script: Script, scope: anyio.CancelScope) -> None:
    script.agent.steer("Rather say it.", interrupt=True)


def aborts_and_cancels(script: Script, scope: anyio.CancelScope) -> None:
    script.agent.abort()
    scope.cancel()


CUTS: dict[str, Cut] = {cut.__name__: cut for cut in (cancels, is_late, aborts, steers, aborts_and_cancels)}


async def cut_at(number: int, cut: Cut) -> int:
    """Cut the run off at one of its awaits; check what is left of it; return how many awaits there were."""
    scripts: list[Script] = []
    async with ReplayServer(lambda request: scripts[0].reply(request)) as server:
        scope = anyio.CancelScope()
        script = Script(server.url, Awaits(number, lambda: cut(scripts[0], scope)))
        scripts.append(script)
        agent = script.agent
        with anyio.fail_after(HANG_S):
            with scope:
                try:
                    await script.awaits.watch(script.read())
                except StreamkitError as error:
                    error.add_note(f"cut at {number}")
                    raise
        count = script.awaits.count
        assert not agent.state.is_streaming
        await until(lambda: not server.connections, 1)
        assert_whole(agent.history)
        assert_kept(script.pieces, agent.history)
        agent.clear_queues()
        with anyio.fail_after(HANG_S):
            outputs = [output async for output in agent.run("Say it plainly.")]
        assert outputs[-1].message.text == "Fine."
    return count


async def cut_each(name: str, step: int) -> int:
    """Cut at every `step`th await until the run comes to its end; return the number of its awaits."""
    before = {task.id for task in anyio.get_running_tasks()}
    number = 1
    while True:
        try:
            count = await cut_at(number, CUTS[name])
        except BaseException as error:  # whatever it is, it is raised with its place
            error.add_note(f"{name} at await {number}")
            raise
        if count < number:
            break
        number += step
    gc.collect()
    await until(lambda: {task.id for task in anyio.get_running_tasks()} <= before, 1)
    return count


@pytest.mark.parametrize("name", CUTS)
async def test_a_run_that_is_cut_off_at_an_await_leaves_the_history_whole_and_nothing_open(name: str) -> None:
    assert await cut_each(name, step=11) > 100


@pytest.mark.soak
@pytest.mark.parametrize("name", CUTS)
async def test_a_run_that_is_cut_off_at_every_await_leaves_the_history_whole_and_nothing_open(name: str) -> None:
    assert await cut_each(name, step=1) > 100
