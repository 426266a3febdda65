"""An agent whose connections break: what is taken back, what is kept, and which options it hands to its client."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from streamkit.accumulator import accumulate
from streamkit.agent import Agent, AgentBuilder
from streamkit.client import Client
from streamkit.client.retries import Retry, Retrying
from streamkit.deltas import MessageDeltaOutput, MessageEnd, Retract
from streamkit.errors import ConfigError, IdleTimeout, Overloaded, TruncatedStream
from streamkit.events import Failed, OutputDelta, Progress
from streamkit.testing import Answer, Call, Received, ReplayServer, Reply, Thinking, render, wires
from streamkit.testing.replies import ReplyLike
from streamkit.usage import Usage
from tests.faults.harness import KEY, until
from tests.runs import fold

# Of generators that httpx and httpcore leave to the garbage collector; trio tells of them.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning")  # see above

CALLING = Answer([Thinking("Let me look."), "One moment.", Call("get_weather", {"city": "Oslo"})])
ANSWER = Answer(["It is sunny in Oslo."])
AGAIN = Retry(first_wait_s=0, after_content=True)
BASES = {"openai/gpt-5": "openai-chat", "anthropic/claude-haiku-4-5": "anthropic"}


def get_weather(city: str) -> str:
    """Tell the weather."""
    return f"sunny in {city}"


def agent_at(server: ReplayServer, model: str = "openai/gpt-5", **options: Any) -> Agent:
    return Agent(model, tools=[get_weather], api_key=KEY, base_url=server.url, **{"max_tokens": 50, **options})


def broken(answer: Answer, protocol: str, share: float) -> wires.Wire:
    data = render(answer, protocol)
    return wires.close(data, after=int(len(data) * share))


@pytest.mark.parametrize("share", [0.3, 0.6, 0.8])
@pytest.mark.parametrize("model", BASES)
async def test_a_run_whose_answers_are_taken_back_is_that_of_a_healthy_server(model: str, share: float) -> None:
    protocol = BASES[model]
    async with ReplayServer([CALLING, ANSWER]) as server:
        healthy = agent_at(server, model)
        expected = [output async for output in healthy.run("How is it?")]

    first, second = broken(CALLING, protocol, share), broken(ANSWER, protocol, share)
    async with ReplayServer([first, CALLING, second, second, ANSWER]) as server:
        agent = agent_at(server, model, retry=AGAIN)
        pieces = [piece async for piece in agent.run_stream("How is it?")]
        assert len(server.requests) == 5
        assert server.requests[4].json == server.requests[2].json
    assert agent.history == healthy.history

    outputs = fold(pieces)  # with what was taken back in it
    assert [output.message for output in outputs] == [output.message for output in expected]
    assert [output.finish_reason for output in outputs] == [output.finish_reason for output in expected]
    assert sum(isinstance(piece.delta, Retract) for piece in pieces) == 3
    assert agent.usage == sum((output.usage for output in outputs if output.usage), Usage())


@pytest.mark.feature("first-8")
async def test_events_show_that_an_answer_was_taken_back_and_messages_do_not() -> None:
    def script() -> list[ReplyLike]:
        return [broken(ANSWER, "openai-chat", 0.7), ANSWER]

    async with ReplayServer(script()) as server:
        events = [event async for event in agent_at(server, retry=AGAIN).run_events("How is it?")]
    shown = [event.output.delta for event in events if isinstance(event, OutputDelta)]
    (taken,) = [at for at, delta in enumerate(shown) if isinstance(delta, Retract)]
    assert accumulate(shown[:taken]).message.text
    assert accumulate(shown[taken + 1 :]).message.text == "It is sunny in Oslo."

    async with ReplayServer(script()) as server:
        outputs = [output async for output in agent_at(server, retry=AGAIN).run("How is it?")]
    assert [output.message.text for output in outputs] == ["It is sunny in Oslo."]


async def test_what_is_not_asked_for_again_fails_the_run_and_is_kept_as_far_as_it_was_shown() -> None:
    async with ReplayServer([broken(ANSWER, "openai-chat", 0.7), ANSWER]) as server:
        agent = agent_at(server)
        events = []
        with pytest.raises(TruncatedStream) as caught:
            async for event in agent.run_events("How is it?"):
                events.append(event)  # noqa: PERF401 - each as it comes
        assert isinstance(events[-1], Failed)
        assert caught.value.partial is not None
        assert agent.history[-1] == caught.value.partial.message
        assert agent.history[-1].text.startswith("It is")
        outputs = [output async for output in agent.run("And now?")]
    assert outputs[-1].message.text == "It is sunny in Oslo."
    ends = [event for event in events if isinstance(event, OutputDelta) and isinstance(event.output.delta, MessageEnd)]
    assert not ends


FIRST = wires.error(529, headers={"retry-after": "0.2"})
RETRIED: dict[str, tuple[list[ReplyLike], int]] = {
    "before an answer": ([FIRST, ANSWER], 0),
    "twice": ([FIRST, FIRST, ANSWER], 0),
    "in an answer": ([broken(ANSWER, "openai-chat", 0.7), FIRST, ANSWER], 1),
    "in vain": ([FIRST, FIRST, FIRST], 0),
}


@pytest.mark.parametrize("case", RETRIED)
async def test_a_retry_is_told_before_it_is_waited_for(case: str) -> None:
    replies, shown = RETRIED[case]
    told: list[tuple[Progress, int]] = []
    hooked: list[Retrying] = []
    async with ReplayServer(replies) as server:
        policy = Retry(times=2, first_wait_s=0.001, after_content=True)
        agent = agent_at(server, retry=policy, on_retry=hooked.append)
        retracted = 0
        try:
            async for event in agent.run_events("How is it?"):
                if isinstance(event, Progress):
                    told.append((event, len(server.requests)))
                elif isinstance(event, OutputDelta):
                    retracted += isinstance(event.output.delta, Retract)
        except Overloaded:
            assert case == "in vain"
    assert retracted == shown
    assert [(progress.kind, progress.detail) for progress, _ in told] == [("retrying", each.detail) for each in hooked]
    assert [asked for _, asked in told] == [1, 2][: len(told)] != []
    assert [progress.detail["number"] for progress, _ in told] == [1, 2][: len(told)]
    assert len(server.requests) == len(replies)
    waits = [progress.detail["wait_s"] for progress, _ in told]
    assert 0.2 in waits and told[0][0].detail["provider"] == "openai"


@pytest.mark.parametrize("how", ["abort", "steer", "leave"])
async def test_a_run_may_be_cut_off_where_a_retry_is_told(how: str) -> None:
    async with ReplayServer([wires.error(529, headers={"retry-after": "30"}), ANSWER, ANSWER]) as server:
        agent = agent_at(server)
        with anyio.fail_after(5):
            async with agent.run_events("How is it?") as run:
                async for event in run:
                    if isinstance(event, Progress) and event.kind == "retrying":
                        if how == "leave":
                            break
                        agent.abort() if how == "abort" else agent.steer("Now?", interrupt=True)
            await until(lambda: not server.connections)
            outputs = [output async for output in agent.run("Again?")]
    assert outputs[-1].message.text == "It is sunny in Oslo."
    assert len(server.requests) == (3 if how == "steer" else 2)


@pytest.mark.feature("D: pi#8593")
async def test_a_silent_model_ends_a_run_in_the_limits_error() -> None:
    async with ReplayServer(wires.stall(ANSWER, after=-500)) as server:
        agent = agent_at(server, idle_timeout_s=0.1)
        pieces: list[MessageDeltaOutput] = []
        with anyio.fail_after(5), pytest.raises(IdleTimeout):
            async for piece in agent.run_stream("How is it?"):
                pieces.append(piece)  # noqa: PERF401 - each as it comes
        await until(lambda: not server.connections)
    assert agent.history[-1].text == accumulate(piece.delta for piece in pieces).message.text != ""


async def test_another_model_goes_on_with_a_run_after_its_tools() -> None:
    def reply(request: Received) -> ReplyLike:
        if request.json["model"] == "gpt-5":
            return wires.error(529) if "sunny in Oslo" in request.body.decode() else CALLING
        return ANSWER

    told: list[Retrying] = []
    async with ReplayServer(reply) as server, Client("anthropic/m", api_key=KEY, base_url=server.url) as other:
        agent = agent_at(server, fallback=iter([other]), retry=0, on_retry=told.append)
        for _ in range(2):
            outputs = [output async for output in agent.run("How is it?")]
            assert [output.provider for output in outputs] == ["openai", None, "anthropic"]
            agent.history = []
    assert [(each.provider, type(each.error)) for each in told] == [("anthropic", Overloaded)] * 2


async def test_a_builder_takes_the_options_of_a_client_too() -> None:
    async with ReplayServer([wires.error(529), Reply(body=ANSWER)]) as server:
        builder = AgentBuilder("openai/gpt-5").api_key(KEY).base_url(server.url)
        agent = await builder.params(retry=Retry(first_wait_s=0), idle_timeout_s=5).build()
        outputs = [output async for output in agent.run("How is it?")]
    assert outputs[-1].message.text == "It is sunny in Oslo."


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"retry": "often"}, "retry must be a number or a Retry"),
    ({"retry": -1}, "0 or more"),
    ({"idle_timeout_s": 0}, "idle_timeout_s must be a number of seconds above 0"),
    ({"fallback": ["nobody/x"]}, "unknown provider 'nobody'"),
    ({"idle_timeout": 5}, "idle_timeout"),
    ({"fallbacks": ["openai/x"]}, "fallback"),
]


@pytest.mark.parametrize(("options", "words"), WRONG, ids=[str(case[0]) for case in WRONG])
def test_what_is_wrong_in_an_option_is_found_when_the_agent_is_made(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        Agent("openai/gpt-5", api_key=KEY, **options)


@pytest.mark.parametrize("option", [{"retry": 2}, {"fallback": "openai/x"}, {"total_timeout_s": 5}], ids=str)
def test_a_client_that_is_given_has_its_own_options(option: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="give them to it"):
        Agent(client=Client("openai/gpt-5", api_key=KEY), **option)
