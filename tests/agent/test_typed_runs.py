"""Runs whose answer is to be of a type."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct

from streamkit.agent import Agent, EventRun, TypedRun
from streamkit.errors import ConfigError, OutputError, TurnLimit
from streamkit.events import Done, Failed, OutputEnd, TurnStart
from streamkit.messages import Message
from streamkit.testing import Answer, Call, Refusal, ReplayTransport
from streamkit.tools import ToolResult
from streamkit.usage import Usage
from tests.runs import fold


class Sum(Struct):
    total: int


async def add(a: int, b: int) -> int:
    return a + b


CALLS = Answer([Call("add", {"a": 1, "b": 2})])
GOOD = Answer(['{"total": 3}'])
BAD = Answer(['{"total": "three"}'])
PROSE = Answer(["It is three."])

SCRIPTS = [
    pytest.param([GOOD], 0, id="at once"),
    pytest.param([CALLS, GOOD], 0, id="after its tools"),
    pytest.param([BAD, GOOD], 1, id="at the second go"),
    pytest.param([BAD, CALLS, PROSE, GOOD], 2, id="at the third go, with tools between"),
]


@pytest.mark.parametrize(("script", "told"), SCRIPTS)
async def test_a_run_has_a_value_in_each_of_its_views(
    make_agent: Any, assert_whole: Any, script: Any, told: int
) -> None:
    histories = []
    for view in ("run", "run_stream", "run_events"):
        transport = ReplayTransport(script)
        agent = make_agent(transport, tools=[add])
        run = getattr(agent, view)("1 + 2?", output_type=Sum)
        with pytest.raises(ConfigError, match="read it to its end"):
            _ = run.value
        items = [item async for item in run]
        assert run.value == Sum(3)
        assert_whole(agent.history)
        corrections = [message for message in agent.history[1:] if message.role == "user"]
        assert len(corrections) == told
        assert all("That answer cannot be used: " in message.text for message in corrections)
        assert agent.history[-1].text == '{"total": 3}'
        assert len(transport.requests) == len(script)
        histories.append(agent.history)
        assert isinstance(run, TypedRun)
        assert isinstance(run, EventRun) == (view == "run_events")
        if view == "run_events":
            assert [event.turn for event in items if isinstance(event, TurnStart)] == list(range(1, len(script) + 1))
            assert isinstance(items[-1], Done) and items[-1].summary.turns == len(script)
    assert histories[0] == histories[1] == histories[2]


async def test_the_pieces_fold_to_the_messages_also_of_answers_that_were_told_off(make_agent: Any) -> None:
    script = [BAD, CALLS, GOOD]
    outputs = [output async for output in make_agent(script, tools=[add]).run("1 + 2?", output_type=Sum)]
    agent = make_agent(script, tools=[add])
    folded = fold([piece async for piece in agent.run_stream("1 + 2?", output_type=Sum)])
    assert [(o.message, o.finish_reason, o.usage) for o in folded] == [
        (o.message, o.finish_reason, o.usage) for o in outputs
    ]


# Each says it in its own way: in a part of its own, and as the reason to stop.
REFUSED = {"openai": [Answer([Refusal("No.")])], "anthropic": [Answer(["No."], finish="refusal")]}

FAILURES = [
    pytest.param([BAD, PROSE, BAD], 2, "Expected `int`, got `str`", id="as often as it may"),
    pytest.param([PROSE], 0, "not one JSON object", id="never, where it may not"),
    pytest.param(REFUSED, 2, "refused", id="a refusal is not argued with"),
    pytest.param([Answer(['{"total": '], finish="length")], 2, "cut off", id="a length is not argued with"),
]


@pytest.mark.parametrize(("script", "retries", "reason"), FAILURES)
async def test_after_that_the_run_fails_with_the_text_and_the_reason(
    make_agent: Any, provider: str, assert_whole: Any, script: Any, retries: int, reason: str
) -> None:
    script = script[provider] if script is REFUSED else script
    agent = make_agent(script, output_retries=retries, name="adder")
    run = agent.run_events("1 + 2?", output_type=Sum)
    events: list[Any] = []
    with pytest.raises(OutputError, match=reason) as caught:
        while True:
            events.append(await anext(run))
    error = caught.value
    assert error.partial is not None and error.partial.source_agent == "adder"
    assert error.text == error.partial.message.text
    assert isinstance(events[-1], Failed) and events[-1].kind == "OutputError"
    assert sum(isinstance(event, OutputEnd) for event in events) == len(script)
    assert agent.history[-1] == error.partial.message, "what was shown is kept"
    assert_whole(agent.history)
    with pytest.raises(ConfigError):
        _ = run.value
    again = agent.run("Once more.", output_type=Sum)
    assert again is not None and agent.history[0].role == "user"


async def test_what_it_is_told_counts_as_a_turn(make_agent: Any) -> None:
    agent = make_agent([BAD, GOOD], max_turns=1)
    with pytest.raises(TurnLimit):
        _ = [output async for output in agent.run("1 + 2?", output_type=Sum)]


async def test_a_run_says_what_its_message_says_so_far(make_agent: Any) -> None:
    agent = make_agent([CALLS, Answer(['{"value": [10, 20, 30]}'])], tools=[add])
    run = agent.run_stream("Count.", output_type=list[int])
    seen = [list(run.partial_value or ()) async for _ in run]
    assert [10] in seen and [10, 20] in seen
    assert all(later[: len(one)] == one for one, later in zip(seen, seen[1:], strict=False) if later)
    assert run.value == [10, 20, 30]


async def test_a_break_leaves_an_agent_that_goes_on(make_agent: Any, assert_whole: Any) -> None:
    agent = make_agent([BAD, GOOD, GOOD])
    async with agent.run("1 + 2?", output_type=Sum) as run:
        async for _ in run:
            break
    with pytest.raises(ConfigError, match="read it to its end"):
        _ = run.value
    assert_whole(agent.history)
    outputs = [output async for output in agent.run("Again.", output_type=Sum)]
    assert outputs[-1].message.text == '{"total": 3}'


async def finish() -> ToolResult:
    return ToolResult("enough", terminate=True)


@pytest.mark.parametrize("by", ["a tool", "a hook", "an abort"])
async def test_a_run_that_was_ended_before_its_answer_says_so_in_place_of_a_value(make_agent: Any, by: str) -> None:
    stop = (lambda turn: True) if by == "a hook" else None
    script = [Answer([Call("finish" if by == "a tool" else "add")])]
    agent = make_agent(script, tools=[add, finish], should_stop=stop)
    async with agent.run("1 + 2?", output_type=Sum) as run:
        async for _ in run:
            if by == "an abort":
                agent.abort()
    with pytest.raises(ConfigError, match="ended it before the model had answered"):
        _ = run.value


def test_mistakes_are_told_before_anything_is_asked() -> None:
    agent = Agent("openai/m", api_key="k")
    with pytest.raises(ConfigError, match="is no output_type"):
        agent.run("Hi", output_type=object())
    with pytest.raises(ConfigError, match="is no output_type"):
        agent.as_tool(description="Ask it.", output_type=object())
    with pytest.raises(ConfigError, match="belongs to a run"):
        Agent("openai/m", api_key="k", output_type=Sum)
    with pytest.raises(ConfigError, match="0 is none"):
        Agent("openai/m", api_key="k", output_retries=-1)
    with pytest.raises(ConfigError, match="without an output_type"):
        _ = agent.run("Hi").value


async def test_a_plain_run_is_as_it_was(make_agent: Any) -> None:
    agent = make_agent([PROSE])
    outputs = [output async for output in agent.run("1 + 2?")]
    assert [output.message for output in outputs] == agent.history[1:]
    assert agent.history[0] == Message("user", "1 + 2?")


async def test_what_it_took_to_get_a_value_is_all_counted(make_agent: Any, assert_whole: Any) -> None:
    spent = Usage(100, 10)
    agent = make_agent([Answer([text], usage=spent) for text in ("It is three.", "", '{"total": 3}')])
    run = agent.run("1 + 2?", output_type=Sum)
    outputs = [output async for output in run]
    assert (run.value, len(outputs)) == (Sum(3), 3)
    assert agent.usage == spent + spent + spent
    assert [message.role for message in agent.history] == ["user", "assistant"] * 3
    assert_whole(agent.history)
