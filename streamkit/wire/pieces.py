"""Bytes that come in pieces and are wanted whole."""

from __future__ import annotations

__all__ = ["Pieces"]

# A piece costs some forty bytes beside its own; this many are joined into one before they add up.
LOOSE_PIECES = 1024


class Pieces:
    """Keeps pieces of bytes until they are taken as one.

    Each byte is copied twice at most, however small the pieces; `size` is the sum of their lengths, in bytes.
    """

    __slots__ = ("_joined", "_loose", "size")

    def __init__(self) -> None:
        self.size = 0
        self._joined: list[bytes] = []
        self._loose: list[bytes] = []

    def add(self, piece: bytes) -> None:
        """Keep one more piece."""
        self.size += len(piece)
        self._loose.append(piece)
        if len(self._loose) >= LOOSE_PIECES:
            self._joined.append(b"".join(self._loose))
            self._loose.clear()

    def take(self) -> bytes:
        """Return all of it, and keep nothing."""
        whole = b"".join(self._joined + self._loose)
        self.clear()
        return whole

    def clear(self) -> None:
        """Keep nothing."""
        self.size = 0
        self._joined.clear()
        self._loose.clear()
