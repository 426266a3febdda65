"""What a user does to a run that is under way: steering, aborting, going on."""

from __future__ import annotations

from functools import partial
from typing import Any

import anyio
import pytest

from streamkit.agent import Agent
from streamkit.deltas import Retract, TextDelta
from streamkit.errors import ConfigError, ServerError
from streamkit.events import Done, MessageAdded, OutputDelta, Progress, ToolEnd, ToolStart, TurnStart
from streamkit.messages import Message
from streamkit.testing import Answer, Call, ReplayServer, Reply, error_reply, render
from tests.runs import fold

pytestmark = pytest.mark.parametrize("provider", ["anthropic"], indirect=True)

CALLS = Answer(["I look. ", Call("add", {"a": 1}), Call("add", {"a": 2})])
LONG = Answer(["one two three four five six seven eight nine ten"])
FINE = Answer(["Fine."])


async def add(a: int) -> int:
    """Add one."""
    return a + 1


async def rests() -> str:
    """Take its time."""
    await anyio.sleep_forever()
    return "never"


def hangs(answer: Answer = LONG) -> Reply:
    """An answer whose second half never comes."""
    body = render(answer, "anthropic")
    return Reply(body=body[: body.index(b"six") if b"six" in body else len(body) // 2], ends="hangs")


def said(history: list[Message]) -> list[str]:
    return [message.text for message in history if message.role == "user"]


# Aborting


@pytest.mark.parametrize("at", range(30))
@pytest.mark.feature("4.21")
async def test_a_run_may_be_aborted_at_any_item(make_agent: Any, assert_whole: Any, watch: Any, at: int) -> None:
    async with ReplayServer([CALLS, LONG, FINE], piece=9) as server:
        clean = await watch(server)
        async with make_agent(server, tools=[add]) as agent:
            pieces, aborted = [], False
            async with agent.run_stream("go") as run:
                async for piece in run:
                    if len(pieces) == at:
                        aborted = agent.abort()
                    pieces.append(piece)
            assert agent.abort() is False
            assert_whole(agent.history)
            messages = [output.message for output in fold(pieces)]
            assert [one for one in messages if one.contents or one.tool_calls] == agent.history[1:]
            if aborted and agent.history[-1].role == "assistant":
                assert fold(pieces)[-1].finish_reason.type == "aborted" or len(pieces) == at + 1
            [output async for output in agent.run("on")]
            assert_whole(agent.history)
        await clean()


@pytest.mark.parametrize("tool", [rests, None])
@pytest.mark.feature("4.21")
async def test_what_is_waited_for_ends_with_the_run(make_agent: Any, assert_whole: Any, watch: Any, tool: Any) -> None:
    script = [Answer([Call("rests", {})]), FINE] if tool else [hangs(), FINE]
    async with ReplayServer(script) as server:
        clean = await watch(server)
        agent = make_agent(server, tools=[rests])
        events: list[Any] = []
        async with anyio.create_task_group() as tasks, agent.run_events("go") as run:
            tasks.start_soon(abort_when, agent, events, ToolStart if tool else TextDelta)
            with anyio.fail_after(5):
                async for event in run:
                    events.append(event)  # noqa: PERF401 # they are looked at meanwhile
        assert isinstance(events[-1], Done)
        assert events[-1].summary.finish_reason.type == "aborted"
        assert [type(event) for event in events].count(Done) == 1
        assert_whole(agent.history)
        if tool is None:
            assert agent.history[-1].text == "one two three four five "
        else:
            assert agent.history[-1].meta.is_error
            assert "interrupted by the user" in agent.history[-1].contents[0].value
        await clean()
        assert [output.message.text async for output in agent.run("on")] == ["Fine."]


async def abort_when(agent: Agent, events: list[Any], kind: type) -> None:
    """Abort once there was such an event, and the run waits for the next."""
    while not any(isinstance(getattr(getattr(e, "output", None), "delta", e), kind) for e in events):  # noqa: ASYNC110 # it is told nowhere
        await anyio.sleep(0.002)
    await anyio.wait_all_tasks_blocked()
    assert agent.state.is_streaming
    assert agent.abort()


async def test_usage_of_an_aborted_answer_counts(make_agent: Any) -> None:
    agent = make_agent([LONG])
    pieces = []
    async for piece in agent.run_stream("go"):
        pieces.append(piece)
        if isinstance(piece.delta, TextDelta):
            agent.abort()
    assert pieces[-1].finish_reason is not None
    assert pieces[-1].finish_reason.type == "aborted"
    assert pieces[-1].usage == agent.usage
    assert agent.usage.input_tokens


@pytest.mark.feature("D: pi#8935")
@pytest.mark.parametrize("steered", [False, True])
async def test_an_abort_with_the_last_piece_of_a_message_starts_no_tool(
    make_agent: Any, assert_whole: Any, steered: bool
) -> None:
    called = []

    async def add(a: int) -> None:
        called.append(a)

    agent = make_agent([CALLS, FINE], tools=[add])
    kinds = []
    async for event in agent.run_events("go"):
        kinds.append(type(event).__name__)
        if isinstance(event, OutputDelta) and event.output.finish_reason is not None and "OutputEnd" not in kinds:
            agent.steer("No.", interrupt=True) if steered else agent.abort()
    assert called == []
    assert "ToolStart" not in kinds
    assert kinds[-2:] == ["TurnEnd", "Done"]
    why = "a message from the user came first" if steered else "the user ended the run"
    results = [message.contents[0].value for message in agent.history if message.role == "tool"]
    assert results == [f"The call was not run, because {why}."] * 2
    assert_whole(agent.history)


async def test_an_abort_ends_a_hook_that_waits(make_agent: Any) -> None:
    waiting = anyio.Event()

    async def look_up(messages: list[Message]) -> list[Message]:
        waiting.set()
        await anyio.sleep_forever()
        return messages

    agent = make_agent([FINE], transform_context=look_up)

    async def abort() -> None:
        await waiting.wait()
        agent.abort()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(abort)
        with anyio.fail_after(5):
            assert [output async for output in agent.run("go")] == []
    assert said(agent.history) == ["go"]
    assert agent.state.is_streaming is False


# Steering


@pytest.mark.parametrize(
    ("mode", "asked"),
    [("one-at-a-time", ["go", "go a", "go a b"]), ("all", ["go", "go ab"])],
)
@pytest.mark.feature("4.3")
async def test_what_is_said_while_tools_run_comes_before_the_next_turn(
    make_agent: Any, assert_whole: Any, mode: Any, asked: list[str]
) -> None:
    async def busy() -> str:
        agent.steer("a")
        agent.steer("b")
        return "done"

    agent = make_agent([Answer([Call("busy", {})]), FINE, FINE], tools=[busy], steering_mode=mode)
    events = [event async for event in agent.run_events("go")]
    transport = agent._client._given._transport
    sent = [" ".join(filter(None, map(text, request.json["messages"]))) for request in transport.requests]
    assert [words.replace(" Fine.", "") for words in sent] == asked
    added = [event for event in events if isinstance(event, MessageAdded)]
    assert [(event.message.text, event.source) for event in added] == [("a", "steering"), ("b", "steering")]
    assert events[-1].summary.turns == len(asked)
    assert_whole(agent.history)


def text(message: dict[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


@pytest.mark.feature("first-8", "D: bobbit#360")
async def test_an_interruption_takes_back_what_the_model_was_saying(make_agent: Any, assert_whole: Any) -> None:
    agent = make_agent([LONG, FINE])
    events = []
    async for event in agent.run_events("go"):
        events.append(event)
        if isinstance(event, OutputDelta) and "one" in getattr(event.output.delta, "text", ""):
            agent.steer("No: be brief.", interrupt=True)
    pieces = [event.output for event in events if isinstance(event, OutputDelta)]
    assert [type(piece.delta) for piece in pieces].count(Retract) == 1
    (output,) = fold(pieces)
    assert output.message == agent.history[-1]
    assert [message.text for message in agent.history] == ["go", "No: be brief.", "Fine."]
    assert output.usage == agent.usage == events[-1].summary.usage
    assert output.usage.input_tokens > 12  # both requests count
    assert Progress("interrupted") in events
    assert [event.turn for event in events if isinstance(event, TurnStart)] == [1, 2]
    assert_whole(agent.history)


@pytest.mark.feature("D: pi#7053")
async def test_an_interruption_stops_tools_and_keeps_the_results_that_are_there(
    make_agent: Any, assert_whole: Any
) -> None:
    agent = make_agent([Answer([Call("rests", {}), Call("add", {"a": 1})]), FINE], tools=[rests, add])
    events = []
    with anyio.fail_after(5):
        async for event in agent.run_events("go"):
            events.append(event)
            if isinstance(event, ToolEnd) and event.name == "add":
                agent.steer("Never mind.", interrupt=True)
    rested, added = (message for message in agent.history if message.role == "tool")
    assert rested.meta is not None
    assert rested.meta.is_error
    assert added.contents[0].value == 2
    assert said(agent.history) == ["go", "Never mind."]
    assert agent.history[-1].text == "Fine."
    assert_whole(agent.history)


async def test_an_interruption_before_anything_was_said_takes_nothing_back(make_agent: Any) -> None:
    async with ReplayServer([Reply(body=b"", ends="hangs"), FINE]) as server:
        agent = make_agent(server)

        async def steer() -> None:
            while not server.requests:  # noqa: ASYNC110 # it is told nowhere
                await anyio.sleep(0.002)
            await anyio.wait_all_tasks_blocked()
            agent.steer("Hello?", interrupt=True)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(steer)
            with anyio.fail_after(5):
                pieces = [piece async for piece in agent.run_stream("go")]
    assert not [piece for piece in pieces if isinstance(piece.delta, Retract)]
    assert [message.text for message in agent.history] == ["go", "Hello?", "Fine."]


async def test_a_follow_up_is_answered_when_the_run_would_end(make_agent: Any, assert_whole: Any) -> None:
    agent = make_agent([CALLS, FINE, Answer(["Two."]), Answer(["Three."])], tools=[add])
    agent.follow_up("and two?")
    outputs = []
    async for output in agent.run("go"):
        outputs.append(output.message.text)
        if output.message.text == "Two.":  # the last message so far: the run goes on all the same
            agent.follow_up("and three?")
    assert [text for text in outputs if text] == ["I look. ", "Fine.", "Two.", "Three."]
    assert said(agent.history) == ["go", "and two?", "and three?"]
    assert_whole(agent.history)


@pytest.mark.feature("D: pi#5895")
async def test_what_is_said_without_a_run_waits_for_the_next_one(make_agent: Any) -> None:
    agent = make_agent([FINE, FINE])
    agent.steer("first")
    async for _ in agent.run("go"):
        pass
    assert said(agent.history) == ["go", "first"]


@pytest.mark.parametrize("way", ["abort", "interrupt"])
async def test_another_thread_is_told_how_to_speak_to_a_run(make_agent: Any, assert_whole: Any, way: str) -> None:
    def speaks(handed_over: bool) -> str:
        say = agent.abort if way == "abort" else partial(agent.steer, "stop", interrupt=True)
        return str(anyio.from_thread.run_sync(say) if handed_over else say())

    agent = make_agent(
        [Answer([Call("speaks", {"handed_over": over})]) for over in (False, True)] + [FINE], tools=[speaks]
    )
    with anyio.fail_after(5):
        async for _ in agent.run("go"):
            pass
    first, second = [message.contents[0].value for message in agent.history if message.role == "tool"]
    assert first.startswith("ConfigError: ") and "anyio.from_thread.run_sync" in first
    assert "was interrupted by" in second
    assert said(agent.history) == (["go"] if way == "abort" else ["go", "stop"])
    assert_whole(agent.history)


@pytest.mark.parametrize("way", ["steer", "follow_up"])
async def test_nothing_that_was_said_is_lost_where_a_run_is_left_at_it(make_agent: Any, way: str) -> None:
    agent = make_agent([FINE], steering_mode="all", follow_up_mode="all")
    for text in ("a", "b", "c"):
        getattr(agent, way)(text)
    async with agent.run_events() as events:
        async for event in events:
            if isinstance(event, MessageAdded):
                break
    assert said([*agent.history, *agent.queued]) == ["a", "b", "c"]


async def test_what_waited_with_a_query_stays_where_an_error_takes_that_back(make_agent: Any) -> None:
    agent = make_agent([error_reply(500, "no", protocol="anthropic"), FINE], steering_mode="all")
    agent.steer("first")
    agent.steer("second")
    with pytest.raises(ServerError):
        async for _ in agent.run("go"):
            pass
    assert said(agent.history) == ["first", "second"]
    async for _ in agent.run("go"):
        pass
    assert said(agent.history) == ["first", "second", "go"]


async def test_a_query_that_was_answered_by_what_was_taken_back_stays(make_agent: Any) -> None:
    agent = make_agent([LONG, error_reply(500, "no", protocol="anthropic")])
    with pytest.raises(ServerError):
        async for piece in agent.run_stream("go"):
            if isinstance(piece.delta, TextDelta):
                agent.steer("faster", interrupt=True)
    assert said(agent.history) == ["go", "faster"]


async def test_queues_that_are_cleared_give_what_they_had(make_agent: Any) -> None:
    agent = make_agent([FINE])
    agent.steer("a", interrupt=True)
    agent.follow_up("b")
    assert [message.text for message in agent.clear_queues()] == ["a", "b"]
    assert [output.message.text async for output in agent.run("go")] == ["Fine."]
    assert said(agent.history) == ["go"]


# Going on


async def test_a_run_goes_on_after_what_ended_it(make_agent: Any) -> None:
    agent = make_agent([CALLS, FINE], tools=[add])
    async for output in agent.run("go"):
        if output.message.role == "tool":
            break
    assert agent.history[-1].role == "tool"
    pieces = [piece async for piece in agent.continue_()]
    assert [output.message.text for output in fold(pieces)] == ["Fine."]


async def test_a_run_without_a_query_takes_what_is_queued(make_agent: Any) -> None:
    agent = make_agent([FINE, FINE])
    async for _ in agent.run("go"):
        pass
    agent.follow_up("and?")
    assert [output.message.text async for output in agent.run()] == ["Fine."]
    assert said(agent.history) == ["go", "and?"]


@pytest.mark.parametrize("history", [[], [Message("user", ["hi"]), Message("assistant", ["ho"])]])
async def test_there_must_be_something_to_go_on_with(make_agent: Any, history: list[Message]) -> None:
    agent = make_agent([FINE], history=history)
    with pytest.raises(ConfigError, match="nothing to go on with"):
        await anext(agent.continue_())
    assert agent.history == history
    assert [output.message.text async for output in agent.run("go")] == ["Fine."]


@pytest.mark.parametrize("role", ["assistant", "system"])
async def test_a_query_that_nobody_answers_is_refused_and_not_kept(make_agent: Any, role: Any) -> None:
    agent = make_agent([FINE])
    with pytest.raises(ConfigError, match="neither a user nor a tool spoke last"):
        await anext(agent.run(Message(role, ["hi"])))
    assert agent.history == []


async def test_a_second_query_says_how_to_speak_to_a_run(make_agent: Any) -> None:
    agent = make_agent([LONG])
    async with agent.run_stream("go") as run:
        await anext(run)
        with pytest.raises(ConfigError, match=r"still in a run.*agent\.steer"):
            await anext(agent.run_stream("more"))
