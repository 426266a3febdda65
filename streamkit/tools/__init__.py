"""Tools: functions that a model may call."""

from streamkit.tools.context import ToolContext
from streamkit.tools.definition import Tool, ToolMode, TypedTool, as_tool, tool, tool_list
from streamkit.tools.groups import ToolGroup
from streamkit.tools.hooks import AfterTool, BeforeTool, Block, ToolRequest
from streamkit.tools.results import ToolResult

__all__ = [
    "AfterTool",
    "BeforeTool",
    "Block",
    "Tool",
    "ToolContext",
    "ToolGroup",
    "ToolMode",
    "ToolRequest",
    "ToolResult",
    "TypedTool",
    "as_tool",
    "tool",
    "tool_list",
]
