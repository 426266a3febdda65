"""The names of a server's tools as every provider takes them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from streamkit.errors import ConfigError

__all__ = ["check_prefix", "tool_names"]

# MCP allows 128 characters and dots (https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names,
# checked 2026-11-30), and servers use more; what a `Tool` takes is less.
MAX_NAME = 64
MAX_PREFIX = 32
_OTHER = re.compile(r"[^a-zA-Z0-9_-]")
_DIGITS = 8  # of the hash that tells apart names that came out the same


def check_prefix(prefix: str) -> str:
    """Return `prefix`; raises `ConfigError` where it cannot begin the name of a tool."""
    if _OTHER.search(prefix) or len(prefix) > MAX_PREFIX:
        raise ConfigError(f"{prefix!r} is no prefix: letters, digits, _ and - only, {MAX_PREFIX} at most")
    return prefix


def tool_names(originals: Iterable[str], prefix: str = "") -> dict[str, str]:
    """Return the name of each tool, by the server's own: with `prefix`, and _ for what providers do not take.

    One that is too long, or came out the same as another's, ends in a hash of the server's name, so that what it is
    depends on no order.
    """
    plain = {original: prefix + original for original in originals}
    clean = {original: _OTHER.sub("_", name) for original, name in plain.items()}
    times = Counter(clean.values())
    for original, name in clean.items():
        if not original or len(name) > MAX_NAME or (times[name] > 1 and name != plain[original]):
            tail = sha256(original.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
            clean[original] = f"{name[: MAX_NAME - _DIGITS - 1]}_{tail}"
    return clean
