"""A seeded world for agents: what models say, what breaks on the way, what tools do, and who asks whom.

Three agents: `top` asks `mid`, and `mid` asks `low`. What a model says depends on the seed, on who speaks, and on what
came before, so that a seed says the same in every view of its run, and whatever runs beside it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from random import Random
from typing import Any

import anyio
import anyio.lowlevel
from msgspec import Struct

from streamkit import Agent, Message, Retry, ToolContext, ToolResult, accumulate
from streamkit.agent.history import says_anything
from streamkit.agent.loop import ABORTED
from streamkit.deltas import MessageDeltaOutput
from streamkit.protocols import Request, get_protocol
from streamkit.providers import get_provider
from streamkit.testing import Answer, Call, Received, Reply, Thinking, error_reply, render, wires
from streamkit.testing.mutations import split_frames
from streamkit.testing.replies import ReplyLike
from streamkit.testing.scripts import framing_of, render_error
from streamkit.tools import Tool
from streamkit.usage import Usage
from tests.laws.acceptance import CHECKERS, check
from tests.runs import assert_answered, fold_begun

__all__ = ["MODELS", "Hang", "Place", "World", "assert_kept", "assert_whole"]

# By dialect, so that each has its turn.
MODELS = {
    "anthropic": "anthropic",
    "openai-chat": "openai",
    "openai-responses": "openai-responses",
    "gemini": "gemini",
    "ollama": "ollama-chat",
    "cohere": "cohere",
    "bedrock-converse": "bedrock",
}
BELOW = {"top": "mid", "mid": "low", "low": ""}
TOOLS = ["add", "thread", "fails", "counts", "slow", "late", "ends", "costs"]
# Tools that always take as many steps, so that it is the same what is cut off by one that stops the run beside them.
STEADY = ["add", "fails", "counts", "ends"]
STOPS = ["stops", "turns"]
# After so many messages a model is brief.
LONG = 12


class Place(Struct):
    """What a typed run is to answer."""

    city: str
    warm: bool


PLACES = ['{"city":"Oslo","warm":true}', '{"city":"Rome","warm":false}', '{"city":7,"warm":true}', "Oslo, and warm."]


class Hang(Struct, frozen=True):
    """An answer says no more, of `top` after this `message`: what the user then does."""

    message: Message | None
    act: str


class World:
    """One seed's world: `reply` is its server's handler, `agent` makes the agents, of which `top` is the first.

    `faults` is the chance that an answer breaks. What tools and sub-agents wait for goes through `waits`, and `hook` is
    called before each request. In a `settled` world nothing depends on the clock: an answer that hangs does so after
    something was shown, is of `top` or of who is asked alone, and stands in `hang` until the user does something about
    it; others break in ways that show at once.
    """

    def __init__(self, seed: int, *, faults: float, settled: bool, dialect: str | None = None) -> None:
        self.random = Random(seed)
        self.dialect = dialect or self.random.choice(list(MODELS))
        self.typed = [who for who in ("top", "low") if settled and self.random.random() < 0.25]
        self.hang: Hang | None = None
        self.waits: Callable[[Awaitable[Any]], Awaitable[Any]] = lambda awaitable: awaitable
        self.hook: Callable[[], None] = lambda: None
        self.top: Agent
        self._seed, self._faults, self._settled = seed, faults, settled
        self._tries: Counter[tuple[str, int]] = Counter()

    def agent(self, url: str, limit_s: float | None) -> Agent:
        """Return `top`; each agent has a limit of silence."""
        options: dict[str, Any] = {
            "api_key": "key",
            "base_url": url,
            "idle_timeout_s": limit_s,
            "first_token_timeout_s": limit_s,
            "max_tokens": 500,
        }
        asking: list[Tool] = []
        for name, turns in (("low", 3), ("mid", 4), ("top", 6)):
            often = Retry(times=self.random.randrange(3), first_wait_s=0, after_content=self.random.random() < 0.5)
            agent = Agent(
                f"{MODELS[self.dialect]}/{name}",
                name=name,
                instruction=f"You are {name}.",
                tools=[*self._tools(), *asking],
                tool_mode=self.random.choice(["parallel", "parallel", "sequential"]),
                max_turns=turns,
                retry=often,
                transform_context=self._hooked,
                **options,
            )
            asking = [self._asking(agent)]
        self.top = agent
        return agent

    def reply(self, request: Received) -> ReplyLike:
        """Return what a model says next; the same to the same conversation, another time something else."""
        text = request.body.decode()
        (who,) = re.findall(r"You are (\w+)\.", text)
        asked = re.search(r"query-\w+", text) if who != "top" else None
        messages = _messages(request.json)
        key = who if asked is None else asked[0], len(messages)
        self._tries[key] += 1
        typed = who in self.typed
        if len(messages) > LONG or "plainly" in str(messages[-1]):
            return Answer([PLACES[0] if typed else "Fine."])
        random = Random(f"{self._seed} {key} {self._tries[key]}")
        said = self._answer(random, who, alone="alone" in key[0], typed=typed)
        if random.random() < self._faults:
            return self._broken(random, who, said, alone=self._settled and "alone" in key[0])
        pace_s = 0 if self._settled else random.choice([0, 0, 0.001])
        return Reply(body=said, piece=random.choice([7, 20, 40]), pace_s=pace_s)

    def _answer(self, random: Random, who: str, *, alone: bool, typed: bool) -> Answer:
        """Text, thinking and calls."""
        blocks: list[Any] = [Thinking("Hm.")] if random.random() < 0.2 else []
        calls = self._calls(random, who, alone or who == "top")
        if typed and not calls:
            blocks.append(random.choice(PLACES))
        elif random.random() < 0.8:
            blocks.append("one two three four five six"[: random.randrange(1, 28)])
        usage = Usage(random.randrange(1, 90), random.randrange(1, 90))
        finish: Any = "length" if random.random() < 0.06 else None
        return Answer([*(blocks or ["."]), *calls], finish=finish, usage=usage)

    def _calls(self, random: Random, who: str, alone: bool) -> list[Call]:
        """No calls often; some of any tools, or, where it must be the same each time, one that stops the run."""
        if alone and random.random() < 0.15:
            names = [random.choice(STEADY) for _ in range(random.randrange(3))]
            names.append(random.choice(STOPS))  # what waits before it would wait for ever, one after another
            names += random.choice([[], ["waits"], ["add"]])
        else:
            names = [random.choice([*TOOLS, "nobody", "ask", "ask"]) for _ in range(random.choice([0, 0, 1, 1, 2, 3]))]
        manner = "alone" if alone and len(names) == 1 else "many"
        return [self._call(random, who, name, manner) for name in names]

    def _call(self, random: Random, who: str, name: str, manner: str) -> Call:
        if name == "ask" and BELOW[who]:
            return Call(f"ask_{BELOW[who]}", {"query": f"query-{manner}{random.randrange(10**12)}"})
        return Call(name, {"a": random.choice([1, "x"])})

    def _broken(self, random: Random, who: str, said: Answer, *, alone: bool) -> ReplyLike:
        frames = split_frames(render(said, self.dialect, piece=random.choice([3, 7, 20])), framing_of(self.dialect))
        begun = frames[: random.randrange(len(frames))]
        cut = b"".join(begun)
        match random.choice([0, 1, 2, 3, 4, 5, *[3] * 3 * alone]):
            case 0:
                return error_reply(random.choice([400, 429, 500, 529]), "no", protocol=self.dialect)
            case 1:
                return wires.unanswered("closes" if self._settled else random.choice(["closes", "resets"]))
            case 2:
                headers = Reply(body=said).head(self.dialect)
                return Reply(body=[*begun, render_error(self.dialect)], headers=headers)
            case 3 if not self._settled:
                half = render(said, self.dialect)
                return self._reply(said, half[: random.randrange(len(half))], "hangs")
            case 3 if who == "top" or alone:
                shown = accumulate(get_provider(MODELS[self.dialect]).parser().feed(cut)).message
                if says_anything(shown):
                    self.hang = Hang(shown if who == "top" else None, random.choice(["abort", "interrupt"]))
                    return self._reply(said, cut, "hangs")
        return self._reply(said, cut, "drops")

    def _reply(self, said: Answer, body: bytes, ends: Any) -> Reply:
        return Reply(body=body, headers=Reply(body=said).head(self.dialect), ends=ends)

    async def _hooked(self, messages: list[Message]) -> list[Message]:
        await anyio.lowlevel.checkpoint()
        self.hook()
        return messages

    def _asking(self, agent: Agent) -> Tool:
        kind = Place if agent.name in self.typed else None
        asks = agent.as_tool(f"ask_{agent.name}", description="Ask somebody.", output_type=kind)

        async def ask(query: str, context: ToolContext) -> Any:
            return await self.waits(asks.call({"query": query}, context))

        return asks.renamed(asks.name, function=ask)

    def _tools(self) -> list[Any]:
        async def counts(a: int) -> AsyncIterator[int]:
            for number in range(3):
                await self.waits(_steps(1))
                yield number

        async def slow(a: int, context: ToolContext) -> str:
            await self.waits(context.update({"at": a}))
            await self.waits(anyio.sleep(0.005))
            return "slow"

        async def late(a: int) -> None:
            await self.waits(anyio.sleep(5))

        async def stops(a: Any) -> None:
            await _steps(40)  # those beside it have ended, but for who waits
            self.top.abort()
            await anyio.sleep_forever()

        async def turns(a: Any) -> None:
            await _steps(40)
            self.top.steer("Enough of that.", interrupt=True)
            await anyio.sleep_forever()

        timed = [Tool(counts, mode="sequential"), slow, Tool(late, timeout_s=0.01), Tool(costs, depends_on=["add"])]
        return [add, thread, fails, ends, waits, *timed, stops, turns]


def assert_whole(history: list[Message]) -> None:
    """Every call has its answer, and every dialect's API takes the conversation."""
    assert_answered(history)
    for protocol in CHECKERS if any(message.role != "system" for message in history) else ():
        request = Request(model="m", messages=list(history), max_tokens=500)
        check(get_protocol(protocol).encode(request).body, protocol)


