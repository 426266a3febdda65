"""The tools of an agent: those that it has, and those of them that the model sees."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Any, TypeAlias, Union

from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.protocols.request import ToolSpec
from streamkit.tools import Tool, ToolGroup, ToolResult, as_tool, tool_list

__all__ = ["AgentTool", "Toolbox"]

logger = logging.getLogger("streamkit")

AgentTool: TypeAlias = Union[Tool, ToolGroup, Callable[..., Any], Mapping[str, Any]]

# How many tools a search shows the model at most: each costs its schema in every request from then on.
MAX_FOUND = 5
# A shorter word ("a", "to") says nothing of what is looked for.
MIN_WORD = 3


class Toolbox:
    """Tools in order, of which `active` are shown to the model; those of the shed wait for `activate`.

    `functions` are the active ones by name, `specs` what the model sees of all. Where there is a shed, the model has a
    tool `find_tools` that searches it and activates what it finds. Raises `ConfigError` for two tools of one name.
    """

    def __init__(self, tools: Iterable[AgentTool], shed: Iterable[AgentTool] = ()) -> None:
        self.active: list[Tool | dict[str, Any]] = _expanded(tools)
        self.functions: dict[str, Tool] = {}
        self._shed: dict[str, Tool] = {}
        kept = _expanded(shed)
        if kept:
            self.active.append(Tool(self._find_tools, name="find_tools"))
        for one in self.active:
            if isinstance(one, Tool):
                self._register(one, self.functions)
        for one in kept:
            if not isinstance(one, Tool):
                raise ConfigError("a shed holds functions: a tool in the provider's own form belongs to tools")
            self._register(one, self._shed)
        self.specs: list[ToolSpec | dict[str, Any]] = []
        self._show()

    def twin(self) -> Toolbox:
        """Return a toolbox that begins as this one is, and of which other tools may be activated."""
        other = copy(self)  # the shed is never changed, so that `find_tools` may search either's
        other.active, other.functions = list(self.active), dict(self.functions)
        return other

    def only(self, names: Iterable[str] | None) -> tuple[list[ToolSpec | dict[str, Any]], dict[str, Tool]]:
        """Return what the model sees, and what it may call, of the tools of these names; None is for the active ones.

        One in the provider's own form goes by its `name`, else its `type`, else its key. Raises `ConfigError` for a
        name of none.
        """
        if names is None:
            return self.specs, self.functions
        every = {**{_name(one): one for one in self.active}, **self._shed}
        unknown = [name for name in names if name not in every]
        if unknown:
            raise ConfigError(f"there is no tool {unknown[0]!r}: there are {', '.join(every) or 'none'}")
        chosen = {name: every[name] for name in names}
        return _specs(chosen.values()), {name: one for name, one in chosen.items() if isinstance(one, Tool)}

    def activate(self, names: Iterable[str]) -> list[str]:
        """Show the model these tools of the shed from the next request on; return the names of those that it then sees.

        A name that no tool has is only logged.
        """
        fresh, seen = [], []
        for name in dict.fromkeys(names):
            if name not in self.functions and name not in self._shed:
                logger.warning("no tool of the name %r is there to be activated", name)
                continue
            seen.append(name)
            if name not in self.functions:
                fresh.append(self._shed[name])
        if fresh:
            self.active += fresh
            self.functions.update((one.name, one) for one in fresh)
            self._show()
        return seen

    def activate_again(self, history: Iterable[Message]) -> None:
        """Show what the results in a conversation had activated."""
        self.activate(name for message in history if message.meta for name in message.meta.added_tool_names)

    def search(self, query: str) -> list[Tool]:
        """Return the tools of the shed whose names or descriptions have most of the words, the best first."""
        words = {word for word in re.findall(r"\w+", query.lower().replace("_", " ")) if len(word) >= MIN_WORD}
        scores = {name: _score(one, words) for name, one in self._shed.items()}
        least = max(1, max(scores.values(), default=0) / 2)
        found = sorted((name for name, score in scores.items() if score >= least), key=lambda name: -scores[name])
        return [self._shed[name] for name in found[:MAX_FOUND]]

    async def _find_tools(self, query: str) -> ToolResult:
        """Find more tools by what they are for. Those that are found can be called from then on.

        Args:
            query: What the tool should do, in a few words.
        """
        found = self.search(query)
        if not found:
            return ToolResult("No tool has these words in its name or description. Try others.")
        return ToolResult(
            [{"name": one.name, "description": one.description} for one in found],
            added_tool_names=[one.name for one in found],
        )

    def _register(self, tool: Tool, among: dict[str, Tool]) -> None:
        if tool.name in self.functions or tool.name in self._shed:
            raise ConfigError(f"there are two tools of the name {tool.name!r}: give one another by tool(name=…)")
        among[tool.name] = tool

    def _show(self) -> None:
        self.specs = _specs(self.active)


def _specs(tools: Iterable[Tool | dict[str, Any]]) -> list[ToolSpec | dict[str, Any]]:
    return [one.spec if isinstance(one, Tool) else one for one in tools]


def _name(tool: Tool | dict[str, Any]) -> str:
    if isinstance(tool, Tool):
        return tool.name
    return str(tool.get("name") or tool.get("type") or next(iter(tool), ""))


def _expanded(items: Any) -> list[Tool | dict[str, Any]]:
    expanded: list[Tool | dict[str, Any]] = []
    for item in tool_list(items):
        if isinstance(item, ToolGroup):
            expanded += item.tools
        else:
            expanded.append(dict(item) if isinstance(item, Mapping) else as_tool(item))
    return expanded


def _score(tool: Tool, words: Iterable[str]) -> int:
    """A word in the name counts for two."""
    name, text = tool.name.lower(), tool.description.lower()
    return sum(2 if word in name else 1 if word in text else 0 for word in words)
