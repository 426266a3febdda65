"""How to install what an optional part of the package needs."""

from __future__ import annotations

__all__ = ["how_to_install"]


def how_to_install(extra: str) -> str:
    """Return the command that brings an extra, in a clone and elsewhere: no package index has this project."""
    return f"pip install '.[{extra}]' in a clone of streamkit, pip install '/path/to/streamkit[{extra}]' elsewhere"
