"""What every framing gives: frames, by one kind of decoder."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from streamkit.errors import ConfigError, StreamkitError
from streamkit.limits import Limits

__all__ = ["Decoder", "Frame", "Framing", "new_decoder"]

Framing: TypeAlias = Literal["sse", "ndjson", "json-lines", "json-array", "aws-eventstream"]


class Frame(Struct, gc=False):
    """One event of a stream: its data, never empty, and its name, empty where it has none."""

    data: bytes
    event: str = ""


class Decoder(Protocol):
    """Bytes in any cut → frames.

    `feed` returns the frames that are complete by now. At bad input it returns those before it, sets `error`, and
    the next call raises it; so does `finish`, which returns what the end of input completes. `heartbeats` counts
    what came only to keep the connection alive.
    """

    error: StreamkitError | None
    heartbeats: int

    def feed(self, data: bytes) -> list[Frame]: ...

    def finish(self) -> list[Frame]: ...


def new_decoder(framing: str, limits: Limits) -> Decoder:
    """Return a fresh decoder for `framing`; raises `ConfigError` for an unknown one."""
    if framing == "sse":
        from streamkit.wire.sse import SSEDecoder

        return SSEDecoder(limits.max_event_bytes)
    if framing in ("ndjson", "json-lines"):
        from streamkit.wire.ndjson import NDJSONDecoder

        return NDJSONDecoder(limits.max_event_bytes)
    if framing == "json-array":
        from streamkit.wire.json_array import JSONArrayDecoder

        return JSONArrayDecoder(limits.max_event_bytes)
    if framing == "aws-eventstream":
        from streamkit.wire.aws import EventStreamDecoder

        return EventStreamDecoder(limits.max_event_bytes)
    raise ConfigError(f"unknown framing {framing!r}; known are sse, ndjson, json-lines, json-array, aws-eventstream")
