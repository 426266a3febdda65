from __future__ import annotations

from typing import Any

import pytest

from streamkit import Message, ToolSpec
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
)
from streamkit.messages import Meta
from streamkit.parts import TextPart, ValuePart

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
