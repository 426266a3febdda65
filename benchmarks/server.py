"""One loopback server for all contenders: a fixed stream over HTTP/1.1, one chunk and one write an event.

`python -m benchmarks.server COUNT` prints its URL and serves until its standard input closes. A path that ends in
`/messages` gets Anthropic's dialect, any other OpenAI's.
"""

from __future__ import annotations

import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.workloads import make

__all__ = ["serving"]

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


@contextmanager
def serving(count: int) -> Iterator[str]:
    """Run the server as a process of its own, for streams of `count` deltas; gives its URL."""
    command = [sys.executable, "-m", "benchmarks.server", str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()  # closes its input, at which it ends


class _Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    streams: dict[str, list[bytes]]

    def handle(self) -> None:
        """Answer requests until the client hangs up."""
        while request := self.rfile.readline():
            length = 0
            while (line := self.rfile.readline().strip()) != b"":
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            self.rfile.read(length)
            path = request.split()[1].split(b"?")[0]
            self.connection.sendall(_HEAD)
            for chunk in self.streams["anthropic" if path.endswith(b"/messages") else "openai-chat"]:
                self.connection.sendall(chunk)

    def finish(self) -> None:
        """Let a client that left early go in peace."""
        try:
            super().finish()
        except OSError:
            self.connection.close()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Say what went wrong, but for a client that hung up."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def _chunks(events: list[bytes]) -> list[bytes]:
    return [b"%x\r\n%b\r\n" % (len(event), event) for event in events] + [b"0\r\n\r\n"]


def _main() -> None:
    count = int(sys.argv[1])
    _Handler.streams = {name: _chunks(make(name, "text", count).events) for name in ("openai-chat", "anthropic")}
    with _Server(("127.0.0.1", 0), _Handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    _main()