def assert_kept(pieces: list[MessageDeltaOutput], history: list[Message]) -> None:
    """What an agent's pieces have shown of a message, and not taken back, stands in its history: at its end at least.

    A message whose last piece has not come may be longer in the history than it was shown.
    """
    outputs, begun = fold_begun(piece for piece in pieces if not piece.depth)
    whole = [output.message for output in outputs if output.finish_reason != ABORTED or says_anything(output.message)]
    kept = [message for message in history if message.role in ("assistant", "tool")]
    assert kept[: len(whole)] == whole
    shown = accumulate(begun).message
    if says_anything(shown):
        (last, *answers) = kept[len(whole) :]
        assert last.text.startswith(shown.text)
        assert (last.thinking or "").startswith(shown.thinking or "")
        assert len(last.tool_calls or ()) >= len(shown.tool_calls or ())
        assert all(message.role == "tool" for message in answers)


def _messages(body: Any) -> list[Any]:
    """The conversation in the request of any dialect."""
    found: list[Any] = body.get("messages") or body.get("contents") or body["input"]
    return found


async def _steps(count: int) -> None:
    for _ in range(count):
        await anyio.lowlevel.checkpoint()


async def add(a: int) -> int:
    return a + 1


def thread(a: int) -> str:
    return f"thread {a}"


async def fails(a: int) -> None:
    raise ValueError(f"no {a}")


async def ends(a: int) -> ToolResult:
    return ToolResult("over", terminate=a == 1)


async def costs(a: int) -> ToolResult:
    return ToolResult("paid", usage=Usage(a, a))


async def waits(a: Any) -> None:
    await anyio.sleep_forever()
