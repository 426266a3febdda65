"""A llama.cpp server as a child process; it needs the extra `local`."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import httpx

from streamkit.cli.local_server import ALIAS, KEY_VARIABLE
from streamkit.errors import TransportError

__all__ = ["LocalServer", "local_server"]

READY_S = 60.0  # how long a server may take from its address to a loaded model
END_S = 5.0  # how long it may take to end
LOG = 2000  # how much of its log an error quotes, in characters


class LocalServer(NamedTuple):
    """Where a local model answers, for `Agent` and `Client`."""

    model: str
    base_url: str
    api_key: str


@contextmanager
def local_server(model: Path) -> Iterator[LocalServer]:
    """Run a server for `model`, which ends with the block.

    Raises `TransportError` with the end of its log where it does not start.
    """
    key = secrets.token_urlsafe()
    with tempfile.TemporaryFile() as log, _child(model, key, log) as child:
        assert child.stdout is not None
        address = child.stdout.readline().decode().strip()
        if not address or not _is_ready(child, address):
            raise TransportError(f"the llama.cpp server did not start; the end of its log:\n{_end_of(log)}")
        yield LocalServer(f"llamacpp/{ALIAS}", f"{address}/v1", key)


@contextmanager
def _child(model: Path, key: str, log: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "streamkit.cli.local_server", str(model)]
    environment = {**os.environ, KEY_VARIABLE: key}
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment)
    try:
        yield child
    finally:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.close()  # it ends at that
        try:
            child.wait(END_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()


def _is_ready(child: subprocess.Popen[bytes], address: str) -> bool:
    """Wait until the server says that it is healthy; False where it ended, or took too long."""
    deadline = time.monotonic() + READY_S
    with httpx.Client(trust_env=False) as http:  # a proxy does not know our loopback interface
        while child.poll() is None and time.monotonic() < deadline:
            try:
                if http.get(f"{address}/health").status_code == httpx.codes.OK:
                    return True
            except httpx.TransportError:
                pass  # not listening yet
            time.sleep(0.05)
    return False


def _end_of(log: IO[bytes]) -> str:
    log.seek(0)
    return log.read().decode("utf-8", "replace")[-LOG:].strip()
