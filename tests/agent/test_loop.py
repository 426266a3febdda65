"""What a run yields, what it sends, and what it leaves in the history."""

from __future__ import annotations

from typing import Any

import anyio
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from streamkit.agent import Agent, Run
from streamkit.deltas import BlockAdded, MessageDeltaOutput, MessageEnd, MessageStart, TextDelta, ToolCallEnd
from streamkit.errors import APIError, RateLimited, TransportError, TruncatedStream, TurnLimit
from streamkit.events import Done, Event, Failed, OutputDelta, OutputEnd, RunStart, RunSummary, TurnEnd, TurnStart
from streamkit.messages import FinishReason, Message, MessageOutput, Meta
from streamkit.parts import FunctionCall, FunctionPart, TextPart, ValuePart
from streamkit.testing import Answer, Call, ReplayServer, ReplayTransport, Reply, Text, Thinking, error_reply, render
from streamkit.testing.mutations import fail, split_frames
from streamkit.testing.scripts import render_error
from streamkit.usage import Usage
from tests.runs import fold


async def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


def shout(text: str) -> str:
    """Say it loud."""
    return text.upper()


async def fails(why: str) -> None:
    """Fail."""
    raise ValueError(why)


def two_parts() -> Message:
    """Give two texts."""
    return Message("tool", ["one", "two"])


TOOLS = [add, shout, fails, two_parts]


def result(id: str, value: Any, name: str, *, is_error: bool = False) -> Message:
    return Message("tool", [ValuePart(value)], id=id, meta=Meta(name=name, is_error=is_error))


def call(id: str, name: str, **arguments: Any) -> FunctionPart:
    return FunctionPart(id, FunctionCall(name, arguments))


async def folded(run: Run[MessageDeltaOutput]) -> list[MessageOutput]:
    """The outputs that the pieces of a run make."""
    return fold([piece async for piece in run])


def bare(outputs: list[MessageOutput]) -> list[tuple[Any, ...]]:
    """What the fold law speaks of, and who said it."""
    return [(o.message, o.finish_reason, o.usage, o.depth, o.source_agent) for o in outputs]


@pytest.mark.feature("0.7", "0.8", "0.17", "0.19", "0.20", "0.22", "0.27", "0.28")
async def test_a_run_calls_tools_until_the_model_answers(make_agent: Any, provider: str) -> None:
    transport = ReplayTransport([Answer(["Adding.", Call("add", {"a": 1, "b": 2})]), Answer(["It is 3."])])
    agent = make_agent(transport, tools=TOOLS, instruction="Be brief.", name="adder")
    outputs = [output async for output in agent.run("1 + 2?")]
    calling = Message("assistant", [TextPart("Adding.")], tool_calls=[call("call_0", "add", a=1, b=2)])
    messages = [calling, result("call_0", 3, "add"), Message("assistant", [TextPart("It is 3.")])]
    assert [output.message for output in outputs] == messages
    assert agent.history == [
        Message("system", [TextPart("Be brief.")]),
        Message("user", [TextPart("1 + 2?")]),
        *messages,
    ]
    assert [output.finish_reason.type for output in outputs] == ["tool_call", "stop", "stop"]
    assert [output.usage for output in outputs] == [Usage(12, 7), None, Usage(12, 7)]
    assert agent.usage == Usage(24, 14)
    assert {(output.depth, output.source_agent) for output in outputs} == {(0, "adder")}
    assert (outputs[0].provider, outputs[0].model) == (provider, "scripted-model")
    first, second = [request.json for request in transport.requests]
    assert len(second["messages"]) == len(first["messages"]) + 2
    assert "add" in str(first["tools"]) and first["tools"] == second["tools"]


@pytest.mark.feature("D: ailoy#375")
async def test_a_tool_result_streams_as_a_message_of_its_own(make_agent: Any) -> None:
    agent = make_agent([Answer([Call("add", {"a": 1}), Call("fails", {"why": "no"})]), Answer(["Ok."])], tools=TOOLS)
    pieces = [piece async for piece in agent.run_stream("go")]
    first = next(at for at, piece in enumerate(pieces) if getattr(piece.delta, "role", "") == "tool")
    assert [piece.delta for piece in pieces[first : first + 6]] == [
        MessageStart("tool", "call_0", meta=Meta(name="add")),
        BlockAdded(0, ValuePart(2)),
        MessageEnd(FinishReason("stop")),
        MessageStart("tool", "call_1", meta=Meta(name="fails", is_error=True)),
        BlockAdded(0, ValuePart("ValueError: no")),
        MessageEnd(FinishReason("stop")),
    ]
    assert [piece.finish_reason is not None for piece in pieces] == [type(p.delta) is MessageEnd for p in pieces]


