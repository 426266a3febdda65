"""The terminal: it only ever appends, so a token costs the same however long the answer is.

Text goes out as it is, made visible: nothing in it is markup, an emoji code or worth a highlight. Rich knows what the
terminal can do (`NO_COLOR`, `TERM`, no terminal at all); its own printing would lay out each token anew and turn
tabs into spaces, so the codes of a style are asked for once and written around the text.
"""

from __future__ import annotations

from functools import cache

from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style

from streamkit.cli.escape import visible

__all__ = ["Screen"]

_COLOR_SYSTEMS = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT, "truecolor": ColorSystem.TRUECOLOR}


class Screen:
    """Appends text to a console, standard output by default. Styles are rich's, such as `dim italic`."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console()
        self._codes = cache(self._find_codes)
        self._at_line_start = True

    @property
    def is_terminal(self) -> bool:
        """Whether somebody is looking."""
        return self._console.is_terminal

    def write(self, text: str, style: str = "") -> None:
        """Append `text`, at once."""
        if not text:
            return
        before, after = self._codes(style)
        file = self._console.file
        file.write(f"{before}{visible(text)}{after}")
        file.flush()
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
