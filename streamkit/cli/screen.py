"""The terminal: it only ever appends, so a token costs the same however long the answer is.

Text goes out as it is, made visible: nothing in it is markup, an emoji code or worth a highlight. Rich knows what the
terminal can do (`NO_COLOR`, `TERM`, no terminal at all); its own printing would lay out each token anew and turn
tabs into spaces, so the codes of a style are asked for once and written around the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style

from streamkit.cli.escape import visible

__all__ = ["Screen"]

_COLOR_SYSTEMS = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT, "truecolor": ColorSystem.TRUECOLOR}


class Screen:
    """Appends text to a console, standard output by default, from any thread. Styles are rich's: `dim italic`, say."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console()
        self._codes = cache(self._find_codes)
        self._at_line_start = True
        self._lock = Lock()
        self._kept: list[str] | None = None  # what waits while somebody types

    @property
    def is_terminal(self) -> bool:
        """Whether somebody is looking."""
        return self._console.is_terminal

    def write(self, text: str, style: str = "") -> None:
        """Append `text`, at once."""
        if not text:
            return
        before, after = self._codes(style)
        with self._lock:
            self._append(f"{before}{visible(text)}{after}")
            self._at_line_start = text.endswith("\n")

    def line(self, text: str = "", style: str = "") -> None:
        """Append `text` as a line of its own; without any, end the line that was begun."""
        if not self._at_line_start:
            self.write("\n")
        if text:
            self.write(text, style)
            self.write("\n")

    def gap(self) -> None:
        """End the line that was begun and leave one empty."""
        self.line()
        self.write("\n")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Begin a line for somebody to type on; what is written meanwhile comes after it, when the block ends."""
        with self._lock:
            if not self._at_line_start:
                self._append("\n")
                self._at_line_start = True
            self._kept = []
        try:
            yield
        finally:
            with self._lock:
                kept, self._kept = self._kept, None
                self._append("".join(kept))

    def _append(self, text: str) -> None:
        if self._kept is not None:
            self._kept.append(text)
            return
        self._console.file.write(text)
        self._console.file.flush()

    def _find_codes(self, style: str) -> tuple[str, str]:
        """What to write before and after a text to give it `style`; nothing where there is no terminal for it."""
        if not style or not self._console.is_terminal or self._console.is_dumb_terminal:
            return "", ""
        look = Style.parse(style)
        if self._console.no_color:
            look = look.without_color
        system = _COLOR_SYSTEMS.get(self._console.color_system or "")
        before, _, after = look.render("\0", color_system=system).partition("\0")
        return before, after
