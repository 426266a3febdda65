"""Tools and whole runs of an agent with a real model behind a real llama.cpp server, in both of its dialects.

The model is small: it calls a tool only where the conversation has shown it how, twice.
"""

from __future__ import annotations

from typing import Literal

import anyio
import msgspec
import pytest

from streamkit import accumulate
from streamkit.agent import Agent
from streamkit.deltas import MessageDeltaOutput, TextDelta, ThinkingDelta, ToolCallDelta, ToolCallEnd, ToolCallStart
from streamkit.messages import FinishReason, Message, Meta, Origin
from streamkit.parts import FunctionCall, FunctionPart, ValuePart

pytestmark = pytest.mark.live

GREEDY = {"temperature": 0, "max_tokens": 100}
SKIES = {"Oslo": "snowy", "Berlin": "rainy", "Vienna": "sunny"}
STOPS = {"openai-chat": "tool_calls", "anthropic": "tool_use"}
OTHER = {"openai-chat": "anthropic", "anthropic": "openai-chat"}
BOTH_LOOPS = pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
ONE, TWO = "What is the weather in Oslo?", "What is the weather in Berlin and in Vienna?"


def get_weather(city: Literal["Paris", "Rome", "London", "Madrid", "Oslo", "Berlin", "Vienna"]) -> str:
    """Tell the weather in a city."""
    return SKIES[city]


def shown(number: int, skies: dict[str, str], origin: Origin | None = None) -> list[Message]:
    """A question that was answered with the tool, with thinking where an origin is given."""
    meta = Meta(origin=origin) if origin else None
    ids = [f"call{number}{at}" for at in range(len(skies))]
    calls = [FunctionPart(id, FunctionCall("get_weather", {"city": city})) for id, city in zip(ids, skies, strict=True)]
    thinking = [f"The user asks for the weather in {' and '.join(skies)}. I call the tool.", "I have the result."]
    asks, knows = thinking if origin else (None, None)
    return [
        Message("user", f"What is the weather in {' and in '.join(skies)}?"),
        Message("assistant", tool_calls=calls, thinking=asks, meta=meta),
        *(Message("tool", [ValuePart(sky)], id=id) for id, sky in zip(ids, skies.values(), strict=True)),
        Message(
            "assistant",
            f"It is {' and '.join(f'{sky} in {city}' for city, sky in skies.items())}.",
            thinking=knows,
            meta=meta,
        ),
    ]


# What shows the model how to make one call, and how to make two at once.
SINGLE = [*shown(1, {"Paris": "windy", "Rome": "cloudy"}), *shown(2, {"London": "foggy"})]
DOUBLE = [*shown(1, {"Paris": "windy", "Rome": "cloudy"}), *shown(2, {"London": "foggy", "Madrid": "hot"})]


def cities(message: Message) -> list[str]:
    return [call.function.arguments["city"] for call in message.tool_calls or []]


@pytest.mark.parametrize(
    ("history", "question", "expected"),
    [(SINGLE, ONE, ["Oslo"]), (DOUBLE, TWO, ["Berlin", "Vienna"])],
    ids=["one", "parallel"],
)
async def test_calls_stream_piece_by_piece(connect, dialect, history, question, expected):
    partial = []
    async with connect() as client:
        async with client.stream([*history, Message("user", question)], tools=[get_weather], **GREEDY) as stream:
            deltas = []
            async for delta in stream:
                deltas.append(delta)
                if isinstance(delta, ToolCallDelta):
                    partial.append(dict(stream.accumulator.partial_arguments(delta.index)))
    output = stream.output
    assert cities(output.message) == expected
    assert output.finish_reason == FinishReason("tool_call", STOPS[dialect])
    assert len({call.id for call in output.message.tool_calls}) == len(expected)
    for kind in (ToolCallStart, ToolCallEnd):
        assert [delta.index for delta in deltas if isinstance(delta, kind)] == list(range(len(expected)))
    assert sum(isinstance(delta, ToolCallDelta) for delta in deltas) > 3 * len(expected)
    assert {} in partial and partial[-1] == {"city": expected[-1]}
    assert output.usage.output_tokens > 20


async def test_a_call_cut_short_is_not_run(connect):
    ran = []

    def get_weather(city: str) -> str:
        ran.append(city)
        return "sunny"

    async with connect() as client:
        agent = Agent(client=client, tools=[get_weather], history=SINGLE, temperature=0, max_tokens=24)
        (output,) = [output async for output in agent.run(ONE)]
    assert output.finish_reason.type == "length"
    (call,) = output.message.tool_calls
    assert (call.function.name, call.function.arguments) == ("get_weather", {})
    assert call.error and call.raw_arguments.startswith("{")
    assert not ran
    assert agent.history[-1].role == "tool" and agent.history[-1].id == call.id


