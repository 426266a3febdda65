"""What was said, in the form that the conventions give it, where it is to be recorded at all.

https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-input-messages.json, and -output-messages.json beside it;
checked 2026-11-30.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from streamkit.errors import ConfigError
from streamkit.messages import Message, MessageOutput
from streamkit.params import encode_json
from streamkit.parts import FunctionPart, ImagePart, ImageUrl, TextPart, ValuePart

__all__ = ["FINISH", "VARIABLE", "Content", "as_text", "content_of", "said", "told"]

logger = logging.getLogger("streamkit")

VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

# The conventions' words for why an answer ended; `other` keeps the provider's own.
FINISH = {"tool_call": "tool_call", "refusal": "content_filter", "aborted": "error"}


class Content(NamedTuple):
    """Where content is recorded."""

    span: bool
    event: bool


_CHOICES = {
    "none": Content(False, False),
    "span": Content(True, False),
    "event": Content(False, True),
    "both": Content(True, True),
}
# By opentelemetry-util-genai 1.3b0.
_WORDS = {"no_content": "none", "span_only": "span", "event_only": "event", "span_and_event": "both"}


def content_of(asked: str | None) -> Content:
    """Return where content goes: as asked, else by the environment, where an unknown word is logged and means none."""
    if asked is not None:
        if asked not in _CHOICES:
            raise ConfigError(f"content is one of {', '.join(_CHOICES)}, not {asked!r}")
        return _CHOICES[asked]
    word = os.environ.get(VARIABLE, "").strip().lower()
    if word and word not in _WORDS:
        logger.warning("%s is one of %s: no content is recorded", VARIABLE, ", ".join(_WORDS).upper())
    return _CHOICES[_WORDS.get(word, "none")]


def told(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return what the model was told."""
    return [{"role": message.role, "parts": _parts(message)} for message in messages]


def said(outputs: Iterable[MessageOutput], reasons: Iterable[str]) -> list[dict[str, Any]]:
    """Return what the model said, one message a choice, each with why it ended."""
    return [
        {"role": "assistant", "parts": _parts(output.message), "finish_reason": reason}
        for output, reason in zip(outputs, reasons, strict=True)
    ]


def as_text(value: Any) -> str:
    """Return a value as JSON text, since attributes of spans take no structure."""
    return encode_json(value).decode()


def _parts(message: Message) -> list[dict[str, Any]]:
    parts = [_part(part) for part in message.contents]
    if message.role == "tool":
        values = [part.value for part in message.contents if isinstance(part, ValuePart)]
        response = values[0] if len(values) == len(parts) == 1 else parts
        return [{"type": "tool_call_response", "id": message.id, "response": msgspec.to_builtins(response)}]
    thinking = [{"type": "reasoning", "content": message.thinking}] if message.thinking else []
    return [*thinking, *parts, *(_part(call) for call in message.tool_calls or [])]


def _part(part: Any) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return {"type": "text", "content": part.text}
    if isinstance(part, FunctionPart):
        arguments = part.function.arguments if part.raw_arguments is None else part.raw_arguments
        return {"type": "tool_call", "id": part.id, "name": part.function.name, "arguments": arguments}
    if isinstance(part, ImagePart):
        if isinstance(part.image, ImageUrl) and not part.image.url.startswith("data:"):
            return {"type": "uri", "modality": "image", "uri": part.image.url}
        return {"type": "image"}  # its bytes are no matter of a trace
    return {name: value for name, value in msgspec.to_builtins(part).items() if name != "data"}
