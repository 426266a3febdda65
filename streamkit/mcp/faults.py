"""What goes wrong with an MCP server, as errors of ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from streamkit.errors import ConfigError, ProtocolError, StreamkitError, ToolError, TransportError
from streamkit.keys import scrub_error
from streamkit.mcp.links import Link
from streamkit.protocols.failures import read_failure

if TYPE_CHECKING:
    from mcp import MCPError

__all__ = ["answer_error", "lost", "opening_error"]

# What the SDK says where the server answered with a status and no error of MCP.
_STAND_INS = {"Server returned an error response", "Not Found"}


def opening_error(error: Exception, link: Link, statuses: Sequence[int]) -> StreamkitError:
    """Return what kept a connection from being made."""
    from mcp import MCPError

    for leaf in _leaves(error):
        if isinstance(leaf, StreamkitError):
            return leaf
        if isinstance(leaf, MCPError):
            return _scrubbed(_by_mcp(leaf, link, statuses, TransportError), link)
        if isinstance(leaf, OSError):
            return ConfigError(f"{link.label} cannot be started: {leaf.strerror or leaf}")
    return _scrubbed(TransportError(f"{link.label} cannot be reached{_why(error)}{link.last_words()}"), link)


def lost(error: Exception | None, link: Link) -> StreamkitError:
    """Return what says that there is no connection any more; `error` is what ended it, as far as that is known."""
    return _scrubbed(TransportError(f"{link.label} is gone{_why(error)}: open it again{link.last_words()}"), link)


def answer_error(error: Exception, what: str, link: Link, statuses: Sequence[int]) -> StreamkitError:
    """Return why `what`, a request, was not answered as it should be."""
    from mcp import MCPError

    if isinstance(error, MCPError):
        return _scrubbed(_by_mcp(error, link, statuses, ToolError, what), link)
    said = f"{link.label} answered {what} with what is no valid result: {_first_line(error)}"
    return _scrubbed(ProtocolError(said), link)


def _by_mcp(
    error: MCPError, link: Link, statuses: Sequence[int], other: type[StreamkitError], what: str = ""
) -> StreamkitError:
    from mcp.types import CONNECTION_CLOSED, METHOD_NOT_FOUND, PARSE_ERROR, REQUEST_TIMEOUT

    message = error.message
    if error.code == CONNECTION_CLOSED:
        within = f" in {what}" if what else ""
        return TransportError(f"{link.label} ended the connection{within}: {message}{link.last_words()}")
    if what and statuses and statuses[-1] == 404 and error.code != METHOD_NOT_FOUND:
        # "Session Management" of https://modelcontextprotocol.io/specification/2025-11-25/basic/transports, checked
        # 2026-11-30.
        return TransportError(f"{link.label} has ended the session ({message}): open it again")
    if message in _STAND_INS and statuses:
        return read_failure("an answer that is none of MCP", provider=link.label, status=statuses[-1])
    if error.code == PARSE_ERROR:
        return ProtocolError(f"{link.label}: {_first_line(message)}")
    if error.code == REQUEST_TIMEOUT and what:
        return ToolError(f"{what} took too long and was cancelled; it may have had effects until then{link.noise}")
    if other is ToolError:
        return ToolError(message, details={"code": error.code, "data": error.data})
    return other(f"{link.label}: {message}{link.last_words()}")


def _first_line(text: object) -> str:
    return str(text).partition("\n")[0]


def _why(error: Exception | None) -> str:
    said = [f"{type(leaf).__name__}: {leaf}" if str(leaf) else type(leaf).__name__ for leaf in _leaves(error)]
    return f" ({'; '.join(said)})" if said else ""


def _scrubbed(error: StreamkitError, link: Link) -> StreamkitError:
    scrub_error(error, link.secrets)
    return error


def _leaves(error: BaseException | None) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    elif error is not None:
        yield error
