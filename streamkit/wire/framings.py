"""The framings by name, and the decoder of each."""

from __future__ import annotations

from importlib import import_module

from streamkit.errors import ConfigError
from streamkit.limits import Limits
from streamkit.wire.frames import Decoder

__all__ = ["FRAMINGS", "new_decoder"]

# The module and the class of each, loaded on first use.
FRAMINGS = {
    "sse": ("sse", "SSEDecoder"),
    "ndjson": ("ndjson", "NDJSONDecoder"),
    "json-lines": ("ndjson", "NDJSONDecoder"),
    "json-array": ("json_array", "JSONArrayDecoder"),
    "nul": ("nul", "NulDecoder"),
    "aws-eventstream": ("aws", "EventStreamDecoder"),
}


def new_decoder(framing: str, limits: Limits) -> Decoder:
    """Return a fresh decoder for `framing`; raises `ConfigError` for an unknown one."""
    if framing not in FRAMINGS:
        raise ConfigError(f"unknown framing {framing!r}; known are {', '.join(FRAMINGS)}")
    module, name = FRAMINGS[framing]
    decoder: Decoder = getattr(import_module(f"streamkit.wire.{module}"), name)(limits.max_event_bytes)
    return decoder
