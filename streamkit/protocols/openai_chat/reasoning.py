"""Reasoning in OpenAI's dialect: the text, and what the provider wants back with it.

OpenRouter and MiniMax send `reasoning_details`, a list of typed objects, beside or in place of the text, in pieces like
the text. They must be sent back as they were, whole (https://openrouter.ai/docs/use-cases/reasoning-tokens, checked
2026-11-29).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streamkit.protocols.lenient import rejoin
from streamkit.protocols.openai_chat.views import Delta

__all__ = ["ReasoningDetails", "detail_text", "details_text", "reasoning_text"]

# Where a detail keeps its text, by what it is: `reasoning.text` and `reasoning.summary`.
_TEXT_FIELDS = ("text", "summary")


def reasoning_text(delta: Delta) -> str:
    """Return the reasoning of a chunk, "" where it has none.

    Servers that send two fields send the same text twice, so only the first that is not empty counts.
    """
    text = delta.reasoning_content or delta.reasoning or delta.reasoning_text
    return text if isinstance(text, str) else ""


def details_text(details: list[dict[str, Any]]) -> str:
    """Return the text in `reasoning_details`."""
    return "".join(detail_text(detail) or "" for detail in details)


def detail_text(detail: dict[str, Any]) -> str | None:
    """Return the text of one of them, None where it is of a kind that has none."""
    return next((text for name in _TEXT_FIELDS if isinstance(text := detail.get(name), str)), None)


class ReasoningDetails:
    """The `reasoning_details` of one block of thinking, put together from their pieces."""

    def __init__(self, *, cumulative: bool = False) -> None:
        """`cumulative` says that a piece holds all of its text so far."""
        self._cumulative = cumulative
        self._items: list[_Detail] = []
        self._growing: dict[Any, _Detail] = {}  # by type and index: what the next piece may belong to
        self._given: set[str] = set()  # the signatures and encrypted data of all blocks so far

    def brings_secret(self, details: list[dict[str, Any]]) -> bool:
        """Whether `details` hold a signature or encrypted data that has not come before."""
        return any(secret not in self._given for detail in details for secret in _secrets(detail))

    def add(self, details: list[dict[str, Any]], texts: Sequence[str | None]) -> None:
        """Take in the details of one chunk; `texts` are theirs, which may hold halves of surrogate pairs."""
        for detail, text in zip(details, texts, strict=True):
            self._given.update(_secrets(detail))
            key = (str(detail.get("type")), str(detail.get("index")))
            item = self._growing.get(key)
            if item is None or not item.takes(detail):
                item = self._growing[key] = _Detail()
                self._items.append(item)
            item.add(detail, text, self._cumulative)

    def take(self) -> list[dict[str, Any]]:
        """Return the details of the block, which ends here."""
        items, self._items = self._items, []
        self._growing.clear()
        return [item.whole() for item in items]


class _Detail:
    """One detail while it grows."""

    __slots__ = ("fields", "pieces")

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.pieces: list[str] = []

    def takes(self, detail: dict[str, Any]) -> bool:
        """Whether `detail` is a further piece of this one: two with data of their own are two."""
        if "data" in detail or "data" in self.fields:
            return False
        ids = self.fields.get("id"), detail.get("id")
        return None in ids or ids[0] == ids[1]

    def add(self, detail: dict[str, Any], text: str | None, cumulative: bool) -> None:
        for name, value in detail.items():
            if value is not None or name not in self.fields:
                self.fields[name] = value
        if text:
            if cumulative:
                self.pieces.clear()
            self.pieces.append(text)

    def whole(self) -> dict[str, Any]:
        for name in _TEXT_FIELDS:
            if isinstance(self.fields.get(name), str):
                self.fields[name] = rejoin("".join(self.pieces))
                break
        return self.fields


def _secrets(detail: dict[str, Any]) -> list[str]:
    return [secret for name in ("signature", "data") if (secret := detail.get(name)) and isinstance(secret, str)]
