"""What is read of the events of an interaction's stream.

Nearly all are a piece of text: those are decoded as `EventView`. All others are decoded as plain data and read by the
functions of `openai_responses.views`. Facts: the types of `google-genai` 3.6.1, those of 1.69.0 for the events of
before May 2026, and recordings of both, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, field

from streamkit.protocols.gemini.views import Counts as GeminiCounts
from streamkit.protocols.openai_responses.views import NO_INDEX

__all__ = [
    "NO_INDEX",
    "Counts",
    "DeltaView",
    "EventView",
    "Metadata",
    "Summary",
    "decode_event",
    "piece_of",
]


class Summary(Struct, gc=False):
    """A piece of the summary of a thought; one without text is an image."""

    type: str = ""
    text: str = ""


class DeltaView(Struct, gc=False):
    """What an event adds to a step, with what a piece of text may stand in."""

    type: str = ""
    text: str = ""
    arguments: str = ""  # an object where a server's tool is called
    content: Summary | None = None
    annotations: Any = None
    signature: Any = None


class Counts(GeminiCounts, gc=False):
    """Gemini's token counts under the names that they have here."""

    prompt_token_count: Any = field(default=None, name="total_input_tokens")
    cached_content_token_count: Any = field(default=None, name="total_cached_tokens")
    candidates_token_count: Any = field(default=None, name="total_output_tokens")
    thoughts_token_count: Any = field(default=None, name="total_thought_tokens")
    tool_use_prompt_token_count: Any = field(default=None, name="total_tool_use_tokens")
    total_token_count: Any = field(default=None, name="total_tokens")


class Metadata(Struct, gc=False):
    """What may accompany a piece: the token counts so far."""

    total_usage: Counts | None = None


class EventView(Struct, gc=False):
    """Any event, with what tells where its piece of text belongs."""

    event_type: str = ""
    index: int = NO_INDEX
    delta: DeltaView | None = None
    event_id: str | None = None
    metadata: Metadata | None = None


decode_event = msgspec.json.Decoder(EventView).decode


def piece_of(delta: DeltaView) -> str:
    """Return the piece of text that is all that a delta says, "" for any other."""
    if delta.annotations is not None or delta.signature is not None:
        return ""
    if delta.type == "text":
        return delta.text
    if delta.type == "arguments_delta":
        return delta.arguments
    return delta.content.text if delta.content is not None and delta.content.type == "text" else ""
