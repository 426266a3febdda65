"""Tools as foundation's models see them, and as ours do.

Commands of a group have the names that those of a `ToolGroup` have, by which an agent shows and calls
them. Lost on the way to ours: the category, what a tool returns, and that commands form a group; on the way back
`strict`, `extra` and all that says how a tool is run, and tools in a provider's own form (with a `HistoryWarning`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias, Union

from msgspec import Struct, field

from streamkit.interop.foundation.scheme import Args
from streamkit.interop.losses import warn_left_out
from streamkit.protocols.request import ToolSpec
from streamkit.tools.groups import ToolGroup, command_name

__all__ = [
    "MultiCommands",
    "SingleCommand",
    "Tool",
    "ToolDeclarations",
    "ToolDefinition",
    "find_tool",
    "from_specs",
    "to_specs",
]


class ToolDefinition(Struct, omit_defaults=True):
    """One tool: what it is called, what it is for, what it takes and, where it is said, what it returns."""

    name: str
    description: str = ""
    arguments: Args = field(default_factory=Args)
    category: str = ""
    returns: Args | None = None


class SingleCommand(Struct, tag="single_command"):
    """A tool by itself."""

    definition: ToolDefinition


class MultiCommands(Struct, tag="multi_commands"):
    """Tools that belong together, as `add` and `remove` of `memory`."""

    name: str
    definitions: list[ToolDefinition]


Tool: TypeAlias = Union[SingleCommand, MultiCommands]


class ToolDeclarations(Struct, omit_defaults=True):
    """What a model may call: `shed` finds tools, `tools` are those that it has activated."""

    shed: Tool | None = None
    tools: list[Tool] = field(default_factory=list)


def to_specs(declarations: ToolDeclarations) -> list[ToolSpec]:
    """Return each tool as the model sees it, the shed first; a command of a group is `group-command`."""
    return [
        ToolSpec(name=name, description=one.description, parameters=one.arguments.schema)
        for name, one in _named(declarations)
    ]


def from_specs(specs: Iterable[ToolSpec | ToolGroup | Mapping[str, Any]]) -> ToolDeclarations:
    """Return our tools as declarations: a group as commands, what it says of itself with each, any other by itself."""
    tools: list[Tool] = []
    for spec in specs:
        if isinstance(spec, ToolSpec):
            tools.append(SingleCommand(_definition(spec.name, spec)))
        elif isinstance(spec, ToolGroup):
            pairs = zip(spec.commands, spec.tools, strict=True)
            tools.append(MultiCommands(spec.name, [_definition(command.name, tool.spec) for command, tool in pairs]))
        else:
            warn_left_out(spec, "foundation's form of tools")
    return ToolDeclarations(tools=tools)


def find_tool(declarations: ToolDeclarations, name: str) -> ToolDefinition | None:
    """Return the tool that a call of `name` means, as `to_specs` names it."""
    return dict(_named(declarations)).get(name)


def _definition(name: str, spec: ToolSpec) -> ToolDefinition:
    return ToolDefinition(name, spec.description, Args(spec.parameters))


def _named(declarations: ToolDeclarations) -> Iterator[tuple[str, ToolDefinition]]:
    shed = [declarations.shed] if declarations.shed is not None else []
    for tool in (*shed, *declarations.tools):
        if isinstance(tool, SingleCommand):
            yield tool.definition.name, tool.definition
        else:
            yield from ((command_name(tool.name, one.name), one) for one in tool.definitions)
