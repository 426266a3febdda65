"""A server of many slow streams: each request gets the same answer, one event every so often, for as long as asked.

`python -m benchmarks.load_server EVENTS INTERVAL_S` prints its URL and serves until its standard input closes. All
streams are written from one timer, spread evenly over the interval, so that the server is no bottleneck: 2,000 streams
of five events a second are 10,000 writes.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.workloads import make

__all__ = ["raise_file_limit", "serving_slowly"]

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_TICKS = 50  # an interval


@contextmanager
def serving_slowly(events: int, interval_s: float) -> Iterator[str]:
    """Run the server as a process of its own; gives its URL."""
    command = [sys.executable, "-m", "benchmarks.load_server", str(events), str(interval_s)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()  # closes its input, at which it ends


def raise_file_limit() -> None:
    """Allow as many sockets as the machine does."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class _Connection(asyncio.Protocol):
    """Takes requests one after the other; `at` is the next event of the stream that is under way, None between two."""

    chunks: list[bytes]
    slots: list[set[_Connection]]
    turn = 0

    def __init__(self) -> None:
        self._received = b""
        self._at: int | None = None
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        self._at = None
        for slot in self.slots:
            slot.discard(self)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, blank, rest = self._received.partition(b"\r\n\r\n")
        if not blank:
            return
        fields = dict(line.lower().partition(b": ")[::2] for line in head.split(b"\r\n")[1:])
        if len(rest) < int(fields.get(b"content-length", b"0")):
            return
        self._received, self._at = b"", 0
        self._transport.write(_HEAD)
        _Connection.turn = (_Connection.turn + 1) % _TICKS
        self.slots[_Connection.turn].add(self)

    def write_next(self) -> bool:
        """Whether there is more to write afterwards."""
        if self._at is None:
            return False
        self._transport.write(self.chunks[self._at])
        self._at += 1
        if self._at == len(self.chunks):
            self._at = None
        return self._at is not None


async def _main() -> None:
    events, interval_s = int(sys.argv[1]), float(sys.argv[2])
    stream = make("openai-chat", "text", events).events
    _Connection.chunks = [b"%x\r\n%b\r\n" % (len(event), event) for event in stream]
    _Connection.chunks[-1] += b"0\r\n\r\n"
    _Connection.slots = [set() for _ in range(_TICKS)]
    raise_file_limit()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Connection, "127.0.0.1", 0, backlog=4096)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    ended = loop.run_in_executor(None, sys.stdin.read)
    due, tick = loop.time(), 0
    while not ended.done():
        due += interval_s / _TICKS
        await asyncio.sleep(due - loop.time())
        slot = _Connection.slots[tick % _TICKS]
        slot.difference_update([connection for connection in slot if not connection.write_next()])
        tick += 1


if __name__ == "__main__":
    asyncio.run(_main())
