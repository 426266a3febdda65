"""A server that answers at once and well for the most part, and in seeded ways badly else.

`python -m benchmarks.soak_server` prints its URL and serves until its standard input closes.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from benchmarks.workloads import make

__all__ = ["EVENTS", "serving_badly"]

EVENTS = 20  # of an answer

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_BUSY = b"HTTP/1.1 529 \r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n"
_LINGER = struct.pack("ii", 1, 0)


@contextmanager
def serving_badly() -> Iterator[str]:
    """Run the server as a process of its own; gives its URL."""
    command = [sys.executable, "-m", "benchmarks.soak_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()  # closes its input, at which it ends


class _Connection(asyncio.Protocol):
    random = Random(7)
    answer = b"".join(b"%x\r\n%b\r\n" % (len(event), event) for event in make("openai-chat", "text", EVENTS).events)

    def __init__(self) -> None:
        self._received = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, blank, rest = self._received.partition(b"\r\n\r\n")
        if not blank:
            return
        fields = dict(line.lower().partition(b": ")[::2] for line in head.split(b"\r\n")[1:])
        if len(rest) < int(fields.get(b"content-length", b"0")):
            return
        self._received = b""
        self._answer()

    def _answer(self) -> None:
        write, random = self._transport.write, self.random
        chance, at = random.random(), random.randrange(len(self.answer))
        if chance < 0.7:
            write(_HEAD + self.answer + b"0\r\n\r\n")
        elif chance < 0.8:  # in two writes, so that a client can leave in between
            write(_HEAD + self.answer[:at])
            asyncio.get_running_loop().call_later(0.002, self._go_on, self.answer[at:] + b"0\r\n\r\n")
        elif chance < 0.85:
            write(_BUSY)
        elif chance < 0.9:
            write(_HEAD + self.answer[:at])
            self._transport.close()
        elif chance < 0.95:
            write(_HEAD + self.answer[:at])
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
            self._transport.abort()
        else:  # open after its end
            write(_HEAD + self.answer)

    def _go_on(self, rest: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(rest)


async def _main() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Connection, "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_main())
