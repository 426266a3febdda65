"""The text in an output of a Gradio app, be it of a text box or of a chat.

Facts: an app of gradio 6.31.0, and https://www.gradio.app/docs/gradio/chatbot for the forms of older ones, checked
2026-11-30.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ProtocolError

__all__ = ["output_text"]

# Where an object keeps its text: a message of a chat, a part of one or a multimodal text box, an update.
_TEXT_FIELDS = ("content", "text", "value")


def output_text(value: Any) -> str:
    """Return the text of an output: of a chat's history, that of the assistant's message if it is the last.

    Nothing (null) is "". Raises `ProtocolError` where the output is of a kind that holds no text.
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list):
        return _history_text(value)
    if isinstance(value, dict):
        for name in _TEXT_FIELDS:
            if name in value:
                return _content_text(value[name])
    raise ProtocolError(f"the output holds no text but {repr(value)[:100]}: name another one with output=")


def _history_text(history: list[Any]) -> str:
    last = history[-1] if history else None
    if isinstance(last, dict):
        return _content_text(last.get("content")) if last.get("role") == "assistant" else ""
    if isinstance(last, list) and len(last) == 2:  # of older apps: what was asked and answered
        return _content_text(last[1])
    if last is None:
        return ""
    raise ProtocolError(f"the output is no history of a chat: its last item is {repr(last)[:100]}")


def _content_text(content: Any) -> str:
    """The text of a message: as it is, of an object, or of a list of parts, of which others hold none."""
    if isinstance(content, list):
        return "".join(map(_content_text, content))
    if isinstance(content, dict):
        content = content.get("text")
    return content if isinstance(content, str) else ""
