"""The spans of an agent's run and of its tools, by the real SDK."""

from __future__ import annotations

import gc
import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode

from streamkit.agent import Agent
from streamkit.deltas import TextDelta
from streamkit.errors import AuthenticationError
from streamkit.events import ToolUpdate
from streamkit.messages import Message
from streamkit.testing import Answer, Call, ReplayServer, Reply, wires
from streamkit.tools import tool
from streamkit.usage import Usage

KEY = "sk-live-0123456789abcdef"


@tool
async def look(city: str) -> str:
    """Look out of the window."""
    return f"It is sunny in {city}."


@tool
def blocking(city: str) -> int:
    """Look in a thread."""
    return trace.get_current_span().get_span_context().span_id


@tool
async def failing() -> None:
    """Fail."""
    raise LookupError("no window in the cellar")


def agent_at(server: ReplayServer, seen: Any, content: str | None = None, **options: Any) -> Agent:
    tools = [look, blocking, failing]
    telemetry = seen.telemetry(content=content)
    return Agent(
        "openai/gpt-5", tools=tools, name="guide", api_key=KEY, base_url=server.url, telemetry=telemetry, **options
    )


def by_name(seen: Any) -> dict[str, ReadableSpan]:
    return {span.name: span for span in seen.spans}


async def test_a_run_is_a_span_over_its_answers_and_tools(seen: Any) -> None:
    calls = [Call("look", {"city": "Oslo"}, id="c1"), Call("blocking", {"city": "Rome"}), Call("failing", {})]
    script = [Answer(calls, usage=Usage(10, 5)), Answer(["Sunny."], usage=Usage(20, 2, 4))]
    async with ReplayServer(script) as server:
        with seen.tracers.get_tracer("test").start_as_current_span("mine") as mine:
            agent = agent_at(server, seen)
            async for output in agent.run("Weather?"):
                assert trace.get_current_span() is mine
                if output.message.id is not None and output.message.meta.name == "blocking":
                    in_thread = output.message.contents[0].value
    spans = by_name(seen)
    run, chats = spans["invoke_agent guide"], [span for span in seen.spans if span.name == "chat gpt-5"]
    assert run.kind is SpanKind.INTERNAL
    assert run.parent.span_id == mine.get_span_context().span_id
    found = dict(run.attributes)
    assert found.pop("server.port")
    assert found == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "guide",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "server.address": "127.0.0.1",
        "gen_ai.usage.input_tokens": 34,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.response.finish_reasons": ("stop",),
    }
    tools = [spans[f"execute_tool {name}"] for name in ("look", "blocking", "failing")]
    assert len(chats) == 2
    assert {span.parent.span_id for span in (*chats, *tools)} == {run.context.span_id}
    assert dict(tools[0].attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.description": "Look out of the window.",
    }
    assert tools[0].kind is SpanKind.INTERNAL
    assert in_thread == tools[1].context.span_id
    assert tools[2].attributes["error.type"] == "LookupError"
    assert (tools[2].status.status_code, tools[2].status.description) == (StatusCode.ERROR, "LookupError")
    told = "".join(span.to_json() for span in seen.spans)
    for word in (KEY, "Weather", "Sunny", "Oslo", "cellar"):
        assert word not in told


async def test_what_a_tool_does_stands_below_its_span(seen: Any) -> None:
    @tool
    async def ask_another() -> str:
        """Ask another agent."""
        async with ReplayServer(Answer(["Fine."])) as server:
            other = Agent("openai/o", name="other", api_key=KEY, base_url=server.url, telemetry=seen.telemetry())
            return [output.message.text async for output in other.run("How?")][-1]

    async with ReplayServer([Answer([Call("ask_another", {})]), Answer(["Fine, it says."])]) as server:
        agent = Agent("openai/gpt-5", tools=[ask_another], api_key=KEY, base_url=server.url, telemetry=seen.telemetry())
        async for _ in agent.run("How is it?"):
            pass
    spans = by_name(seen)
    below = ["chat o", "invoke_agent other", "execute_tool ask_another", "invoke_agent agent"]
    for child, parent in zip(below, below[1:], strict=False):
        assert spans[child].parent.span_id == spans[parent].context.span_id
    assert len({span.context.trace_id for span in seen.spans}) == 1


@pytest.mark.parametrize("history", [[], ["Before."]])
async def test_a_run_that_answers_what_waits_in_a_queue_is_a_span_too(history: list[str], seen: Any) -> None:
    async with ReplayServer([Answer(["Sunny."])]) as server:
        agent = agent_at(server, seen, "span", history=history)
        agent.follow_up("Look.")
        agent.history[:] = [Message("assistant", [text]) for text in history]
        async for _ in agent.run():
            pass
    assert "Look." in str(by_name(seen)["invoke_agent guide"].attributes)


