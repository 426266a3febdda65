"""Tools and their results in AgentCore's form, and in ours.

Lost on the way to ours: a tool's label, and in a message a result's usage, the tools that it added and whether it ends
the run; `to_tool` keeps those.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from inspect import isawaitable
from typing import Any

from msgspec import Struct, field

from streamkit.errors import ConfigError
from streamkit.interop.agentcore.contents import contents_of, parts_of
from streamkit.interop.agentcore.convert import to_usage
from streamkit.interop.agentcore.messages import MessageContent, ToolResultMessage, Usage
from streamkit.interop.agentcore.models import ToolExecutionMode
from streamkit.messages import Message, Meta
from streamkit.protocols.request import ToolSpec
from streamkit.tools import Tool, ToolContext, ToolResult

__all__ = [
    "AgentTool",
    "AgentToolResult",
    "AgentToolResultMutable",
    "from_result",
    "harness_tool",
    "result_message",
    "to_result",
    "to_spec",
    "to_tool",
]

_CAMEL = {"prepareArguments": "prepare_arguments", "executionMode": "execution_mode"}


class AgentToolResult(Struct, frozen=True):
    """What a tool gave: `details` is for the application; `terminate` ends the run after it."""

    content: list[MessageContent]
    details: Any = None
    usage: Usage | None = None
    added_tool_names: list[str] | None = None
    terminate: bool | None = None


class AgentToolResultMutable(Struct):
    """A result that is not final yet."""

    content: list[MessageContent] = field(default_factory=list)
    details: Any = None
    usage: Usage | None = None
    added_tool_names: list[str] | None = None
    terminate: bool | None = None

    def freeze(self) -> AgentToolResult:
        """Return it as it is now; later changes do not show in that."""
        names = None if self.added_tool_names is None else list(self.added_tool_names)
        return AgentToolResult(list(self.content), self.details, self.usage, names, self.terminate)


class AgentTool(Struct, frozen=True):
    """A tool: `execute(tool_call_id, params, signal, on_update, context)` gives an `AgentToolResult`.

    `parameters` is the JSON Schema of an object; `prepare_arguments` changes arguments before they are checked.
    """

    name: str
    label: str
    description: str
    parameters: dict[str, Any]
    execute: Callable[..., Any]
    prepare_arguments: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    execution_mode: ToolExecutionMode | None = None


def harness_tool(fields: Mapping[str, Any]) -> AgentTool:
    """Return a tool whose fields are spelt as in a harness (`prepareArguments`, `executionMode`), or as here.

    Raises `ConfigError` for a field that no tool has, or one that is missing.
    """
    try:
        return AgentTool(**{_CAMEL.get(name, name): value for name, value in fields.items()})
    except TypeError as error:
        raise ConfigError(f"this is no tool: {error}") from None


def to_spec(tool: AgentTool) -> ToolSpec:
    """Return a tool as the model sees it."""
    return ToolSpec(name=tool.name, description=tool.description, parameters=tool.parameters)


def to_tool(tool: AgentTool) -> Tool:
    """Return a tool that an agent of ours runs.

    Its `execute` gets the `ToolContext` of the call as `signal`, whose `aborted` says that nobody waits any more, and
    as `context`; what `on_update` returns is to be awaited, as is `ToolContext.update`. It may be `async def`, or
    plain: then it is run in a thread. What it raises is a failed result.
    """

    def execute(_context: ToolContext, **arguments: Any) -> Any:
        result = tool.execute(_context.call_id, arguments, _context, _context.update, _context)
        return _Given(result) if isawaitable(result) else _given(result)

    return Tool(
        execute,
        name=tool.name,
        description=tool.description,
        parameters=tool.parameters,
        prepare_arguments=tool.prepare_arguments,
        mode=tool.execution_mode,
    )


def result_message(
    tool_call_id: str, tool_name: str, result: AgentToolResult, *, is_error: bool = False, timestamp: int = 0
) -> ToolResultMessage:
    """Return the message that answers a call by a result."""
    return ToolResultMessage(
        tool_call_id,
        tool_name,
        result.content,
        result.details,
        result.usage,
        result.added_tool_names,
        is_error,
        timestamp,
    )


def from_result(message: Message) -> AgentToolResult:
    """Return what one of our tool messages holds as a result."""
    return AgentToolResult(contents_of(message.contents), message.meta.details if message.meta else None)


def to_result(tool_call_id: str, tool_name: str, result: AgentToolResult, *, is_error: bool = False) -> Message:
    """Return a result as one of our tool messages."""
    meta = Meta(is_error=is_error, name=tool_name or None, details=result.details)
    return Message("tool", parts_of(result.content), id=tool_call_id, meta=None if meta == Meta() else meta)


class _Given:
    """A result that is still to be awaited, as one of ours."""

    def __init__(self, result: Any) -> None:
        self._result = result

    def __await__(self) -> Generator[Any, Any, ToolResult]:
        return _given((yield from self._result.__await__()))


def _given(result: AgentToolResult | AgentToolResultMutable) -> ToolResult:
    usage = None if result.usage is None else to_usage(result.usage)
    names = result.added_tool_names or ()
    return ToolResult(parts_of(result.content), result.details, usage, names, bool(result.terminate))
