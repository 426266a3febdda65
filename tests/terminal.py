"""A terminal of its own for a command, seen from its far side."""

from __future__ import annotations

import os
import pty
import sys
import termios
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
from anyio.abc import Process

__all__ = ["Terminal", "terminal"]

# What a shell does: the terminal at standard input is the controlling one, Ctrl-C is heard although the tests may run
# where it is ignored, and then it becomes the command.
SHELL = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.executable, sys.argv[1:])
"""


class Terminal:
    """What is on the screen, and a keyboard."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.screen = ""
        self.seen = 0  # how far `expect` has got

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())

    async def expect(self, text: str) -> None:
        """Wait until `text` is on the screen after what was expected before."""
        with anyio.move_on_after(20):
            while text not in self.screen[self.seen :]:
                self.read()
                await anyio.sleep(0.01)
        before, after = self.screen[: self.seen], self.screen[self.seen :]
        assert text in after, f"after {before!r} there is no {text!r} but {after!r}"
        self.seen = self.screen.index(text, self.seen) + len(text)

    def read(self) -> None:
        try:
            self.screen += os.read(self._fd, 65536).decode()
        except (BlockingIOError, OSError):
            pass

    def modes(self) -> int:
        """Its local modes: whether it shows what is typed, and waits for whole lines."""
        return int(termios.tcgetattr(self._fd)[3])


@asynccontextmanager
async def terminal(
    command: Sequence[str], environment: Mapping[str, str] = os.environ
) -> AsyncIterator[tuple[Terminal, Process]]:
    """Run `command`, which begins with this interpreter, in a terminal; it is killed where it has not ended."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    assert command[0] == sys.executable
    try:
        async with await anyio.open_process(
            [sys.executable, "-c", SHELL, *command],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            env={**environment, "TERM": "xterm", "NO_COLOR": ""},
        ) as process:
            try:
                yield Terminal(ours), process
            finally:
                if process.returncode is None:
                    process.kill()
    finally:
        os.close(ours)
        os.close(theirs)
