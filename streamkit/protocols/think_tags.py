"""Thinking that comes as `<think>…</think>` inside the text.

Raw open-weight hosts send it so (vLLM, SGLang, llama.cpp and Ollama without a reasoning parser, Perplexity; checked
2026-11-29). A tag may be cut anywhere, and with templates that end in `<think>` the opening one never comes.
"""

from __future__ import annotations

from streamkit.protocols.writer import Kind

__all__ = ["ThinkTags"]

_OPEN = "<think>"
_CLOSE = "</think>"


class ThinkTags:
    """Text in any cut → pieces of thinking and of text, without the tags.

    `inside` says that the answer starts inside the thinking; an opening tag that comes all the same is dropped.
    Only what may still become a tag is held back.
    """

    def __init__(self, *, inside: bool = False) -> None:
        self._inside = inside
        self._at_start = inside
        self._held = ""

    @property
    def holds(self) -> bool:
        """Whether something is held back."""
        return self._held != ""

    def feed(self, text: str) -> list[tuple[Kind, str]]:
        """Return the pieces that are certain by now, each with its kind."""
        out: list[tuple[Kind, str]] = []
        text = self._held + text
        self._held = ""
        if self._at_start:
            start = text.lstrip()
            if start != text:
                out.append(("thinking", text[: len(text) - len(start)]))
            if start != _OPEN and _OPEN.startswith(start):
                self._held = start
                return out
            self._at_start = False
            text = start.removeprefix(_OPEN)
        while True:
            tag = _CLOSE if self._inside else _OPEN
            before, found, after = text.partition(tag)
            if not found:
                # A tag has one "<", its first character: what may become one starts at the last of the text.
                at = text.rfind("<", max(len(text) - len(tag) + 1, 0))
                if at >= 0 and tag.startswith(text[at:]):
                    before, self._held = text[:at], text[at:]
            if before:
                out.append(("thinking" if self._inside else "text", before))
            if not found:
                return out
            self._inside = not self._inside
            text = after

    def finish(self) -> list[tuple[Kind, str]]:
        """Return what was held back: it has not become a tag."""
        held, self._held, self._at_start = self._held, "", False
        return [("thinking" if self._inside else "text", held)] if held else []
