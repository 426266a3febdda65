"""The fold law over runs: what each of the three forms of a run yields is the same story, whatever happens in it."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, TypeAlias

import anyio
import pytest
from msgspec import Struct

from streamkit import Agent, Message, MessageOutput, accumulate
from streamkit.agent.history import says_anything
from streamkit.agent.loop import ABORTED
from streamkit.deltas import Retract
from streamkit.errors import StreamkitError
from streamkit.events import Done, Failed, MessageAdded, OutputDelta, OutputEnd, SubAgent, ToolEnd, ToolStart
from streamkit.testing import ReplayServer
from streamkit.usage import Usage
from tests.faults.worlds import Place, World, assert_whole
from tests.runs import fold_begun

# Of generators that httpx and httpcore leave to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning")  # see above

HANG_S = 20.0
FAULTS = 0.15
SAMPLE, ALL = 12, 1_000
# What many runs must have had to say that the law holds of it.
OFTEN = ["retracted", "two below", "cut below", "tools aborted", "tools interrupted", "aborted", "typed", "correction"]
OFTEN += ["steering", "follow_up", "TruncatedStream", "Overloaded", "OutputError", "TurnLimit"]
QUERIES = ["First.", "Second."]

# The ids of the calls by which an agent was asked, outermost first.
Path: TypeAlias = tuple[str, ...]


class Seen(Struct):
    """All that one form yields of the runs of a seed, one list a query, and how each ended."""

    agent: Agent
    items: list[list[Any]]
    errors: list[StreamkitError | None]
    values: list[Any]


class User:
    """Says something when messages of the agent are complete, the same in every form of the run."""

    def __init__(self, seed: int, world: World) -> None:
        self._random = Random(f"user {seed}")
        self._world = world

    def hears(self, item: Any) -> None:
        """Take in what the run yields; tools, which would be cut off by the clock, do not run yet."""
        plain = item.output if isinstance(item, (OutputDelta, OutputEnd)) else item
        finish = getattr(plain, "finish_reason", None)
        agent = self._world.top
        if finish is None or plain.depth or isinstance(item, OutputEnd) or agent.history[-1].role != "assistant":
            return
        match self._random.randrange(12):
            case 0:
                agent.steer("left")
            case 1:
                agent.follow_up("right")
            case 2:
                agent.steer("now", interrupt=True)
            case 3 if self._random.random() < 0.3:
                agent.abort()

    async def watches(self) -> None:
        """Wait for an answer that hangs, and do something about it once all of it has come."""
        while True:
            await anyio.sleep(0.001)
            hang, agent = self._world.hang, self._world.top
            if hang is not None and agent.state.streaming_message == hang.message:
                self._world.hang = None
                if hang.message is None:  # nobody tells how far a sub-agent is, but it is in this process
                    await anyio.sleep(0.02)
                    await anyio.wait_all_tasks_blocked()
                if hang.act == "abort":
                    agent.abort()
                else:
                    agent.steer("Go on.", interrupt=True)


async def view(world: World, seed: int, form: str, url: str) -> Seen:
    """Read the runs of a seed in one form."""
    kind = Place if "top" in world.typed else None
    async with anyio.create_task_group() as tasks:
        agent = world.agent(url, limit_s=None)
        seen, user = Seen(agent, [], [], []), User(seed, world)
        tasks.start_soon(user.watches)
        async with agent:
            for query in QUERIES:
                items: list[Any] = []
                error = None
                async with getattr(agent, form)(query, output_type=kind) as run:
                    try:
                        async for item in run:
                            items.append(item)
                            user.hears(item)
                    except StreamkitError as caught:
                        error = caught
                    seen.values.append(run.value if kind is not None and run._loop.ended else None)
                seen.items.append(items)
                seen.errors.append(error)
        tasks.cancel_scope.cancel()
    return seen


async def views(seed: int) -> list[Seen]:
    """Read the runs of a seed in each form, from one server, since errors name its address."""
    worlds: list[World] = []
    async with ReplayServer(lambda request: worlds[-1].reply(request)) as server:
        found = []
        for form in ("run", "run_stream", "run_events"):
            worlds.append(World(seed, faults=FAULTS, settled=True))
            found.append(await view(worlds[-1], seed, form, server.url))
    return found


def told(output: MessageOutput) -> tuple[Any, ...]:
    return (output.message, output.finish_reason, output.usage, output.depth, output.source_agent)


def total(usages: list[Usage | None]) -> Usage:
    return sum((usage for usage in usages if usage is not None), Usage())


# What each form says


def assert_pieces_are_messages(pieces: list[Any], outputs: list[Any], error: StreamkitError | None) -> None:
    """Between two finish reasons the pieces are one message; what is begun and does not end is the error's partial."""
    folded, begun = fold_begun(pieces)
    own = [[told(output) for output in each if not output.depth] for each in (folded, outputs)]
    assert own[0] == own[1]
    # Sub-agents that are asked side by side may be heard in another order.
    others = [sorted(repr(told(output)) for output in each if output.depth) for each in (folded, outputs)]
    assert others[0] == others[1]
    shown = accumulate(begun)
    partial = None if error is None else error.partial
    if partial is None or partial.finish_reason is not None:  # that of an answer that is not of the type had ended
        assert not says_anything(shown.message)
    else:
        assert (partial.message, partial.usage) == (shown.message, shown.usage)