SCRIPTS: list[tuple[str, list[Answer]]] = [
    ("text", [Answer(["Hello."])]),
    ("nothing", [Answer([])]),
    ("thinking", [Answer([Thinking("Hm.", "sig"), "Well."])]),
    (
        "parallel calls",
        [Answer([Call("add", {"a": 1}), Call("shout", {"text": "x"}), Call("two_parts")]), Answer(["Ok."])],
    ),
    (
        "failing calls",
        [Answer([Call("fails", {"why": "x"}), Call("nobody"), Call("add", "{bad"), Call("add", {})]), Answer([])],
    ),
    ("many turns", [Answer([Call("add", {"a": n})]) for n in range(5)] + [Answer(["Ok."])]),
    ("cut by length", [Answer(["So", Call("add", '{"a": 1')], finish="length")]),
    ("no usage", [Answer(["Hi."], usage=None)]),
]
# Answers of which only OpenAI's dialect has more than one.
SEVERAL = Answer(["One.", Call("add", {"a": 1})], choices=[Answer(["Two."]), Answer([Call("add", {"a": 3})])])


@pytest.mark.feature("0.25", "first-1")
@pytest.mark.parametrize("script", [case[1] for case in SCRIPTS], ids=[case[0] for case in SCRIPTS])
async def test_the_pieces_of_a_run_fold_to_its_messages(make_agent: Any, script: list[Answer]) -> None:
    whole, pieces = make_agent(list(script), tools=TOOLS), make_agent(list(script), tools=TOOLS)
    outputs = [output async for output in whole.run("go")]
    assert bare(await folded(pieces.run_stream("go"))) == bare(outputs)
    assert pieces.history == whole.history
    assert pieces.usage == whole.usage


@pytest.mark.parametrize("provider", ["openai"], indirect=True)
async def test_the_first_of_several_answers_is_the_message(make_agent: Any) -> None:
    script = [SEVERAL, Answer(["Done."])]
    whole, pieces = make_agent(list(script), tools=TOOLS), make_agent(list(script), tools=TOOLS)
    outputs = [output async for output in whole.run("go")]
    assert bare(await folded(pieces.run_stream("go"))) == bare(outputs)
    assert [output.message.text for output in outputs] == ["One.", "", "Done."]
    assert outputs[0].finish_reason.type == "tool_call"


texts = st.text(st.characters(codec="utf-8"), max_size=12)
calls = st.one_of(
    st.builds(Call, st.just("add"), st.fixed_dictionaries({"a": st.integers()}, optional={"b": st.integers()})),
    st.builds(Call, st.sampled_from(["shout", "fails"]), st.fixed_dictionaries({"text": texts})),
    st.builds(Call, st.sampled_from(["add", "nobody"]), texts),
    st.builds(Call, st.just("two_parts")),
)
blocks = st.one_of(st.builds(Text, texts), st.builds(Thinking, texts.filter(bool), st.none() | st.just("sig")), calls)
usages = st.none() | st.builds(Usage, st.integers(1, 99), st.integers(1, 99))
answers = st.builds(Answer, st.lists(blocks, max_size=5), usage=usages)


@pytest.mark.feature("0.25", "first-1")
@given(st.lists(answers, max_size=3), st.lists(blocks.filter(lambda block: not isinstance(block, Call)), max_size=3))
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_the_pieces_of_any_run_fold_to_its_messages(
    protocol: str, backend: str, script: list[Answer], last: list[Any]
) -> None:
    async def main() -> None:
        agents = []
        for _ in range(2):
            http = httpx.AsyncClient(transport=ReplayTransport([*script, Answer(last)], piece=3))
            agents.append(Agent(f"{protocol}/m", api_key="key", http_client=http, tools=TOOLS))
        outputs = [output async for output in agents[0].run("go")]
        assert bare(await folded(agents[1].run_stream("go"))) == bare(outputs)
        assert (
            agents[0].history == agents[1].history == [Message("user", [TextPart("go")]), *(o.message for o in outputs)]
        )

    anyio.run(main, backend=backend)


