"""The stream of `benchmarks.server` over TLS by a server that speaks HTTP/2 and HTTP/1.1, as gateways do.

`python -m benchmarks.h2_server COUNT` prints its URL and serves until its standard input closes.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.workloads import make

__all__ = ["serving_h2"]


@contextmanager
def serving_h2(python: Path, count: int) -> Iterator[str]:
    """Run the server as a process of its own, by a Python that has hypercorn and trustme; gives its URL."""
    command = [python, "-m", "benchmarks.h2_server", str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()  # closes its input, at which it ends


async def _main(folder: Path) -> None:
    import trustme
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    events = make("openai-chat", "text", int(sys.argv[1])).events
    authority = trustme.CA()
    authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        while (await receive()).get("more_body"):
            pass
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for event in events:
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    config = Config()
    config.bind = ["127.0.0.1:8443"]
    config.certfile = config.keyfile = str(folder / "server.pem")
    config.accesslog = config.errorlog = None
    ended = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print("https://127.0.0.1:8443", flush=True)

    async def until_ended() -> None:
        await ended

    await serve(app, config, shutdown_trigger=until_ended)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as path:
        asyncio.run(_main(Path(path)))
