"""An incremental JSON parser: what an unfinished text says so far, at a cost that does not grow with it.

Each character is looked at once. An explicit stack replaces recursion, so depth costs nothing and no input overflows
the interpreter's. A growing string is kept in pieces, and joined onto its place in the value when somebody looks.
"""

from __future__ import annotations

import math
import re
import sys
from os.path import commonprefix
from typing import Any

from msgspec import Struct

__all__ = ["PartialJSON", "SyntaxFault"]

# Half of CPython's default recursion limit: what walks the value recursively (repr, ==, an encoder) has room for it.
MAX_DEPTH = 500

# What the next character belongs to.
VALUE, FIRST_ITEM, FIRST_KEY, KEY, COLON, COMMA, STRING, NUMBER, END = range(9)

EXPECTED = {
    VALUE: "a value",
    FIRST_ITEM: "a value or ']'",
    FIRST_KEY: "a key or '}'",
    KEY: "a key",
    COLON: "':'",
    END: "the end",
}
SPACE = re.compile(r"[ \t\n\r]*")
STRING_RUN = re.compile(r'[^"\\]*')
NUMBER_RUN = re.compile(r"[-+.0-9eEInfity]*")
NUMBER_FORM = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
ESCAPE = re.compile(r'\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4}))')
ESCAPE_BEGUN = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")
ESCAPED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
WORDS: dict[str, tuple[str, bool | None]] = {
    "t": ("true", True),
    "f": ("false", False),
    "n": ("null", None),
    "N": ("NaN", None),
    "I": ("Infinity", None),
}
EXCERPT = 40
STOP = sys.maxsize  # a place behind every fragment


class SyntaxFault(Struct, frozen=True):
    """Where a text stops being JSON, in characters from 0, and why."""

    position: int
    reason: str

    def __str__(self) -> str:
        return f"{self.reason} at character {self.position}"