async def test_events_tell_the_whole_story(make_agent: Any) -> None:
    script = [Answer([Call("add", {"a": 1})]), Answer(["Ok."])]
    events: list[Event] = [event async for event in make_agent(list(script), tools=TOOLS).run_events("go")]
    outputs = [output async for output in make_agent(list(script), tools=TOOLS).run("go")]
    assert bare([event.output for event in events if isinstance(event, OutputEnd)]) == bare(outputs)
    told = [event for event in events if not isinstance(event, (OutputDelta, OutputEnd))]
    assert [type(event).__name__ for event in told] == [
        *("RunStart", "TurnStart", "ToolStart", "ToolEnd", "TurnEnd"),
        *("TurnStart", "TurnEnd", "Done"),
    ]
    assert told[:2] == [RunStart("agent"), TurnStart(1)]
    assert told[-2] == TurnEnd(2)
    assert isinstance(told[-1], Done)
    assert told[-1].summary == RunSummary(2, FinishReason("stop", told[-1].summary.finish_reason.raw), Usage(24, 14))


# A finish that is no tool call: the calls are not run, and the history says so.
NOT_CALLED: list[tuple[str, Answer, str, str]] = [
    ("length, cut in the arguments", Answer(["So", Call("add", '{"a": 1')], finish="length"), "length", "its limit"),
    ("length, after the call", Answer([Call("add", {"a": 1})], finish="length"), "length", "its limit of length"),
    ("a refusal", Answer([Call("add", {"a": 1})], raw_finish="REFUSED"), "refusal", "refused or blocked"),
]


@pytest.mark.feature("D: pi#9897", "first-3")
@pytest.mark.parametrize(
    ("answer", "finish", "why"), [case[1:] for case in NOT_CALLED], ids=[case[0] for case in NOT_CALLED]
)
async def test_a_call_is_run_only_where_the_model_stopped_for_it(
    make_agent: Any, assert_whole: Any, provider: str, answer: Answer, finish: str, why: str
) -> None:
    called = []
    if answer.raw_finish is not None:
        answer = structs.replace(answer, raw_finish={"openai": "content_filter", "anthropic": "refusal"}[provider])

    async def add(a: int) -> None:
        called.append(a)

    agent = make_agent([answer, Answer(["Fine."])], tools=[add])
    outputs = [output async for output in agent.run("go")]
    assert [output.finish_reason.type for output in outputs] == [finish, "stop"]
    assert called == []
    assert [message.role for message in agent.history] == ["user", "assistant", "tool"]
    assert agent.history[-1].meta == Meta(name="add", is_error=True)
    assert why in agent.history[-1].contents[0].value
    assert_whole(agent.history)
    assert [output.message.text async for output in agent.run("on")] == ["Fine."]


@pytest.mark.parametrize("provider", ["anthropic"], indirect=True)
async def test_a_paused_turn_is_sent_again(make_agent: Any) -> None:
    transport = ReplayTransport([Answer(["Searching"], finish="other"), Answer([" and found."])])
    agent = make_agent(transport)
    outputs = [output async for output in agent.run("go")]
    assert [(o.message.text, o.finish_reason.raw) for o in outputs] == [
        ("Searching", "pause_turn"),
        (" and found.", "end_turn"),
    ]
    assert transport.requests[1].json["messages"][-1]["role"] == "assistant"


async def test_a_run_ends_clearly_after_the_turns_that_it_may_take(make_agent: Any, assert_whole: Any) -> None:
    agent = make_agent(lambda request: Answer([Call("add", {"a": 1})]), tools=TOOLS, max_turns=3)
    outputs = []
    with pytest.raises(TurnLimit, match="asked the model 3 times"):
        async for output in agent.run("go"):
            outputs.append(output)  # noqa: PERF401 # what came before the error counts
    assert [output.message.role for output in outputs] == ["assistant", "tool"] * 3
    assert_whole(agent.history)


@pytest.mark.feature("0.27")
async def test_several_runs_are_one_conversation(make_agent: Any) -> None:
    transport = ReplayTransport([Answer(["One."]), Answer(["Two."])])
    agent = make_agent(transport)
    for text in ("a", "b"):
        async for _ in agent.run(text):
            pass
    assert [message.text for message in agent.history] == ["a", "One.", "b", "Two."]
    assert len(transport.requests[1].json["messages"]) == 3


def dropped(protocol: str, answer: Answer) -> bytes:
    """A body that ends before the answer does."""
    frames = split_frames(render(answer, protocol, piece=100))
    return b"".join(frames[: -2 if protocol == "anthropic" else -3])


def overloaded(protocol: str, answer: Answer) -> bytes:
    """A body that a provider ends by an error."""
    frames = split_frames(render(answer, protocol, piece=100))
    return fail(b"".join(frames), len(frames) - 3, render_error(protocol))


