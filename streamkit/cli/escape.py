"""Text off the wire made safe to show: no control sequence reaches the terminal, and none is hidden.

A model can be talked into writing terminal escapes: those set the clipboard, rewrite lines that were shown, or hide
an address behind a link (OSC 8). One character decides each time, so it does not matter how deltas cut the text.
"""

from __future__ import annotations

import re

__all__ = ["escape_json", "visible"]

_C0 = (*range(0x09), *range(0x0B, 0x20))  # all but tab and newline
_DEL = 0x7F
_C1 = range(0x80, 0xA0)  # U+009B alone starts a sequence, as ESC [ does
_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))  # embeddings, overrides, isolates: they reorder what is read
_SURROGATES = range(0xD800, 0xE000)  # no encoding for output takes them

# As escapes, not as Unicode's pictures of them, which many a terminal's font lacks.
_TABLE: dict[int, str] = {
    **{code: f"\\x{code:02x}" for code in (*_C0, _DEL, *_C1)},
    **{code: f"\\u{code:04x}" for code in _BIDI},
    **dict.fromkeys(_SURROGATES, "\ufffd"),
}
_IN_JSON = re.compile(f"[\x7f{chr(_C1[0])}-{chr(_C1[-1])}{''.join(map(chr, _BIDI))}]")


def visible(text: str) -> str:
    """Return `text` with C0 but newline and tab, DEL, C1 and bidirectional controls as escapes."""
    return text if text.isprintable() else text.translate(_TABLE)


def escape_json(text: str) -> str:
    """Return JSON `text` with the same characters as escapes, so that it is safe to show and means the same.

    JSON itself escapes C0.
    """
    return _IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
