from __future__ import annotations

from typing import Any

import anyio
import anyio.from_thread
import pytest

from streamkit import Agent, Message, ToolSpec, ToolUpdate
from streamkit.errors import ConfigError
from streamkit.interop.agentcore.messages import TextContent, ToolResultMessage, Usage
from streamkit.interop.agentcore.tools import (
    AgentTool,
    AgentToolResult,
    AgentToolResultMutable,
    from_result,
    harness_tool,
    result_message,
    to_result,
    to_spec,
    to_tool,
)
from streamkit.messages import Meta
from streamkit.parts import TextPart, ValuePart
from streamkit.testing import Answer, Call, ReplayServer

SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}
RESULT = AgentToolResult([TextContent("a")], {"code": 0}, Usage(1), ["read"], True)


def execute(tool_call_id: str, params: dict[str, Any], signal: Any, on_update: Any, context: Any) -> AgentToolResult:
    return RESULT


def prepare(arguments: dict[str, Any]) -> dict[str, Any]:
    return arguments


TOOL = AgentTool("bash", "Bash", "Run a command.", SCHEMA, execute, prepare, "sequential")


@pytest.mark.feature("4.15")
def test_the_model_sees_the_name_the_purpose_and_the_schema() -> None:
    assert to_spec(TOOL) == ToolSpec(name="bash", description="Run a command.", parameters=SCHEMA)


@pytest.mark.feature("4.15", "4.16")
@pytest.mark.parametrize("names", [("prepareArguments", "executionMode"), ("prepare_arguments", "execution_mode")])
def test_a_harness_spells_its_fields_in_its_own_way(names: tuple[str, str]) -> None:
    fields = {
        "name": "bash",
        "label": "Bash",
        "description": "Run a command.",
        "parameters": SCHEMA,
        "execute": execute,
    }
    assert harness_tool({**fields, names[0]: prepare, names[1]: "sequential"}) == TOOL


@pytest.mark.parametrize("fields", [{"name": "bash"}, {"exec": 1}])
def test_what_is_no_tool_is_an_error(fields: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="this is no tool"):
        harness_tool(fields)


@pytest.mark.feature("4.18", "4.41")
def test_a_result_answers_its_call() -> None:
    message = result_message("c", "bash", RESULT, is_error=True, timestamp=5)
    assert message == ToolResultMessage("c", "bash", [TextContent("a")], {"code": 0}, Usage(1), ["read"], True, 5)
    ours = Message("tool", [TextPart("a")], id="c", meta=Meta(is_error=True, name="bash", details={"code": 0}))
    assert to_result("c", "bash", RESULT, is_error=True) == ours
    assert from_result(ours) == AgentToolResult([TextContent("a")], {"code": 0})
    assert from_result(Message("tool", [ValuePart({"x": 1})], id="c")) == AgentToolResult([TextContent('{"x":1}')])


@pytest.mark.feature("4.18")
def test_a_result_that_is_not_final_does_not_change_what_was_made_of_it() -> None:
    growing = AgentToolResultMutable([TextContent("a")])
    frozen = growing.freeze()
    growing.content.append(TextContent("b"))
    growing.terminate = True
    assert frozen == AgentToolResult([TextContent("a")])
    assert growing.freeze() == AgentToolResult([TextContent("a"), TextContent("b")], terminate=True)


async def look(tool_call_id: str, params: dict[str, Any], signal: Any, on_update: Any, context: Any) -> AgentToolResult:
    await on_update({"at": params["path"]})
    return AgentToolResult([TextContent(f"{tool_call_id} {params['path']} {signal.aborted}")], {"code": 0}, Usage(7))


def look_in_thread(tool_call_id: str, params: dict[str, Any], *rest: Any) -> AgentToolResultMutable:
    anyio.from_thread.run(rest[1], {"at": params["path"]})
    return AgentToolResultMutable(
        [TextContent(f"{tool_call_id} {params['path']} {rest[0].aborted}")], {"code": 0}, Usage(7)
    )


@pytest.mark.feature("4.15", "4.17", "4.18", "4.19")
@pytest.mark.parametrize("function", [look, look_in_thread], ids=["async", "in a thread"])
async def test_an_agent_runs_a_tool_of_agentcores(function: Any) -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    tool = to_tool(AgentTool("look", "Look", "Look at a path.", schema, function, lambda given: {"path": given["p"]}))
    script = [Answer([Call("look", {"p": "a"}), Call("look", {"p": 5})]), Answer(["Ok."])]
    async with ReplayServer(script) as server:
        agent = Agent("openai/m", api_key="k", base_url=server.url, tools=[tool])
        events = [event async for event in agent.run_events("go")]
    assert [event.value for event in events if isinstance(event, ToolUpdate)] == [{"at": "a"}]
    _, _, found, failed, _ = agent.history
    assert found == Message(
        "tool", [TextPart("call_0 a False")], id="call_0", meta=Meta(name="look", details={"code": 0})
    )
    assert failed.meta is not None and failed.meta.is_error
    assert "is not of type 'string'" in str(failed.contents[0])
    assert server.requests[0].json["tools"][0]["function"]["parameters"] == schema
