"""Prompts that a server puts in front of the answer."""

from __future__ import annotations

from os.path import commonprefix

__all__ = ["Echo"]


class Echo:
    """Takes the prompt off the texts of one choice, each of which begins with it.

    How long it is there, the first text tells: a server may have dropped special tokens, and then it is what the
    prompt and that text have in common. Where the prompt comes again in the answer, it stays.
    """

    def __init__(self, prompt: str | None) -> None:
        self._prompt = prompt
        self._size = 0 if prompt is None else -1  # characters; -1 until the first text

    def strip(self, text: str) -> str:
        """Return `text` without the prompt."""
        if self._size < 0 and self._prompt is not None:
            echoed = text.startswith(self._prompt)
            self._size = len(self._prompt) if echoed else len(commonprefix([self._prompt, text]))
        return text[self._size :] if self._size else text
