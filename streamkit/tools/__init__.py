"""Tools: functions that a model may call."""

from streamkit.tools.definition import Tool, as_tool, tool, tool_list

__all__ = ["Tool", "as_tool", "tool", "tool_list"]
