"""What the tests of MCP share: the servers, in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from streamkit.mcp import McpServer

HERE = Path(__file__).parent
KEY = "Bearer sk-never-shown"


@pytest.fixture
def official() -> Callable[..., McpServer]:
    """Makes the SDK's server as a process."""
    return lambda **options: McpServer.stdio(sys.executable, [str(HERE / "server.py"), "stdio"], **options)


@pytest.fixture
def odd() -> Callable[..., McpServer]:
    """Makes the server that does a thing wrong: `odd("twice")`."""
    return lambda way, **options: McpServer.stdio(
        sys.executable, ["-IS", str(HERE / "odd_server.py"), way], **{"timeout_s": 5.0, **options}
    )


@contextmanager
def listening() -> Iterator[str]:
    """Where a new process of the SDK's server listens."""
    command = [sys.executable, str(HERE / "server.py"), "http"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where one that many tests share listens."""
    with listening() as address:
        yield address


@pytest.fixture
def at(address: str) -> Callable[..., McpServer]:
    """Makes the client of the server at a path: `at("/mcp")`, or `at("/old")` for an older protocol."""

    def make(path: str, **options: Any) -> McpServer:
        return McpServer.http(address + path, **{"headers": {"Authorization": KEY}, "timeout_s": 5.0, **options})

    return make
