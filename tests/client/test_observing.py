"""What an observer is told: each beginning, each end once, and nothing in between."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest

from streamkit.agent import Agent
from streamkit.client import Client, Stream
from streamkit.client.retries import Retry
from streamkit.deltas import Delta, MessageEnd, TextDelta
from streamkit.errors import AuthenticationError, ConfigError, Overloaded, TruncatedStream
from streamkit.messages import Message, MessageOutput
from streamkit.parts import FunctionPart
from streamkit.protocols import Request
from streamkit.testing import Answer, Call, ReplayServer, Reply, render, wires
from streamkit.tools import Tool, tool
from streamkit.usage import Usage

SUNNY = Answer(["It is sunny in Oslo."])
BODY = render(SUNNY)


class Told:
    """An observer, and every report, that writes down what it is told."""

    def __init__(self, lines: list[str] | None = None, name: str = "") -> None:
        self.lines: list[str] = [] if lines is None else lines
        self.name = name

    def say(self, *words: object) -> None:
        self.lines.append(" ".join(filter(None, (self.name, *map(str, words)))))

    def stream(self, client: Client, request: Request | None, run: Any) -> StreamTold:
        self.say("stream", "" if request is None else request.model, "" if run is None else f"in {run.name}")
        return StreamTold(self.lines, "stream")

    def run(self, client: Client, name: str, query: Message) -> RunTold:
        self.say("run", name, query.text)
        return RunTold(self.lines, name)


class StreamTold(Told):
    @contextmanager
    def sending(self) -> Iterator[None]:
        self.say("sends")
        yield
        self.say("sent")

    def retrying(self, error: Exception, to: Client, number: int, wait_s: float) -> None:
        self.say("retry", number, type(error).__name__, to.model)

    def ended(self, stream: Stream, error: BaseException | None) -> None:
        whole = stream.output.finish_reason is not None
        self.say("ended", "whole" if whole else "partly", "" if error is None else type(error).__name__)


class RunTold(Told):
    def tool(self, call: FunctionPart, tool: Tool | None) -> ToolTold:
        self.say("calls", call.function.name, "" if tool else "unknown")
        return ToolTold(self.lines, call.function.name)

    def ended(self, output: MessageOutput | None, usage: Usage | None, error: BaseException | None) -> None:
        self.say("ended", "" if output is None else "whole", "" if error is None else type(error).__name__)


class ToolTold(Told):
    def failed(self, error: BaseException) -> None:
        self.say("failed", type(error).__name__)

    def ended(self, message: Message | None) -> None:
        self.say("ended", "" if message is None else "answered")


def client_at(server: ReplayServer, told: Told, **options: Any) -> Client:
    return Client(
        "openai/gpt-5",
        api_key="none",
        base_url=server.url,
        telemetry=told,
        **{"retry": Retry(first_wait_s=0), **options},
    )


WHOLE = ["stream gpt-5", "stream sends", "stream sent", "stream ended whole"]


async def test_a_stream_begins_sends_and_ends() -> None:
    told = Told()
    async with ReplayServer(SUNNY) as server, client_at(server, told) as client:
        await client.send("Hello")
    assert told.lines == WHOLE


async def test_a_stream_is_told_of_when_it_is_opened() -> None:
    told = Told()
    async with ReplayServer(SUNNY) as server, client_at(server, told) as client:
        client.stream("Hello")
        with pytest.raises(ConfigError):
            aiter(client.stream("Hello"))
    assert told.lines == []


async def test_retries_and_the_models_that_are_asked_in_their_place() -> None:
    told = Told()
    async with ReplayServer(wires.error(529)) as server:
        other = Client("openai/other", api_key="none", base_url=server.url)
        client = client_at(server, told, retry=Retry(times=1, first_wait_s=0), fallback=other)
        async with other, client:
            with pytest.raises(Overloaded):
                await client.send("Hello")
    assert [line for line in told.lines if line != "stream sends"] == [
        "stream gpt-5",
        "stream retry 1 Overloaded gpt-5",
        "stream retry 2 Overloaded other",
        "stream retry 3 Overloaded other",
        "stream ended partly Overloaded",
    ]
    assert told.lines.count("stream sends") == 4


@pytest.mark.feature("D: pi-web#886")
async def test_an_error_ends_it_before_the_answer_and_inside() -> None:
    told = Told()
    async with ReplayServer([wires.error(401), BODY[: len(BODY) // 2]]) as server:
        async with client_at(server, told, retry=0) as client:
            with pytest.raises(AuthenticationError):
                await client.send("Hello")
            with pytest.raises(TruncatedStream):
                await client.send("Hello")
    assert told.lines[2] == "stream ended partly AuthenticationError"
    assert told.lines[3:] == [*WHOLE[:3], "stream ended partly TruncatedStream"]


async def nothing() -> AsyncIterator[Delta]:
    for delta in ():
        yield delta


@pytest.mark.parametrize(
    "way", ["closed", "broken off", "never read", "cancelled", "at the end", "raised in", "collected"]
)
async def test_a_stream_that_is_left_ends_once(way: str) -> None:
    told = Told()
    reply = Reply(body=BODY, ends="whole" if way == "at the end" else "hangs", pace_s=0.001)
    async with ReplayServer(reply) as server, client_at(server, told) as client:
        stream = client.stream("Hello")
        with anyio.CancelScope() as scope:
            try:
                async with stream:
                    async for delta in stream if way != "never read" else nothing():
                        if isinstance(delta, TextDelta) and way == "closed":
                            await stream.aclose()
                        elif isinstance(delta, TextDelta) and way == "cancelled":
                            scope.cancel()
                        elif isinstance(delta, TextDelta) and way == "raised in":
                            raise KeyError
                        elif isinstance(delta, MessageEnd if way == "at the end" else TextDelta):
                            break
            except KeyError:
                pass
        del stream
        gc.collect()
        await anyio.lowlevel.checkpoint()
    ends = [line for line in told.lines if "ended" in line]
    assert len(ends) == 1, told.lines
    assert ("whole" in ends[0]) == (way == "at the end")
    assert ("Cancelled" in ends[0]) == (way == "cancelled")


@tool
async def look(city: str) -> str:
    """Look."""
    if city == "Nowhere":
        raise LookupError(city)
    return "sunny"


async def test_a_run_its_answers_and_its_tools() -> None:
    told = Told()
    script = [Answer([Call("look", {"city": "Oslo"})]), Answer([Call("look", {"city": "Nowhere"})])]
    script += [Answer([Call("nobody", {})]), SUNNY]
    async with ReplayServer(script) as server:
        agent = Agent("openai/gpt-5", tools=[look], name="guide", api_key="none", base_url=server.url, telemetry=told)
        async for _ in agent.run("And Oslo?"):
            pass
    answer = ["stream gpt-5 in guide", *WHOLE[1:]]
    assert told.lines == [
        "run guide And Oslo?",
        *answer,
        "guide calls look",
        "look ended answered",
        "look ended",
        *answer,
        "guide calls look",
        "look failed LookupError",
        "look ended answered",
        "look ended",
        *answer,
        "guide calls nobody unknown",
        "nobody failed ToolError",
        "nobody ended answered",
        "nobody ended",
        *answer,
        "guide ended whole",
    ]


async def test_a_run_that_is_left_or_fails_ends_with_what_it_began() -> None:
    told = Told()
    async with ReplayServer([SUNNY, wires.error(401)]) as server:
        agent = Agent("openai/gpt-5", name="guide", api_key="none", base_url=server.url, telemetry=told)
        async with agent.run_stream("Hello") as run:
            async for out in run:
                if isinstance(out.delta, TextDelta):
                    break
        assert told.lines[-2:] == ["stream ended partly GeneratorExit", "guide ended GeneratorExit"]
        with pytest.raises(AuthenticationError):
            async for _ in agent.run("Hello"):
                pass
    assert told.lines[-2:] == ["stream ended partly AuthenticationError", "guide ended AuthenticationError"]