async def test_content_is_recorded_where_it_is_asked_for(seen: Any) -> None:
    script = [Answer([Call("failing", {}), Call("look", {"city": "Oslo"})]), Answer(["Sunny."])]
    async with ReplayServer(script) as server:
        async for _ in agent_at(server, seen, "span").run("Weather?"):
            pass
    spans = by_name(seen)
    run, look_span = spans["invoke_agent guide"].attributes, spans["execute_tool look"].attributes
    assert json.loads(run["gen_ai.input.messages"])[0]["parts"][0]["content"] == "Weather?"
    assert json.loads(run["gen_ai.output.messages"])[0]["parts"][0]["content"] == "Sunny."
    assert json.loads(look_span["gen_ai.tool.call.arguments"]) == {"city": "Oslo"}
    assert json.loads(look_span["gen_ai.tool.call.result"]) == "It is sunny in Oslo."
    assert "no window in the cellar" in spans["execute_tool failing"].status.description


@pytest.mark.parametrize("way", ["closed", "cancelled"])
async def test_a_run_that_is_left_has_not_failed(way: str, seen: Any) -> None:
    async with ReplayServer(Reply(body=Answer(["It is sunny."]), pace_s=0.002)) as server:
        with anyio.CancelScope() as scope:
            async with agent_at(server, seen).run_stream("Weather?") as run:
                async for out in run:
                    if isinstance(out.delta, TextDelta):
                        if way == "closed":
                            break
                        scope.cancel()
    assert {span.name: span.attributes["streamkit.left"] for span in seen.spans} == {
        "chat gpt-5": way,
        "invoke_agent guide": way,
    }
    assert {span.status.status_code for span in seen.spans} == {StatusCode.UNSET}


async def test_a_run_that_is_forgotten_ends_its_spans_soon(seen: Any) -> None:
    async with ReplayServer(Reply(body=Answer(["It is sunny."]), ends="hangs")) as server:
        async for out in agent_at(server, seen).run_stream("Weather?"):
            if isinstance(out.delta, TextDelta):
                break
        with anyio.fail_after(1):
            while len(seen.spans) < 2:
                gc.collect()
                await anyio.sleep(0.005)
    assert [span.name for span in seen.spans] == ["chat gpt-5", "invoke_agent guide"]


async def test_a_tool_that_is_under_way_when_its_run_is_left_has_not_failed(seen: Any) -> None:
    @tool
    async def forever() -> AsyncIterator[str]:
        """Wait."""
        yield "has begun"
        await anyio.sleep_forever()

    async with ReplayServer(Answer([Call("forever", {})])) as server:
        agent = Agent("openai/gpt-5", tools=[forever], api_key=KEY, base_url=server.url, telemetry=seen.telemetry())
        async with agent.run_events("Wait") as run:
            async for event in run:
                if isinstance(event, ToolUpdate):
                    break
    span = by_name(seen)["execute_tool forever"]
    assert span.attributes["streamkit.left"] == "closed"
    assert span.status.status_code is StatusCode.UNSET


async def test_an_error_of_the_model_is_that_of_the_run(seen: Any) -> None:
    async with ReplayServer(wires.error(401)) as server:
        with pytest.raises(AuthenticationError):
            async for _ in agent_at(server, seen).run("Weather?"):
                pass
    assert {span.attributes["error.type"] for span in seen.spans} == {"streamkit.errors.AuthenticationError"}
    assert [span.name for span in seen.spans] == ["chat gpt-5", "invoke_agent guide"]


async def test_an_agent_that_a_tool_runs_stands_below_the_tool(seen: Any) -> None:
    async with ReplayServer([Answer([Call("ask", {})]), Answer(["Sunny."]), Answer(["It is sunny."])]) as server:
        inner = Agent("openai/m", name="inner", api_key=KEY, base_url=server.url, telemetry=seen.telemetry())

        async def ask() -> str:
            outputs = [output async for output in inner.run("Weather?")]
            return outputs[-1].message.text

        outer = Agent(
            "openai/m", name="outer", tools=[ask], api_key=KEY, base_url=server.url, telemetry=seen.telemetry()
        )
        assert [output.message.text async for output in outer.run("Weather?")][-1] == "It is sunny."
    names = {span.context.span_id: span.name for span in seen.spans}
    assert [(span.name, span.parent and names[span.parent.span_id]) for span in seen.spans] == [
        ("chat m", "invoke_agent outer"),
        ("chat m", "invoke_agent inner"),
        ("invoke_agent inner", "execute_tool ask"),
        ("execute_tool ask", "invoke_agent outer"),
        ("chat m", "invoke_agent outer"),
        ("invoke_agent outer", None),
    ]
    assert len({span.context.trace_id for span in seen.spans}) == 1
