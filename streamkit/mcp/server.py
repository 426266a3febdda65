"""The tools of an MCP server."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

import anyio
import anyio.lowlevel

from streamkit.agent.results import as_json
from streamkit.errors import (
    EXCERPT,
    ConfigError,
    ProtocolError,
    StreamkitError,
    StreamkitWarning,
    TransportError,
)
from streamkit.extras import how_to_install
from streamkit.mcp.connection import Connection
from streamkit.mcp.faults import answer_error, lost, opening_error
from streamkit.mcp.links import HttpLink, Link, StdioLink, statuses
from streamkit.mcp.names import check_prefix, tool_names
from streamkit.mcp.progress import Progress
from streamkit.mcp.results import tool_result
from streamkit.tools import Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    import mcp
    from httpx2 import Auth
    from mcp.client.session import IncomingMessage

__all__ = ["McpServer"]

logger = logging.getLogger("streamkit.mcp")

TIMEOUT_S = 300.0
CONNECT_TIMEOUT_S = 30.0
MAX_PAGES = 1000  # of one listing


class McpServer:
    """The tools of an MCP server, for as long as it is open.

    async with McpServer.stdio("uvx", ["mcp-server-git"]) as server:
        agent = Agent("openai/gpt-5", tools=server.tools)

    `stdio` and `http` make one. Open, `tools` are its tools; their names are the server's with `prefix` before them and
    _ for what providers do not take. `listed` has, by those names, what the server said of each: its annotations, which
    are its own word and bind it to nothing, and the schema of its results. A tool whose schema no `Tool` takes is left
    out with a `StreamkitWarning`.

    Where the server says that its tools have changed they are listed anew; an agent keeps those that it was given.

    The connection stands in a task of its own: it may be opened in one task and closed in another, and its end ends no
    task but that. It can be opened again after that. Sampling, elicitation and roots are refused. On asyncio and trio.
    """

    def __init__(self, link: Link, *, prefix: str, timeout_s: float | None, connect_timeout_s: float) -> None:
        """Not to be called: `stdio` and `http` make servers."""
        if find_spec("mcp") is None:
            raise ConfigError(f"MCP servers need the official SDK: {how_to_install('mcp')}")
        self._link = link
        self._prefix = check_prefix(prefix)
        self.timeout_s = timeout_s
        self._connect_timeout_s = connect_timeout_s
        self._connection: Connection | None = None
        self.tools: list[Tool] = []
        self.listed: dict[str, mcp.Tool] = {}

    @classmethod
    def stdio(
        cls,
        command: str,
        args: Iterable[str] = (),
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        stderr: TextIO | None = None,
        prefix: str = "",
        timeout_s: float | None = TIMEOUT_S,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
    ) -> McpServer:
        """Return a server that is a process, started in `cwd` when this is opened and ended with it.

        Of the environment it gets the few variables that every program needs (`PATH`, `HOME`, …), and `env`. What it
        writes to its standard error goes to `stderr`, a file of the system's; without one each line is logged
        (`streamkit.mcp`, level INFO) and errors quote the last ones; on Windows it is that of this process.
        At the end its standard input is closed; after 2 s it is asked to end, after 2 more killed, with its children.

        A call fails after `timeout_s` (None: never), opening with its listing after `connect_timeout_s`.
        """
        link = StdioLink(command, args, env, cwd, stderr)
        return cls(link, prefix=prefix, timeout_s=timeout_s, connect_timeout_s=connect_timeout_s)

    @classmethod
    def http(
        cls,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        auth: Auth | None = None,
        prefix: str = "",
        timeout_s: float | None = TIMEOUT_S,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
    ) -> McpServer:
        """Return a server at an address that speaks streamable HTTP.

        `headers` are sent with each request and never shown; `auth` is what httpx2 takes, such as the SDK's
        `mcp.client.auth.OAuthClientProvider`. No redirect is followed; an answer may have 32 MiB.

        A call fails after `timeout_s` (None: never), opening with its listing after `connect_timeout_s`. Raises
        `ConfigError` for a url or a header that cannot be sent.
        """
        link = HttpLink(url, headers, auth)
        return cls(link, prefix=prefix, timeout_s=timeout_s, connect_timeout_s=connect_timeout_s)

    async def refresh(self) -> list[Tool]:
        """List the tools anew, and return them. Raises as `call` does; `tools` is then as it was.

        Raises `ProtocolError` for a listing that names a tool twice or never ends.
        """
        listed = await self._list()
        names = tool_names((item.name for item in listed), self._prefix)
        tools = [tool for item in listed if (tool := self._tool(item, names[item.name])) is not None]
        self.listed = {names[item.name]: item for item in listed}
        self.tools = tools
        return tools

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        update: Callable[[Any], Awaitable[None]] | None = None,
    ) -> ToolResult:
        """Call a tool by the server's own name for it; `update` is given each report of progress, as a dict.

        A tool that failed is a result with `is_error`. Raises `ToolError` where the server refuses the call or takes
        longer than `timeout_s`, `TransportError` where it is not open or gone, an `APIError` where it answered with
        an HTTP status alone, and `ProtocolError` where its answer is no result of that tool. Cancelled, it tells the
        server.
        """
        given = as_json(dict(arguments or {}))  # what the SDK cannot write ends the connection
        progress = None if update is None else Progress(update)
        result = await self._ask(
            f"the call of {name}",
            lambda client: client.call_tool(name, given, progress_callback=progress),
        )
        if progress is not None:
            await anyio.lowlevel.checkpoint()  # each report is in a task of its own, which may not have begun
            progress.ended = True
        return tool_result(result)

    async def __aenter__(self) -> McpServer:
        if self._connection is not None:
            raise ConfigError(f"{self!r} is open already")
        connection = self._connection = Connection(
            self._link, self._follow, message_handler=self._on_message, read_timeout_seconds=self.timeout_s
        )
        try:
            due = anyio.current_time() + self._connect_timeout_s
            await connection.open(self._connect_timeout_s)
            if connection.failure is not None:
                raise opening_error(connection.failure, self._link, connection.statuses) from None
            with anyio.move_on_at(due) as scope:
                await self.refresh()
            if scope.cancelled_caught:
                raise connection.late(self._connect_timeout_s)
        except BaseException:  # a cancellation too leaves nothing open
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    def __repr__(self) -> str:
        return f"<McpServer: {self._link.label}>"

    async def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()

    async def _ask(self, what: str, ask: Callable[[mcp.Client], Awaitable[Any]]) -> Any:
        """Ask the server; raises as `call` says."""
        from mcp import MCPError
        from pydantic import ValidationError

        connection = self._connection
        if connection is None:
            raise TransportError(f"{self._link.label} is not open: use it inside `async with`")
        if connection.client is None:
            raise lost(connection.failure, self._link)
        seen: list[int] = []
        token = statuses.set(seen)
        try:
            return await ask(connection.client)
        except (MCPError, RuntimeError, ValidationError) as error:  # RuntimeError: a result that breaks its own schema
            if self._connection is not connection:
                raise TransportError(f"{self._link.label} was closed during {what}") from None
            if connection.client is None:
                raise lost(connection.failure or error, self._link) from None
            raise answer_error(error, what, self._link, seen) from None
        finally:
            statuses.reset(token)

    async def _list(self) -> list[mcp.Tool]:
        tools: dict[str, mcp.Tool] = {}
        cursors: set[str | None] = set()
        cursor: str | None = None
        while cursor not in cursors and len(cursors) < MAX_PAGES:
            cursors.add(cursor)
            page = await self._ask("the listing of its tools", partial(_page, cursor))
            for tool in page.tools:
                if tool.name in tools:
                    raise ProtocolError(f"{self._link.label} lists two tools of the name {tool.name!r}")
                tools[tool.name] = tool
            cursor = page.next_cursor
            if cursor is None:
                return list(tools.values())
        raise ProtocolError(f"{self._link.label} lists its tools without end")

    def _tool(self, listed: mcp.Tool, name: str) -> Tool | None:
        async def function(*, _streamkit_context: ToolContext, **arguments: Any) -> ToolResult:
            return await self.call(listed.name, arguments, _streamkit_context.update)

        description = listed.description or listed.title or ""
        try:
            return Tool(function, name=name, description=description, parameters=listed.input_schema)
        except ConfigError as error:
            warnings.warn(f"left out of the tools of {self._link.label}: {error}", StreamkitWarning, stacklevel=2)
            return None

    async def _on_message(self, message: IncomingMessage) -> None:
        """Take what the server says unasked."""
        from mcp.types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            await self._refresh_quietly()
        elif isinstance(message, Exception):
            self._link.noise = f"; it sent what is no message: {_input(message)!r}"
            logger.warning("%s%s", self._link.label, self._link.noise)

    async def _follow(self, client: mcp.Client) -> None:
        """Hear of changed tools where the protocol has a client ask for that; `_on_message` is told of each."""
        from mcp import MCPError
        from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost

        tools = client.server_capabilities.tools
        if tools is None or not tools.list_changed:
            return
        try:
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    pass
        except ListenNotSupportedError:
            return  # an older protocol, whose servers say it unasked
        except (MCPError, SubscriptionLost, TimeoutError) as error:
            logger.info("%s will not say when its tools change: %s", self._link.label, error)

    async def _refresh_quietly(self) -> None:
        try:
            await self.refresh()
        except StreamkitError as error:
            logger.warning("the tools of %s have changed and cannot be listed: %s", self._link.label, error)


async def _page(cursor: str | None, client: mcp.Client) -> mcp.types.ListToolsResult:
    return await client.list_tools(cursor=cursor)


def _input(error: Exception) -> str:
    """What the SDK could not read."""
    from pydantic import ValidationError

    text = str(error.errors()[0]["input"]) if isinstance(error, ValidationError) else str(error)
    return text[:EXCERPT]
