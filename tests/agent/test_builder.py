from __future__ import annotations

import inspect
from typing import Any

import httpx
import pytest

from streamkit.agent import Agent, AgentBuilder
from streamkit.client import Client
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import TextPart
from streamkit.testing import Answer, Call, ReplayTransport
from streamkit.tools import Tool, ToolGroup


async def add(a: int) -> int:
    return a + 1


async def sub(a: int) -> int:
    return a - 1


@pytest.mark.feature("0.31")
async def test_a_builder_makes_an_agent_that_works() -> None:
    transport = ReplayTransport([Answer([Call("add", {"a": 1}), Call("sub", {"a": 1})]), Answer(["2 and 0."])])
    async with httpx.AsyncClient(transport=transport) as http:
        agent = await (
            AgentBuilder("openai/m")
            .instruction("Be brief.")
            .tool(add)
            .tools([sub])
            .history([{"role": "user", "contents": [{"type": "text", "text": "Before."}]}])
            .name("counter")
            .max_turns(5)
            .output_retries(1)
            .api_key("key")
            .base_url("https://example.org/v1")
            .http_client(http)
            .param("temperature", 0)
            .params(max_tokens=9, stop="x")
            .build()
        )
        outputs = [output async for output in agent.run("Now.")]
    assert isinstance(agent, Agent)
    assert outputs[-1].message.text == "2 and 0."
    assert {output.source_agent for output in outputs} == {"counter"}
    assert [message.text for message in agent.history[:3]] == ["Be brief.", "Before.", "Now."]
    assert (agent.max_turns, agent.output_retries) == (5, 1)
    body = transport.requests[0].json
    assert (body["temperature"], body["stop"]) == (0, ["x"])
    assert transport.requests[0].headers["host"] == "example.org"
    assert transport.requests[0].headers["authorization"] == "Bearer key"
    assert len(body["tools"]) == 2


async def test_a_builder_takes_a_client() -> None:
    client = Client(
        "openai/m", api_key="k", http_client=httpx.AsyncClient(transport=ReplayTransport([Answer(["Ok."])]))
    )
    agent = await AgentBuilder().client(client).build()
    assert [output.message.text async for output in agent.run("hi")] == ["Ok."]


async def test_a_builder_may_build_again() -> None:
    builder = AgentBuilder("openai/m").api_key("k").instruction("Hi.").tool(add)
    first, second = await builder.build(), await builder.tool(sub).build()
    assert first.history == second.history == [Message("system", [TextPart("Hi.")])]
    assert first.history is not second.history
    assert [len(agent.tools) for agent in (first, second)] == [1, 2]


@pytest.mark.parametrize("builder", [AgentBuilder(), AgentBuilder("x"), AgentBuilder("openai/m").api_key(" ")])
async def test_what_is_wrong_is_found_by_build(builder: Any) -> None:
    with pytest.raises(ConfigError):
        await builder.build()


async def test_a_builder_refuses_another_name_for_the_instruction() -> None:
    with pytest.raises(ConfigError, match="did you mean 'instruction'"):
        await AgentBuilder("openai/m").api_key("k").params(system="Be brief.").build()


async def test_a_builder_takes_every_option_of_an_agent() -> None:
    names = inspect.signature(Agent).parameters.keys() - {"model", "params"}
    given: dict[str, Any] = {name: None for name in names if not hasattr(AgentBuilder, name)}
    assert {"shed", "compact", "should_stop", "steering_mode", "before_tool"} <= given.keys()
    given |= {
        "shed": [sub],
        "steering_mode": "all",
        "follow_up_mode": "all",
        "tool_mode": "sequential",
        "compact_at": 0.5,
    }
    agent = await AgentBuilder("openai/m").api_key("key").options(**given, tools=[add], max_turns=3).build()
    assert [tool.name for tool in agent.tools if isinstance(tool, Tool)] == ["add", "find_tools"]
    assert agent.max_turns == 3


@pytest.mark.parametrize("way", ["tools", "param", "params", "options"])
async def test_tools_are_added_however_they_are_given(way: str) -> None:
    builder = AgentBuilder("openai/m").api_key("key").tool(add)
    match way:
        case "tools":
            builder.tools([sub])
        case "param":
            builder.param("tools", [sub])
        case _:
            getattr(builder, way)(tools=[sub])
    agent = await builder.build()
    assert [tool.name for tool in agent.tools if isinstance(tool, Tool)] == ["add", "sub"]


@pytest.mark.parametrize("one", [add, Tool(add), ToolGroup("sums", [add]), {"type": "web_search"}, "add", 5])
def test_one_tool_in_place_of_a_list_is_an_error(one: Any) -> None:
    with pytest.raises(ConfigError, match="in brackets"):
        AgentBuilder("openai/m").tools(one)
    with pytest.raises(ConfigError, match="in brackets"):
        Agent("openai/m", api_key="key", tools=one)


def test_an_option_that_is_none_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no option steering"):
        AgentBuilder("openai/m").options(steering="all")
