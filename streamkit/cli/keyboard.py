"""A keyboard that is watched while an answer streams: a pressed key is seen at once, and begins a line."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any

if sys.platform != "win32":
    import termios

__all__ = ["Keyboard", "can_be_watched", "watched"]


def can_be_watched() -> bool:
    """Whether `watched` sees keys: not on Windows, where a terminal cannot be waited for, nor without readline.

    From then on `input` has the editing and the memory of readline.
    """
    try:
        import readline  # noqa: F401 - `input` uses it once it is loaded
    except ImportError:
        return False
    return sys.platform != "win32"


class Keyboard:
    """Shows nothing of what is typed but in `line`; what nobody reads is there for the next who does."""

    def __init__(self, ended: int) -> None:
        self._fd = sys.stdin.fileno()
        self._ended = ended
        self._before = termios.tcgetattr(self._fd)

    def pressed(self) -> bool:
        """Wait for a key; False when there is nothing to wait for any more."""
        return self._ended not in select.select([self._fd, self._ended], [], [])[0]

    def line(self, prompt: str) -> str:
        """Return the line that begins with the key, as `input` does."""
        self._set(termios.ECHO)  # readline shows what is typed where the terminal did
        try:
            return input(prompt)
        finally:
            self.hide()

    def hide(self) -> None:
        """Take keys one by one, and unseen. Ctrl-C still is a signal."""
        self._set(0)

    def restore(self) -> None:
        """Leave the terminal as it was."""
        termios.tcsetattr(self._fd, termios.TCSANOW, self._before)

    def _set(self, echo: int) -> None:
        modes = termios.tcgetattr(self._fd)
        modes[3] = modes[3] & ~(termios.ICANON | termios.ECHO) | echo
        modes[6][termios.VMIN], modes[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._fd, termios.TCSANOW, modes)


@contextmanager
def watched(until: Future[Any]) -> Iterator[Keyboard]:
    """Watch the terminal at standard input until the future is done, which the end of the block waits for."""
    ended, end = os.pipe()
    keyboard = Keyboard(ended)
    until.add_done_callback(lambda _: os.close(end))
    try:
        keyboard.hide()
        yield keyboard
    finally:
        wait([until])
        keyboard.restore()
        os.close(ended)
