"""The SDK's errors as ours."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from mcp import MCPError
from mcp.types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REQUEST_TIMEOUT,
)

from streamkit import errors
from streamkit.mcp.faults import answer_error, lost, opening_error
from streamkit.mcp.links import HttpLink

LINK = HttpLink("https://h/mcp", {"Authorization": "Bearer sk-secret"}, None)
STAND_IN = "Server returned an error response"


@pytest.mark.parametrize(
    ("error", "statuses", "kind", "words"),
    [
        (MCPError(INVALID_PARAMS, "no such city", {"city": "X"}), [], errors.ToolError, "no such city"),
        (MCPError(REQUEST_TIMEOUT, "timed out"), [], errors.ToolError, "the call of f took too long"),
        (MCPError(CONNECTION_CLOSED, "Connection closed"), [], errors.TransportError, "https://h/mcp ended"),
        (MCPError(PARSE_ERROR, "no JSON\nat all"), [], errors.ProtocolError, "no JSON"),
        (MCPError(INTERNAL_ERROR, STAND_IN), [401], errors.AuthenticationError, "HTTP 401"),
        (MCPError(INTERNAL_ERROR, STAND_IN), [503, 429], errors.RateLimited, "HTTP 429"),
        (MCPError(INTERNAL_ERROR, "bad key Bearer sk-secret"), [401], errors.ToolError, "bad key"),
        (MCPError(INVALID_REQUEST, "Session terminated"), [404], errors.TransportError, "has ended the session"),
        (MCPError(METHOD_NOT_FOUND, "Not Found"), [404], errors.NotFound, "HTTP 404"),
        (RuntimeError("Invalid structured content\nlong"), [], errors.ProtocolError, "Invalid structured content"),
    ],
)
def test_an_answer_that_is_none_is_an_error_of_its_kind(
    error: Exception, statuses: list[int], kind: type[Exception], words: str
) -> None:
    made = answer_error(error, "the call of f", LINK, statuses)
    assert type(made) is kind and words in str(made)
    assert "\n" not in str(made) and "sk-secret" not in repr(made)


def test_the_code_and_the_data_of_a_refusal_are_kept() -> None:
    made: Any = answer_error(MCPError(INVALID_PARAMS, "no", {"city": "X"}), "the call of f", LINK, [])
    assert made.details == {"code": INVALID_PARAMS, "data": {"city": "X"}}


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (FileNotFoundError(2, "No such file or directory", "uvx"), errors.ConfigError, "cannot be started: No such"),
        (ExceptionGroup("tasks", [ValueError("refused")]), errors.TransportError, "be reached \\(ValueError: refused"),
        (MCPError(CONNECTION_CLOSED, "Connection closed"), errors.TransportError, "ended the connection: Conn"),
        (MCPError(REQUEST_TIMEOUT, "timed out"), errors.TransportError, "timed out"),
        (errors.ProtocolError("ours"), errors.ProtocolError, "ours"),
    ],
)
def test_what_keeps_a_connection_from_being_made(error: Exception, kind: type[Exception], words: str) -> None:
    made = opening_error(error, LINK, [])
    assert type(made) is kind
    with pytest.raises(kind, match=words):
        raise made


def test_a_connection_that_is_lost_says_why_as_far_as_it_is_known() -> None:
    group = ExceptionGroup("tasks", [ExceptionGroup("more", [OSError("reset")]), ConnectionError()])
    assert str(lost(group, LINK)) == f"{LINK.label} is gone (OSError: reset; ConnectionError): open it again"
    assert str(lost(None, LINK)) == f"{LINK.label} is gone: open it again"