FAILURES = [("dropped", dropped, TruncatedStream), ("overloaded", overloaded, APIError)]


@pytest.mark.feature("D: pi#8460")
@pytest.mark.parametrize(("break_off", "kind"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES])
async def test_an_error_in_an_answer_is_raised_with_what_was_shown_and_kept(
    make_agent: Any, assert_whole: Any, break_off: Any, kind: type[Exception]
) -> None:
    answer = Answer(["A long text.", Call("add", {"a": 1})])
    agent = make_agent(lambda request: Reply(body=break_off(request.protocol, answer)), tools=TOOLS)
    shown = ""
    with pytest.raises(kind) as caught:
        async for piece in agent.run_stream("go"):
            shown += piece.delta.text if isinstance(piece.delta, TextDelta) else ""
    partial = caught.value.partial
    assert shown == partial.message.text == "A long text."
    assert partial.source_agent == "agent"
    assert [m.role for m in agent.history] == ["user", "assistant", "tool"]
    assert agent.history[1] == partial.message
    assert "an error cut off the answer" in agent.history[2].contents[0].value
    assert_whole(agent.history)


async def test_an_error_before_anything_was_shown_takes_the_query_back(make_agent: Any, provider: str) -> None:
    protocol = "anthropic" if provider == "anthropic" else "openai-chat"
    busy = error_reply(429, "slow down", "rate_limit_error", protocol=protocol)
    agent = make_agent([busy, Answer(["Fine."])], history=[{"role": "user", "contents": []}])
    with pytest.raises(RateLimited):
        async for _ in agent.run("go"):
            pass
    assert len(agent.history) == 1
    assert [output.message.text async for output in agent.run("go")] == ["Fine."]
    assert [message.text for message in agent.history[1:]] == ["go", "Fine."]


async def test_an_error_in_a_later_turn_keeps_the_turns_before_it(make_agent: Any, assert_whole: Any) -> None:
    agent = make_agent(
        [Answer([Call("add", {"a": 1})]), error_reply(529, "busy", "overloaded_error", protocol="anthropic")],
        tools=TOOLS,
    )
    with pytest.raises(APIError):
        async for _ in agent.run("go"):
            pass
    assert [message.role for message in agent.history] == ["user", "assistant", "tool"]
    assert_whole(agent.history)


async def test_no_server_is_an_error_that_leaves_the_agent_as_it_was() -> None:
    agent = Agent("openai/m", api_key="key", base_url="http://127.0.0.1:9")
    with pytest.raises(TransportError):
        async for _ in agent.run_stream("go"):
            pass
    assert agent.history == []


@pytest.mark.feature("D: pi-web#886", "D: oh-my-pi#5538")
async def test_a_failed_run_tells_so_before_it_raises(make_agent: Any) -> None:
    agent = make_agent([Reply(body=b"", status=500)])
    events: list[Event] = []
    with pytest.raises(APIError) as caught:
        async for event in agent.run_events("go"):
            events.append(event)  # noqa: PERF401 # what came before the error counts
    assert isinstance(events[-1], Failed)
    assert (events[-1].kind, events[-1].message) == (type(caught.value).__name__, str(caught.value))


@pytest.mark.feature("D: openai-openapi#539")
async def test_usage_of_an_answer_that_was_left_counts(make_agent: Any, provider: str) -> None:
    agent = make_agent([Answer(["A long text."], usage=Usage(100, 50))])
    async with agent.run_stream("go") as run:
        async for piece in run:
            if isinstance(piece.delta, TextDelta):
                break
    # Anthropic tells the input tokens first, OpenAI everything last.
    assert agent.usage.input_tokens == (100 if provider == "anthropic" else None)


async def test_a_call_of_an_answer_that_was_left_is_answered_by_that(make_agent: Any, assert_whole: Any) -> None:
    agent = make_agent([Answer([Call("add", {"a": 1}), Call("add", {"a": 2})])], tools=TOOLS)
    async with agent.run_stream("go") as run:
        async for piece in run:
            if isinstance(piece.delta, ToolCallEnd):
                break
    assert "because the answer was cut off." in agent.history[-1].contents[0].value
    assert_whole(agent.history)


async def test_pieces_come_when_they_come(make_agent: Any) -> None:
    """The first piece is there long before the answer ends."""
    async with ReplayServer([Reply(body=Answer(["abcdefgh" * 10]), pace_s=0.05)]) as server:
        agent = make_agent(server)
        with anyio.fail_after(1):
            async with agent.run_stream("go") as run:
                async for piece in run:
                    if isinstance(piece.delta, TextDelta):
                        break
