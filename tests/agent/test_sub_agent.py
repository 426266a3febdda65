"""An agent as a tool of another: what it says, uses and leaves."""

from __future__ import annotations

from typing import Any

import anyio
import httpx
import pytest

from streamkit.agent import Agent
from streamkit.deltas import TextDelta
from streamkit.events import Done, Failed, OutputDelta, SubAgent, ToolEnd
from streamkit.messages import Message, Meta
from streamkit.testing import Answer, Call, ReplayServer, ReplayTransport, Reply, error_reply, render
from streamkit.tools import ToolResult
from streamkit.usage import Usage
from tests.runs import fold

ONE = Usage(12, 7)  # of a scripted answer


def agent(script: Any, name: str = "agent", **options: Any) -> Agent:
    http = httpx.AsyncClient(transport=ReplayTransport(script))
    return Agent("openai/m", name=name, api_key="key", http_client=http, retry=0, **options)


def ask(*queries: str, name: str = "guide") -> Answer:
    return Answer([Call(name, {"query": query}) for query in queries])


def guide(script: Any, **options: Any) -> Agent:
    return agent(script, "guide", **options)


DESCRIBED = "Ask somebody who knows the town."


@pytest.mark.feature("0.23", "0.24")
async def test_what_a_sub_agent_says_comes_live_with_its_name_and_depth() -> None:
    deep = agent([Answer(["The third."])], "archivist")
    middle = guide(
        [ask("Which?", name="archivist"), Answer(["Take the third."])], tools=[deep.as_tool(description="x")]
    )
    top = agent([ask("Where to?"), Answer(["The third street."])], tools=[middle.as_tool(description=DESCRIBED)])
    outputs = [output async for output in top.run("go")]
    assert [(output.depth, output.source_agent, output.message.role) for output in outputs] == [
        (0, "agent", "assistant"),
        (1, "guide", "assistant"),
        (2, "archivist", "assistant"),
        (1, "guide", "tool"),
        (1, "guide", "assistant"),
        (0, "agent", "tool"),
        (0, "agent", "assistant"),
    ]
    assert [message.role for message in top.history] == ["user", "assistant", "tool", "assistant"]
    assert top.history[2].contents[0].value == "Take the third."
    assert (middle.history, deep.history) == ([], [])


async def test_usage_of_all_agents_adds_up() -> None:
    top = agent([ask("a", "b"), Answer(["c"])], tools=[guide(lambda _: Answer(["x"])).as_tool(description=DESCRIBED)])
    events = [event async for event in top.run_events("go")]
    total = ONE + ONE + ONE + ONE
    assert isinstance(events[-1], Done)
    assert events[-1].summary.usage is not None
    assert events[-1].summary.usage.input_tokens == total.input_tokens
    assert top.usage.input_tokens == total.input_tokens


async def test_usage_of_a_sub_agent_that_fails_counts() -> None:
    failing = guide([ask("x", name="nobody"), error_reply(500, "broken")])
    top = agent([ask("a"), Answer(["c"])], tools=[failing.as_tool(description=DESCRIBED)])
    events = [event async for event in top.run_events("go")]
    ends = [event for event in events if isinstance(event, ToolEnd)]
    assert ends[0].is_error
    assert top.usage.input_tokens == 3 * (ONE.input_tokens or 0)
    inner = [event.event for event in events if isinstance(event, SubAgent)]
    assert [type(event) for event in inner].count(Failed) == 1
    assert [type(event) for event in events if isinstance(event, (Done, Failed))] == [Done]


@pytest.mark.parametrize("ids", [["", "", ""], ["x", "x", "x"]])
async def test_the_pieces_of_agents_at_once_fold_to_their_messages(ids: list[str]) -> None:
    async with ReplayServer(lambda _: Answer(["one two three four five six"]), piece=11, pace_s=0.001) as server:
        helper = Agent("openai/m", name="guide", api_key="key", base_url=server.url + "/v1")
        tool = helper.as_tool(description=DESCRIBED)
        asks = Answer([Call("guide", {"query": "a"}, id=id) for id in ids])
        first = agent([asks, Answer(["Done."])], tools=[tool])
        folded = fold([piece async for piece in first.run_stream("go")])
    texts = [output.message.text for output in folded if output.source_agent == "guide"]
    assert texts == ["one two three four five six"] * 3
    assert [output.message for output in folded if output.source_agent == "agent"] == first.history[1:]


