"""How callers see the types of the public calls: read by mypy, and never run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, assert_type

from msgspec import Struct

from streamkit import (
    Agent,
    Client,
    Event,
    EventRun,
    MessageDeltaOutput,
    MessageOutput,
    Run,
    Stream,
    TypedEventRun,
    TypedOutput,
    TypedRun,
    TypedStream,
    tool,
)


class River(Struct):
    name: str


async def values_of_a_run(agent: Agent) -> River:
    async with agent.run("Which?", output_type=River) as run:
        assert_type(run, TypedRun[MessageOutput, River])
        async for output in run:
            assert_type(output, MessageOutput)
    assert_type(agent.run_stream("Which?", output_type=River), TypedRun[MessageDeltaOutput, River])
    assert_type(agent.continue_(output_type=River), TypedRun[MessageDeltaOutput, River])
    assert_type(agent.run("Which?", output_type=list[River]).value, list[River])
    assert_type(agent.run("Which?", output_type=int | str).value, Any)
    return run.value


async def events_of_a_run(agent: Agent) -> River:
    async with agent.run_events("Which?", output_type=River) as run:
        assert_type(run, TypedEventRun[River])
        async for event in run:
            assert_type(event, Event)
    return run.value


async def values_of_a_client(client: Client) -> River:
    async with client.stream("Which?", output_type=River, coalesce=True, temperature=0) as stream:
        assert_type(stream, TypedStream[River])
    assert_type(stream.resume(), TypedStream[River])
    assert_type(client.stream("Which?", output_type=int | str).value, Any)
    assert_type(await client.send("Which?", output_type=River), TypedOutput[River])
    return stream.value


async def without_a_type(agent: Agent, client: Client) -> None:
    assert_type(agent.run("Which?"), Run[MessageOutput])
    assert_type(agent.run_stream("Which?"), Run[MessageDeltaOutput])
    assert_type(agent.continue_(), Run[MessageDeltaOutput])
    assert_type(agent.run_events("Which?"), EventRun)
    assert_type(client.stream("Which?"), Stream)
    assert_type(await client.send("Which?"), MessageOutput)


def takes(one: Run[MessageOutput], pieces: Run[MessageDeltaOutput], events: EventRun, stream: Stream) -> Run[Event]:
    return events


def where_less_is_asked_for(agent: Agent, client: Client) -> None:
    takes(
        agent.run("Which?", output_type=River),
        agent.run_stream("Which?", output_type=River),
        agent.run_events("Which?", output_type=River),
        client.stream("Which?", output_type=River),
    )


@tool
def weather(city: str, days: int = 1) -> str:
    return city


@tool(name="find")
async def search(words: str) -> list[str]:
    return [words]


@tool
async def count(to: int) -> AsyncIterator[int]:
    yield to


class Notes:
    @tool
    def keep(self, text: str) -> str:
        return text


async def tools_called_as_they_are(notes: Notes) -> None:
    assert_type(weather("Oslo", days=2), str)
    assert_type(await search("river"), list[str])
    assert_type(count(3), AsyncIterator[int])
    assert_type(notes.keep("this"), Any)
    alike: Callable[[str], str] = weather
    weather(alike("Oslo"), 3)
    weather(3)  # type: ignore[arg-type] # that it is refused is what is checked


def tools_in_lists(notes: Notes) -> Agent:
    tools = [weather, search, count]
    Agent("openai/m", tools=tools)
    return Agent("openai/m", tools=[weather, search, notes.keep, len])
