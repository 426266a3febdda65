"""How an MCP server is reached: as a process of our own, or at an address."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO
from urllib.parse import urlsplit

import anyio

from streamkit.errors import ConfigError
from streamkit.keys import check_header
from streamkit.limits import Limits
from streamkit.mcp.redaction import redacted
from streamkit.mcp.stderr import StderrLog
from streamkit.transport.http_clients import new_http_client

if TYPE_CHECKING:
    from httpx2 import Auth, Response
    from mcp.client._transport import Transport

__all__ = ["HttpLink", "Link", "StdioLink", "statuses"]

CONNECT_S = 30.0  # to connect, and to send a request
MAX_MESSAGE_BYTES = Limits().max_event_bytes

# The HTTP statuses above 399 of the requests that the call in whose context this is set has made. The SDK sends each
# request in its caller's context, and of a status it tells the caller no more than that there was one.
statuses: ContextVar[list[int] | None] = ContextVar("statuses", default=None)


class Link(Protocol):
    """A way to a server.

    `label` names it without a secret, `secrets` must not be shown; `noise` says what it sent last that is no message.
    """

    label: str
    secrets: Sequence[str]
    noise: str

    async def open(self, stack: AsyncExitStack) -> Transport:
        """Return what an SDK client takes; what that needs until the end is left to `stack`."""

    def last_words(self) -> str:
        """What a server that failed said last, to be added to a sentence."""


class StdioLink:
    """A process that is started for the connection, and ends with it."""

    secrets: Sequence[str] = ()

    def __init__(
        self,
        command: str,
        args: Iterable[str],
        env: Mapping[str, str] | None,
        cwd: str | os.PathLike[str] | None,
        stderr: TextIO | None,
    ) -> None:
        if isinstance(args, str):
            raise ConfigError(f"args is a list: put {args!r} in brackets")
        self._command, self._args = command, list(args)
        self._env = None if env is None else dict(env)
        self._cwd = None if cwd is None else os.fspath(cwd)
        self._stderr = stderr
        self._log: StderrLog | None = None
        self.label = f"the MCP server {Path(command).name!r}"
        self.noise = ""

    async def open(self, stack: AsyncExitStack) -> Transport:
        from mcp import StdioServerParameters, stdio_client

        errlog = self._stderr
        if errlog is None and sys.platform != "win32":  # where no pipe can be waited for
            self._log = log = StderrLog(self.label)
            stack.callback(log.close)
            tasks = await stack.enter_async_context(anyio.create_task_group())
            stack.callback(tasks.cancel_scope.cancel)
            tasks.start_soon(log.run)
            errlog = log.writer
        parameters = StdioServerParameters(
            command=self._command,
            args=self._args,
            env=self._env,
            cwd=self._cwd,
            encoding_error_handler="replace",  # a byte that is no UTF-8 spoils its line and no other
        )
        return stdio_client(parameters, errlog or sys.stderr)

    def last_words(self) -> str:
        lines = self._log.lines if self._log else ()
        return f"; the end of its stderr: {' / '.join(lines)!r}" if lines else ""


class HttpLink:
    """An address that speaks streamable HTTP."""

    def __init__(self, url: str, headers: Mapping[str, str] | None, auth: Auth | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError("the url of an MCP server begins with http:// or https:// and a host")
        if parts.username or parts.password:
            raise ConfigError("the url of an MCP server holds a user or password: give them in headers= or auth=")
        self.label = f"the MCP server at {parts.scheme}://{parts.netloc}{parts.path}"
        self._url = url
        self._headers = {name: value.strip() for name, value in (headers or {}).items()}
        for name, value in self._headers.items():
            check_header(f"the header {name!r} for {self.label}", name + value)
        self.secrets: Sequence[str] = list(self._headers.values())
        self._auth = auth
        self.noise = ""

    async def open(self, stack: AsyncExitStack) -> Transport:
        from httpx2 import Timeout
        from mcp.client.streamable_http import streamable_http_client

        stack.enter_context(redacted(self.secrets))
        client = await stack.enter_async_context(new_http_client("httpx2"))
        client.headers.update({"accept-encoding": "identity", **self._headers})
        client.auth = self._auth
        client.timeout = Timeout(CONNECT_S, read=None)  # how long an answer may take is each call's own limit
        client.max_redirects = 0  # the SDK follows those within an origin, with all headers
        client.event_hooks = {"response": [_on_response]}
        return streamable_http_client(self._url, http_client=client, max_sse_event_size=MAX_MESSAGE_BYTES)

    def last_words(self) -> str:
        return ""


async def _on_response(response: Response) -> None:
    """Note a bad status for whose request it is, and bound what is read of the body."""
    from streamkit.mcp.bounded import BoundedStream

    seen = statuses.get()
    if response.status_code >= 400 and seen is not None:
        seen.append(response.status_code)
    is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
    response.stream = BoundedStream(response, sys.maxsize if is_stream else MAX_MESSAGE_BYTES)
