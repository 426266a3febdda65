from __future__ import annotations

import httpx
import msgspec
import pytest

from streamkit import Agent, ToolGroup, ToolSpec
from streamkit.errors import HistoryWarning
from streamkit.interop.foundation import scheme
from streamkit.interop.foundation.scheme import Args
from streamkit.interop.foundation.tools import (
    MultiCommands,
    SingleCommand,
    ToolDeclarations,
    ToolDefinition,
    find_tool,
    from_specs,
    to_specs,
)
from streamkit.protocols.values import part_text
from streamkit.testing import Answer, Call, ReplayTransport

TEXT = Args(scheme.object().required("text", scheme.string()).build())
SHED = ToolDefinition("shed", "Find tools.", TEXT, "meta")
ADD, REMOVE = ToolDefinition("add", "Keep.", TEXT), ToolDefinition("remove", "Forget.", TEXT, returns=Args.empty())
DECLARED = ToolDeclarations(SingleCommand(SHED), [MultiCommands("memory", [ADD, REMOVE]), SingleCommand(ADD)])


@pytest.mark.feature("3.29", "3.30")
def test_each_command_is_a_tool_for_the_model_and_the_shed_is_the_first() -> None:
    assert to_specs(DECLARED) == [
        ToolSpec(name="shed", description="Find tools.", parameters=TEXT.schema),
        ToolSpec(name="memory-add", description="Keep.", parameters=TEXT.schema),
        ToolSpec(name="memory-remove", description="Forget.", parameters=TEXT.schema),
        ToolSpec(name="add", description="Keep.", parameters=TEXT.schema),
    ]
    assert to_specs(ToolDeclarations()) == []


@pytest.mark.feature("3.29")
@pytest.mark.parametrize(("name", "found"), [("shed", SHED), ("memory-remove", REMOVE), ("add", ADD), ("remove", None)])
def test_a_call_finds_its_tool(name: str, found: ToolDefinition | None) -> None:
    assert find_tool(DECLARED, name) is found


def test_tools_come_back_each_by_itself() -> None:
    specs = to_specs(DECLARED)
    assert to_specs(from_specs(specs)) == specs


@pytest.mark.feature("3.28", "3.30")
def test_declarations_are_decoded_as_they_were() -> None:
    assert msgspec.json.decode(msgspec.json.encode(DECLARED), type=ToolDeclarations) == DECLARED


def add(text: str) -> str:
    """Keep."""
    return f"kept {text}"


def remove(text: str) -> str:
    """Forget."""
    return f"forgot {text}"


async def test_commands_are_named_as_an_agent_shows_and_calls_them() -> None:
    group = ToolGroup("memory", [add, remove])
    declared = from_specs([group])
    (commands,) = declared.tools
    assert isinstance(commands, MultiCommands)
    assert [one.name for one in commands.definitions] == ["add", "remove"]
    assert to_specs(declared) == [
        ToolSpec(name=t.name, description=t.description, parameters=t.spec.parameters) for t in group.tools
    ]
    shown, other = to_specs(declared)
    transport = ReplayTransport([Answer([Call(shown.name, {"text": "it"})]), Answer(["Done."])])
    async with httpx.AsyncClient(transport=transport) as http:
        agent = Agent("openai/m", tools=[group], api_key="key", http_client=http)
        results = [out.message for out in [o async for o in agent.run("Keep it.")] if out.message.role == "tool"]
    named = [tool["function"]["name"] for tool in transport.requests[0].json["tools"]]
    assert named == [shown.name, other.name] == ["memory-add", "memory-remove"]
    assert [part_text(part) for part in results[0].contents] == ["kept it"]
    assert find_tool(declared, shown.name) is commands.definitions[0]


def test_a_providers_own_tool_is_warned_of() -> None:
    with pytest.warns(HistoryWarning, match="dict"):
        assert from_specs([{"type": "web_search"}]) == ToolDeclarations()
