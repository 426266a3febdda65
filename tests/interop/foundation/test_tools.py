from __future__ import annotations

import msgspec
import pytest

from streamkit import ToolSpec
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

TEXT = Args(scheme.object().required("text", scheme.string()).build())
SHED = ToolDefinition("shed", "Find tools.", TEXT, "meta")
ADD, REMOVE = ToolDefinition("add", "Keep.", TEXT), ToolDefinition("remove", "Forget.", TEXT, returns=Args.empty())
DECLARED = ToolDeclarations(SingleCommand(SHED), [MultiCommands("memory", [ADD, REMOVE]), SingleCommand(ADD)])


@pytest.mark.feature("3.29", "3.30")
def test_each_command_is_a_tool_for_the_model_and_the_shed_is_the_first() -> None:
    assert to_specs(DECLARED) == [
        ToolSpec(name="shed", description="Find tools.", parameters=TEXT.schema),
        ToolSpec(name="memory_add", description="Keep.", parameters=TEXT.schema),
        ToolSpec(name="memory_remove", description="Forget.", parameters=TEXT.schema),
        ToolSpec(name="add", description="Keep.", parameters=TEXT.schema),
    ]
    assert to_specs(ToolDeclarations()) == []


@pytest.mark.feature("3.29")
@pytest.mark.parametrize(("name", "found"), [("shed", SHED), ("memory_remove", REMOVE), ("add", ADD), ("remove", None)])
def test_a_call_finds_its_tool(name: str, found: ToolDefinition | None) -> None:
    assert find_tool(DECLARED, name) is found


def test_tools_come_back_each_by_itself() -> None:
    specs = to_specs(DECLARED)
    assert to_specs(from_specs(specs)) == specs


@pytest.mark.feature("3.28", "3.30")
def test_declarations_are_decoded_as_they_were() -> None:
    assert msgspec.json.decode(msgspec.json.encode(DECLARED), type=ToolDeclarations) == DECLARED


def test_a_providers_own_tool_is_warned_of() -> None:
    with pytest.warns(HistoryWarning, match="dict"):
        assert from_specs([{"type": "web_search"}]) == ToolDeclarations()