@BOTH_LOOPS
@pytest.mark.parametrize(
    ("history", "question", "expected", "words"),
    [(SINGLE, ONE, {"Oslo": "snowy"}, ["snowy"]), (DOUBLE, TWO, SKIES, ["rainy", "sunny"])],
    ids=["one", "parallel"],
)
async def test_an_agent_runs_its_tools_and_answers(connect, history, question, expected, words):
    async with connect() as client:
        agent = Agent(client=client, tools=[get_weather], history=history, **GREEDY)
        calls, *results, answer = [output async for output in agent.run(question)]
    asked = cities(calls.message)
    assert asked == [city for city in expected if city in question]
    assert [result.message.contents for result in results] == [[ValuePart(SKIES[city])] for city in asked]
    assert [result.message.id for result in results] == [call.id for call in calls.message.tool_calls]
    assert answer.finish_reason.type == "stop"
    assert all(word in answer.message.text for word in words)
    assert agent.history[len(history) + 1 :] == [output.message for output in (calls, *results, answer)]
    assert agent.usage == calls.usage + answer.usage


@BOTH_LOOPS
async def test_the_pieces_of_a_run_fold_to_its_messages(connect):
    async with connect() as client:
        agent = Agent(client=client, tools=[get_weather], history=SINGLE, **GREEDY)
        pieces: list[list[MessageDeltaOutput]] = [[]]
        async for piece in agent.run_stream(ONE):
            pieces[-1].append(piece)
            if piece.finish_reason is not None:
                pieces.append([])
    assert pieces.pop() == []
    folded = [accumulate(piece.delta for piece in message) for message in pieces]
    assert [output.message for output in folded] == agent.history[-3:]
    assert [output.finish_reason for output in folded] == [message[-1].finish_reason for message in pieces]
    assert [output.usage for output in folded] == [message[-1].usage for message in pieces]
    assert sum(isinstance(piece.delta, TextDelta) for piece in pieces[-1]) > 3


async def test_an_agent_thinks_between_its_calls(connect, dialect):
    origin = Origin(dialect, "llamacpp", "smollm2")
    history = [*shown(1, {"Paris": "windy", "Rome": "cloudy"}, origin), *shown(2, {"London": "foggy"}, origin)]
    async with connect() as client:
        agent = Agent(client=client, tools=[get_weather], history=history, **GREEDY)
        thoughts = [piece async for piece in agent.run_stream(ONE) if isinstance(piece.delta, ThinkingDelta)]
    calls, _, answer = agent.history[-3:]
    assert "weather in Oslo" in calls.thinking and cities(calls) == ["Oslo"]
    assert "result" in answer.thinking and "snowy" in answer.text
    assert "".join(piece.delta.text for piece in thoughts) == calls.thinking + answer.thinking


async def test_a_conversation_goes_on_in_the_other_dialect(connect, dialect):
    origin = Origin(dialect, "llamacpp", "smollm2")
    history = [*shown(1, {"Paris": "windy", "Rome": "cloudy"}, origin), *shown(2, {"London": "foggy"}, origin)]
    async with connect(dialect) as here, connect(OTHER[dialect]) as there:
        first = Agent(client=here, tools=[get_weather], history=history, **GREEDY)
        assert [output.message.role async for output in first.run(ONE)] == ["assistant", "tool", "assistant"]
        saved = msgspec.json.encode(first.history)
        second = Agent(client=there, tools=[get_weather], history=saved, **GREEDY)
        assert second.history == first.history
        *_, answer = [output async for output in second.run("What is the weather in Vienna?")]
    assert "sunny" in answer.message.text
    assert cities(second.history[-3]) == ["Vienna"]
    assert msgspec.json.decode(msgspec.json.encode(second.history), type=list[Message]) == second.history


@BOTH_LOOPS
@pytest.mark.parametrize("how", ["leaves", "is cancelled"])
async def test_an_agent_that_is_left_keeps_what_was_shown_and_goes_on(connect, server, how):
    async with connect() as client:
        agent = Agent(client=client, temperature=0, max_tokens=400)
        text = ""
        with anyio.CancelScope() as scope:
            async with agent.run_stream("Write a long story about a king.") as run:
                async for piece in run:
                    if isinstance(piece.delta, TextDelta):
                        text += piece.delta.text
                    if len(text) > 20 and how == "leaves":
                        break
                    if len(text) > 20:
                        scope.cancel()
        assert agent.history[-1] == Message("assistant", text, meta=agent.history[-1].meta)
        await server.idle()
        agent.params["max_tokens"] = 8
        assert [output.message.role async for output in agent.run("Thanks.")] == ["assistant"]
    assert [message.role for message in agent.history] == ["user", "assistant", "user", "assistant"]