@pytest.mark.parametrize("steered", [True, False])
async def test_an_abort_and_an_interruption_go_down(steered: bool) -> None:
    hangs = render(Answer(["one two three"]), "openai-chat")
    reply = Reply(body=hangs[: len(hangs) // 2], ends="hangs")
    async with ReplayServer(reply) as server:
        helper = Agent("openai/m", name="guide", api_key="key", base_url=server.url + "/v1")
        top = agent([ask("a"), Answer(["Well."])], tools=[helper.as_tool(description=DESCRIBED)])
        outputs = []
        with anyio.fail_after(5):
            async with top.run_events("go") as run:
                async for event in run:
                    outputs.append(event)
                    inner = event.event if isinstance(event, SubAgent) else None
                    if isinstance(inner, OutputDelta) and isinstance(inner.output.delta, TextDelta):
                        if steered and not top.queued:
                            top.steer("Enough.", interrupt=True)
                        elif not steered:
                            top.abort()
            while server.connections:  # noqa: ASYNC110 # nothing tells when one has gone
                await anyio.sleep(0.002)
    assert isinstance(outputs[-1], Done)
    assert outputs[-1].summary.finish_reason.type == ("stop" if steered else "aborted")
    assert [message.role for message in top.history][:3] == ["user", "assistant", "tool"]
    assert top.history[2].meta is not None
    assert top.history[2].meta.is_error


async def test_what_a_sub_agent_was_saying_when_it_was_cut_off_is_a_message_too() -> None:
    hangs = render(Answer(["one two three"]), "openai-chat")
    async with ReplayServer(Reply(body=hangs[: len(hangs) // 2], ends="hangs")) as server:
        helper = Agent("openai/m", name="guide", api_key="key", base_url=server.url + "/v1")
        top = agent([ask("a"), Answer(["Well."])], tools=[helper.as_tool(description=DESCRIBED)])
        seen = []
        with anyio.fail_after(5):
            async for piece in top.run_stream("go"):
                seen.append(piece)
                if piece.depth and isinstance(piece.delta, TextDelta) and not top.queued:
                    top.steer("Enough.", interrupt=True)
    heard = [(output.source_agent, output.message.text, output.finish_reason.type) for output in fold(seen)]
    ((_, said, _),) = [words for words in heard if words[2] == "aborted"]
    assert said
    assert "one two three".startswith(said)
    assert heard[-1] == ("agent", "Well.", "stop")


async def test_a_run_that_was_closed_says_nothing_more() -> None:
    top = agent([ask("a", "b"), Answer(["c"])], tools=[guide(lambda _: Answer(["x"])).as_tool(description=DESCRIBED)])
    run = top.run_stream("go")
    async for piece in run:
        if piece.depth:
            break
    await run.aclose()
    with pytest.raises(StopAsyncIteration):
        await anext(run)


async def test_a_sub_agent_gives_a_value_where_it_is_asked_for_one() -> None:
    helper = guide([Answer(['{"value": [1, 2]}'])])
    top = agent([ask("a"), Answer(["c"])], tools=[helper.as_tool(description=DESCRIBED, output_type=list[int])])
    async for _ in top.run("go"):
        pass
    assert top.history[2].contents[0].value == [1, 2]


async def test_a_sub_agent_that_is_ended_before_it_has_a_value_is_a_tool_that_fails() -> None:
    def enough() -> ToolResult:
        return ToolResult("enough", terminate=True)

    helper = guide([Answer([Call("enough")])], tools=[enough])
    top = agent([ask("a"), Answer(["c"])], tools=[helper.as_tool(description=DESCRIBED, output_type=list[int])])
    async for _ in top.run("go"):
        pass
    assert top.history[2].meta == Meta(name="guide", is_error=True)
    assert top.history[2].contents[0].value == "guide ended without a value"


async def test_a_sub_agent_starts_from_its_own_history_each_time() -> None:
    helper = guide(lambda _: Answer(["x"]), instruction="You know the town.", history=[])
    top = agent([ask("a"), ask("b"), Answer(["c"])], tools=[helper.as_tool(description=DESCRIBED)])
    async for _ in top.run("go"):
        pass
    requests = helper._client._given._transport.requests
    assert [len(request.json["messages"]) for request in requests] == [2, 2]
    assert helper.history == [Message("system", ["You know the town."])]
    assert top.tools[0].name == "guide"


def clock() -> str:
    """Tell the time of day."""
    return "late"


async def test_what_one_call_finds_in_the_shed_shows_in_no_other() -> None:
    def answer(request: Any) -> Answer:
        said = [message["content"] for message in request.json["messages"]]
        return Answer([Call("find_tools", {"query": "time of day"})]) if said == ["find"] else Answer(["x"])

    helper = guide(answer, shed=[clock])
    top = agent([ask("find", "a"), ask("find", "b"), Answer(["c"])], tools=[helper.as_tool(description=DESCRIBED)])
    async for _ in top.run("go"):
        pass
    requests = helper._client._given._transport.requests
    shown: dict[str, list[list[str]]] = {}
    for request in requests:
        said = str(request.json["messages"][0]["content"])
        shown.setdefault(said, []).append([one["function"]["name"] for one in request.json["tools"]])
    found = [["find_tools"], ["find_tools", "clock"]]
    assert (shown["a"], shown["b"], sorted(shown["find"])) == ([["find_tools"]], [["find_tools"]], sorted(found * 2))
    assert [one.name for one in helper.tools] == ["find_tools"]


async def test_a_call_begins_with_the_tools_that_the_agent_has_by_then() -> None:
    helper = guide(lambda _: Answer(["x"]), shed=[clock])
    tool = helper.as_tool(description=DESCRIBED)
    helper.history = [Message("user"), Message("tool", [], id="c", meta=Meta(added_tool_names=("clock",)))]
    helper.history.clear()
    async for _ in agent([ask("a"), Answer(["c"])], tools=[tool]).run("go"):
        pass
    request = helper._client._given._transport.requests[0]
    assert [one["function"]["name"] for one in request.json["tools"]] == ["find_tools", "clock"]


REFUSALS = [
    ("an error", error_reply(500, "broken"), "broken"),
    ("no answer", Answer([""], finish="content_filter"), "refusal"),
]


@pytest.mark.parametrize(("reply", "told"), [case[1:] for case in REFUSALS], ids=[case[0] for case in REFUSALS])
async def test_a_sub_agent_that_does_not_answer_is_a_tool_that_fails(reply: Any, told: str) -> None:
    top = agent([ask("a"), Answer(["c"])], tools=[guide([reply]).as_tool(description=DESCRIBED)])
    async for _ in top.run("go"):
        pass
    assert top.history[2].meta is not None
    assert top.history[2].meta.is_error
    assert told in str(top.history[2].contents)
