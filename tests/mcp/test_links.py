"""The ways to a server."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.mcp.links import HttpLink, StdioLink


@pytest.mark.parametrize(
    ("url", "headers", "problem"),
    [
        ("ftp://h/mcp", {}, "http://"),
        ("/mcp", {}, "http://"),
        ("https://me:sk-secret@h/mcp", {}, "user or password"),
        ("https://h/mcp", {"X-Key": "sk-secret\n"}, ""),
        ("https://h/mcp", {"X-Key": "sk\nsecret"}, "'X-Key' .*control character"),
        ("https://h/mcp", {"X\n": "sk-secret"}, "control character"),
    ],
)
def test_an_address_and_its_headers_are_checked_without_showing_a_secret(
    url: str, headers: dict[str, str], problem: str
) -> None:
    if not problem:  # white space around a key is dropped
        assert HttpLink(url, headers, None).secrets == ["sk-secret"]
        return
    with pytest.raises(ConfigError, match=problem) as caught:
        HttpLink(url, headers, None)
    assert "secret" not in str(caught.value)


def test_the_name_of_a_server_shows_no_secret() -> None:
    assert HttpLink("https://h:1/mcp?key=sk-secret#x", None, None).label == "the MCP server at https://h:1/mcp"
    assert StdioLink("/bin/a", ["--key=sk-secret"], {"KEY": "sk-secret"}, None, None).label == "the MCP server 'a'"


def test_arguments_are_a_list() -> None:
    args: Any = "server.py"
    with pytest.raises(ConfigError, match="brackets"):
        StdioLink("python", args, None, None, None)
