"""Tools from MCP servers, through the official SDK (the extra `mcp`)."""

from streamkit.mcp.server import McpServer

__all__ = ["McpServer"]
