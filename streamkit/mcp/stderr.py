"""The standard error of a server process."""

from __future__ import annotations

import logging
import os
from collections import deque
from typing import TextIO

import anyio

__all__ = ["StderrLog"]

logger = logging.getLogger("streamkit.mcp")

MAX_LINE = 2000  # bytes of one line; the rest is a line of its own
KEPT = 10  # lines that an error quotes


class StderrLog:
    """Logs each line that a process writes to `writer`, and keeps the last ones in `lines`.

    Lines are shown as Python would write them, so that nothing in them acts on a terminal.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._reader, writer = os.pipe()
        os.set_blocking(self._reader, False)
        self.writer: TextIO = os.fdopen(writer, "w")
        self.lines: deque[str] = deque(maxlen=KEPT)
        self._rest = b""

    async def run(self) -> None:
        """Read for as long as somebody holds the other end."""
        while self.read():
            await anyio.wait_readable(self._reader)

    def read(self) -> bool:
        """Take what there is; return whether more can come."""
        while True:
            try:
                data = os.read(self._reader, 1 << 16)
            except BlockingIOError:
                return True
            if not data:
                return False
            *lines, self._rest = (self._rest + data).split(b"\n")
            while len(self._rest) > MAX_LINE:
                lines.append(self._rest[:MAX_LINE])
                self._rest = self._rest[MAX_LINE:]
            for line in lines:
                self._take(line)

    def close(self) -> None:
        """Take what is left, and free both ends."""
        self.writer.close()
        self.read()
        self._take(self._rest)
        os.close(self._reader)

    def _take(self, line: bytes) -> None:
        if text := line.decode("utf-8", "replace").strip():
            self.lines.append(text)
            logger.info("%s: %r", self._label, text)
