"""The content of DashScope's messages, which names its parts by their fields → that of chat completions."""

from __future__ import annotations

from typing import Any

from streamkit.protocols.openai_chat.views import Delta

__all__ = ["Contents"]


class Contents:
    """The parts of one choice's messages, record by record.

    Text is `{"text": …}`, an image `{"image": address}`, sound `{"audio": {"data": …}}`. Where records hold all so
    far, texts are one and other parts count once each.
    """

    def __init__(self, *, cumulative: bool) -> None:
        self._cumulative = cumulative
        self._seen = 0  # how many parts that are no text have come

    def read(self, message: Delta) -> None:
        """Change the content of `message` into a form that chat completions know."""
        content = message.content
        if not isinstance(content, list):
            return
        parts: list[Any] = []
        others = 0
        for part in content:
            text = _text(part)
            if text is None:
                others += 1
                if not self._cumulative or others > self._seen:
                    self._add(part, parts, message)
            elif self._cumulative and parts and isinstance(parts[0], str):
                parts[0] += text
            elif self._cumulative:
                parts.insert(0, text)
            else:
                parts.append(text)
        self._seen = max(self._seen, others)
        message.content = parts

    @staticmethod
    def _add(part: Any, parts: list[Any], message: Delta) -> None:
        image = part.get("image") if isinstance(part, dict) else None
        audio = part.get("audio") if isinstance(part, dict) else None
        if isinstance(image, str):
            parts.append({"type": "image_url", "image_url": {"url": image}})
        elif isinstance(audio, dict):
            message.audio = audio
        else:
            parts.append(part)


def _text(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else None