def history_of(seen: Seen) -> list[Message]:
    """The conversation as the events tell it; a call that they show no answer of is answered by an error."""
    history = list(seen.agent.history[:1])
    for query, events in zip(QUERIES, seen.items, strict=True):
        at = len(history)
        history.append(Message("user", query))
        for event in events:
            match event:
                case MessageAdded(message=message):
                    history.append(message)
                case OutputEnd(output=output):
                    if output.finish_reason != ABORTED or says_anything(output.message):
                        history.append(output.message)
                case Failed(partial=partial):
                    if partial is not None and partial.finish_reason is None and says_anything(partial.message):
                        history.append(partial.message)
                        answers = iter(seen.agent.history[len(history) :])
                        for call in partial.message.tool_calls or []:
                            answer = next(answers)
                            assert (answer.role, answer.id) == ("tool", call.id)
                            assert answer.meta is not None and answer.meta.is_error
                            history.append(answer)
                    elif all(message.role == "user" for message in history[at:]):
                        del history[at]
    return history


def assert_events_tell_all(seen: Seen) -> None:
    """The history and the usage follow from the events, which end once, and start what they end."""
    assert history_of(seen) == seen.agent.history
    used: list[Usage | None] = []
    for events, error in zip(seen.items, seen.errors, strict=True):
        ends = [event for event in events if isinstance(event, (Done, Failed))]
        assert ends == events[-1:]
        assert isinstance(ends[0], Done if error is None else Failed)
        said: dict[Path, list[OutputDelta | OutputEnd]] = {}
        open_calls: set[Path] = set()
        for event in events:
            path: Path = ()
            while isinstance(event, SubAgent):
                path, event = (*path, event.id), event.event
            if isinstance(event, (OutputDelta, OutputEnd)):
                said.setdefault(path, []).append(event)
            elif isinstance(event, ToolStart):
                open_calls.add((*path, event.id))
            elif isinstance(event, ToolEnd):  # and with it all that was asked on the way
                call = (*path, event.id)
                assert call in open_calls
                open_calls = {other for other in open_calls if other[: len(call)] != call}
                for below in [other for other in said if other[: len(call)] == call]:
                    used += used_by(said.pop(below))
        assert not open_calls
        used += [usage for rest in said.values() for usage in used_by(rest)]
    assert seen.agent.usage == total(used)


def used_by(said: list[OutputDelta | OutputEnd]) -> list[Usage | None]:
    """What each message of one agent has used, one that did not end included."""
    folded, begun = fold_begun(event.output for event in said if isinstance(event, OutputDelta))
    assert list(map(told, folded)) == [told(event.output) for event in said if isinstance(event, OutputEnd)]
    return [*(output.usage for output in folded), accumulate(begun).usage]


async def law(seed: int) -> Counter[str]:
    """Compare the three forms of a seed's runs; return what happened in them."""
    messages, pieces, events = await views(seed)
    for other in (pieces, events):
        assert list(map(repr, other.errors)) == list(map(repr, messages.errors))
        assert other.agent.history == messages.agent.history
        assert other.agent.usage == messages.agent.usage
        assert other.values == messages.values
    for said, outputs, error in zip(pieces.items, messages.items, messages.errors, strict=True):
        assert_pieces_are_messages(said, outputs, error)
    assert_events_tell_all(events)
    assert_whole(messages.agent.history)
    return happened(pieces, events)


def happened(pieces: Seen, events: Seen) -> Counter[str]:
    """How often runs of each kind were among them, so that a test sees that its seeds have them."""
    found: Counter[str] = Counter()
    for error in pieces.errors:
        found[type(error).__name__ if error else "ended"] += 1
    for items in pieces.items:
        found["retracted"] += any(isinstance(item.delta, Retract) for item in items)
        found["below"] += any(item.depth == 1 for item in items)
        found["two below"] += any(item.depth == 2 for item in items)
        found["cut below"] += any(item.depth and item.finish_reason == ABORTED for item in items)
    for items in events.items:
        added = [event.source for event in items if isinstance(event, MessageAdded)]
        found.update(dict.fromkeys(added, 1))
        found["aborted"] += isinstance(items[-1], Done) and items[-1].summary.finish_reason == ABORTED
        cut = [str(event.message.contents) for event in items if isinstance(event, ToolEnd) and event.is_error]
        found["tools aborted"] += any("interrupted by the user" in text for text in cut)
        found["tools interrupted"] += any("a message from the user" in text for text in cut)
    found["typed"] += any(value is not None for value in pieces.values)
    return found


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("seed", range(SAMPLE))
async def test_every_form_of_a_run_tells_the_same(seed: int) -> None:
    with anyio.fail_after(HANG_S):
        await law(seed)


@pytest.mark.soak
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_every_form_of_many_runs_tells_the_same() -> None:
    found: Counter[str] = Counter()
    for seed in range(SAMPLE, ALL):
        with anyio.fail_after(HANG_S):
            found += await law(seed)
    assert min(found[kind] for kind in OFTEN) >= 10, found