class PartialJSON:
    """A JSON text in pieces → the value that it says so far.

    A string is there from its opening quote and grows; a key appears with its value; a number appears when what
    follows shows that it is whole; `true`, `false` and `null` with their last letter. So a later value only ever
    extends an earlier one (but of a repeated key the last value counts). An escape is shown once it is complete.

    More is taken than JSON allows, as models write it: raw control characters in strings; `NaN`, `Infinity` and
    numbers too large for a float, which are None; a lone surrogate escape, which is U+FFFD. Integers are exact.

    `complete` says that the value has ended, `error` where and why the text stopped being JSON. After an error the
    rest is ignored and the value stays as it was. Nothing is raised.
    """

    def __init__(self, *, max_depth: int = MAX_DEPTH) -> None:
        """Begin; arrays and objects nested deeper than `max_depth` are an error."""
        self.complete = False
        self.error: SyntaxFault | None = None
        self._max_depth = max_depth
        self._state = VALUE
        self._root: list[Any] = [None]
        # The value that is being read goes to `_place[_key]`; `_open` holds the places around it, innermost last.
        self._place: Any = self._root
        self._key: Any = 0
        self._open: list[tuple[Any, Any]] = []
        self._in_key = False
        self._pieces: list[str] = []  # of the string or number that is being read
        self._token_at = 0  # where that number began
        self._held = ""  # the beginning of an escape or a word, read again with what follows
        self._read = 0  # characters taken before the current fragment

    @property
    def value(self) -> Any:
        """The value so far, None before there is any.

        These are the live lists and dicts, which later fragments change: look, and keep a `snapshot()` instead.
        Looking after each fragment costs no more than the fragment, as long as no growing string is kept.
        """
        if self._state == STRING and self._pieces and not self._in_key:
            self._show_string()
        return self._root[0]

    def snapshot(self) -> Any:
        """Return a copy of the value so far, which later fragments leave alone; costs as much as the value is big."""
        root = [self.value]
        todo: list[Any] = [root]
        while todo:
            box = todo.pop()
            for key, item in box.items() if type(box) is dict else enumerate(box):
                if type(item) is dict or type(item) is list:
                    box[key] = item.copy()
                    todo.append(box[key])
        return root[0]

    def feed(self, text: str) -> None:
        """Take the next piece of the text, of any length."""
        if self.error is not None:
            return
        if self._held:
            text = self._held + text
            self._read -= len(self._held)
            self._held = ""
        at, size = 0, len(text)
        while at < size:
            state = self._state
            if state == STRING:
                at = self._read_string(text, at)
            elif state == NUMBER:
                at = self._read_number(text, at)
            else:
                if text[at] in " \t\n\r":
                    run = SPACE.match(text, at)
                    at = run.end() if run else at
                else:
                    at = self._read_mark(text, at, state)
        self._read += size

    def finish(self) -> None:
        """Say that the text has ended: a number at the top is whole by that; anything unfinished sets `error`."""
        if self.error is not None or self.complete:
            return
        if self._state == NUMBER:
            self._end_number()
        if self.error is None and not self.complete:
            self._fail(self._read, f"the text ends {self._whereabouts()}")

    def _read_mark(self, text: str, at: int, state: int) -> int:
        """Read one character outside of strings, numbers and words; return where the next is."""
        mark = text[at]
        if mark == '"':
            if state <= FIRST_ITEM:
                self._place_value("")
                self._state = STRING
                return at + 1
            if state == FIRST_KEY or state == KEY:
                self._in_key = True
                self._state = STRING
                return at + 1
        elif state == COMMA:
            if mark == ",":
                self._state = KEY if type(self._place) is dict else VALUE
                return at + 1
            if mark == ("}" if type(self._place) is dict else "]"):
                self._close()
                return at + 1
        elif state == COLON:
            if mark == ":":
                self._state = VALUE
                return at + 1
        elif state <= FIRST_ITEM:
            if mark == "{" or mark == "[":
                return self._open_container({} if mark == "{" else [], at)
            if mark == "]" and state == FIRST_ITEM:
                self._close()
                return at + 1
            if mark in "-0123456789":
                self._state, self._token_at = NUMBER, self._read + at
                return at
            if mark in WORDS:
                return self._read_word(text, at)
        elif mark == "}" and state == FIRST_KEY:
            self._close()
            return at + 1
        expected = ("',' or '}'" if type(self._place) is dict else "',' or ']'") if state == COMMA else EXPECTED[state]
        return self._fail(self._read + at, f"expected {expected}, found {mark!r}")

    def _read_string(self, text: str, at: int) -> int:
        run = STRING_RUN.match(text, at)
        end = run.end() if run else at
        if end > at:
            self._pieces.append(text[at:end])
        if end == len(text):
            return end
        if text[end] == "\\":
            return self._read_escape(text, end)
        if self._in_key:
            self._in_key = False
            self._key = "".join(self._pieces)
            self._pieces.clear()
            self._state = COLON
        else:
            self._show_string()
            self._after_value()
        return end + 1

    def _read_escape(self, text: str, at: int) -> int:
        match = ESCAPE.match(text, at)
        if match is None:
            begun = ESCAPE_BEGUN.match(text, at)
            end = begun.end() if begun else at
            if end == len(text):
                return self._hold(text, at)
            return self._fail(self._read + at, f"bad escape {text[at : end + 1]!r}")
        end = match.end()
        if match[1]:
            self._pieces.append(ESCAPED[match[1]])
            return end
        code = int(match[2], 16)
        if 0xD800 <= code < 0xDC00:  # the first half of a pair: nothing can be said of it before what follows
            low = ESCAPE.match(text, end)
            if low is None and (end == len(text) or ESCAPE_BEGUN.fullmatch(text, end)):
                return self._hold(text, at)
            if low and low[2] and 0xDC00 <= int(low[2], 16) < 0xE000:
                code = 0x10000 + (code - 0xD800 << 10) + int(low[2], 16) - 0xDC00
                end = low.end()
        self._pieces.append("\ufffd" if 0xD800 <= code < 0xE000 else chr(code))
        return end

    def _hold(self, text: str, at: int) -> int:
        self._held = text[at:]
        return len(text)

    def _read_number(self, text: str, at: int) -> int:
        run = NUMBER_RUN.match(text, at)
        end = run.end() if run else at
        self._pieces.append(text[at:end])
        if end == len(text):
            return end
        self._end_number()
        return end if self.error is None else STOP

    def _end_number(self) -> None:
        token = "".join(self._pieces)
        self._pieces.clear()
        form = NUMBER_FORM.fullmatch(token)
        if form is None and token != "-Infinity":
            self._fail(self._token_at, f"not a number: {token[:EXCERPT]!r}")
            return
        value: int | float | None = None
        if form and (form[1] or form[2]):
            value = float(token)
            value = value if math.isfinite(value) else None
        elif form:
            try:
                value = int(token)
            except ValueError:  # sys.set_int_max_str_digits
                self._fail(self._token_at, f"an integer of {len(token)} digits, too many to read")
                return
        self._place_value(value)
        self._after_value()

    def _read_word(self, text: str, at: int) -> int:
        word, value = WORDS[text[at]]
        if text.startswith(word, at):
            self._place_value(value)
            self._after_value()
            return at + len(word)
        same = len(commonprefix((word, text[at : at + len(word)])))
        if at + same == len(text):
            return self._hold(text, at)
        return self._fail(self._read + at + same, f"expected {word!r}, found {text[at : at + same + 1]!r}")

    def _place_value(self, value: Any) -> None:
        """Put a value that begins here where it belongs."""
        if type(self._place) is dict or self._place is self._root:
            self._place[self._key] = value
        else:
            self._key = len(self._place)
            self._place.append(value)

    def _show_string(self) -> None:
        """Join what came of the open string onto its place."""
        place, key = self._place, self._key
        text = place[key]
        place[key] = ""  # leaves `text` as the only reference, so that CPython extends it where it is
        text += "".join(self._pieces)
        place[key] = text
        self._pieces.clear()

    def _open_container(self, container: Any, at: int) -> int:
        if len(self._open) == self._max_depth:
            return self._fail(self._read + at, f"nested more than {self._max_depth} deep")
        self._place_value(container)
        self._open.append((self._place, self._key))
        self._place = container
        self._state = FIRST_KEY if type(container) is dict else FIRST_ITEM
        return at + 1

    def _close(self) -> None:
        self._place, self._key = self._open.pop()
        self._after_value()

    def _after_value(self) -> None:
        self.complete = not self._open
        self._state = COMMA if self._open else END

    def _whereabouts(self) -> str:
        if self._state == STRING:
            return "inside a key" if self._in_key else "inside a string"
        if self._held:
            return "inside a word"
        if not self._open:
            return "before a value"
        return "inside an object" if type(self._place) is dict else "inside an array"

    def _fail(self, position: int, reason: str) -> int:
        self.error = SyntaxFault(position, reason)
        return STOP
