"""Tools that belong together, under one name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from streamkit.errors import ConfigError
from streamkit.tools.definition import Tool, as_tool, tool_list

__all__ = ["ToolGroup", "command_name"]


def command_name(group: str, command: str) -> str:
    """Return the name by which a model sees a command of a group."""
    return f"{group}-{command}"


class ToolGroup:
    """Commands of one thing, as `add` and `remove` of `memory`; the model sees the tools `memory-add`, `memory-remove`.

    `commands` are the tools as they were given, `tools` those that the model sees: `description`, where there is one,
    stands before each command's own, and a command's `depends_on` may name others of the group as they were given.
    Raises `ConfigError` for two commands of a name, and for a name that is none with the group's before it.
    """

    def __init__(self, name: str, tools: Iterable[Tool | Callable[..., Any]], description: str = "") -> None:
        self.name = name
        self.description = description
        self.commands = [as_tool(one) for one in tool_list(tools)]
        names = [command.name for command in self.commands]
        if len({*names}) < len(names):
            raise ConfigError(f"the group {name!r} has two commands of one name: {', '.join(names)}")
        self.tools = [self._shown(command, names) for command in self.commands]

    def __repr__(self) -> str:
        return f"<ToolGroup {self.name}: {', '.join(command.name for command in self.commands)}>"

    def _shown(self, command: Tool, names: list[str]) -> Tool:
        shown = command.renamed(
            command_name(self.name, command.name), "\n".join(filter(None, (self.description, command.description)))
        )
        shown.depends_on = tuple(
            command_name(self.name, other) if other in names else other for other in command.depends_on
        )
        return shown
