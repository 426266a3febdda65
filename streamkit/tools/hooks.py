"""What an agent's hooks are asked before a tool is run and after it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias, Union

from msgspec import Struct

from streamkit.parts import FunctionPart
from streamkit.tools.context import ToolContext
from streamkit.tools.definition import Tool
from streamkit.tools.results import ToolResult

__all__ = ["AfterTool", "BeforeTool", "Block", "ToolRequest"]


class ToolRequest(Struct, frozen=True):
    """A call that is about to be run, or has been: `arguments` are a copy of the call's, after `prepare_arguments`.

    The message that made the call is the last of `context.messages`.
    """

    call: FunctionPart
    tool: Tool
    arguments: dict[str, Any]
    context: ToolContext


class Block(Struct, frozen=True):
    """What a hook returns so that the call is not run; the model is told the reason."""

    reason: str


# None lets the call go on, a mapping replaces its arguments, which are validated after it.
Decision: TypeAlias = Union[Block, Mapping[str, Any], None]
BeforeTool: TypeAlias = Callable[[ToolRequest], Union[Decision, Awaitable[Decision]]]
# What is given in the result replaces that of the tool's.
AfterTool: TypeAlias = Callable[[ToolRequest, ToolResult], Union[ToolResult, None, Awaitable[Union[ToolResult, None]]]]
