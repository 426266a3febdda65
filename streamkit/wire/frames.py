"""What every framing gives: frames, by one kind of decoder."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from streamkit.errors import StreamkitError

__all__ = ["Decoder", "Frame"]


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
