"""What came of a body while no answer was heard in it: at an error that is often more telling than the error."""

from __future__ import annotations

from streamkit.deltas import Delta, RawFrame, UnknownFrame
from streamkit.errors import APIError, ProtocolError, StreamkitError, TruncatedStream
from streamkit.protocols.failures.stray import KEPT_BYTES, read_stray
from streamkit.wire.body import Opening

__all__ = ["Unheard"]

# The framings in which a body of JSON alone may be an event of the stream.
_BARE = frozenset({"ndjson", "json-lines", "json-array", "nul"})
# The deltas that say nothing of an answer.
_NOTHING = (UnknownFrame, RawFrame)


class Unheard:
    """The beginning of a body, and the last frame that nobody knew."""

    def __init__(self, framing: str, provider: str) -> None:
        self._head = bytearray()
        self._odd = ""
        self._is_bare = framing in _BARE
        self._provider = provider

    def listen(self, data: bytes, deltas: list[Delta]) -> bool:
        """Keep `data`, of which `deltas` were made; False once those say something of an answer."""
        if any(type(delta) not in _NOTHING for delta in deltas):
            return False
        self._head += data[: KEPT_BYTES - len(self._head)]
        self._odd = next((delta.raw for delta in reversed(deltas) if type(delta) is UnknownFrame), self._odd)
        return True

    def explain(self, error: StreamkitError) -> APIError | None:
        """Return the provider's or a gateway's error that the body is; None where it is a stream that broke."""
        if isinstance(error, TruncatedStream):
            odd = read_stray(self._odd.encode(), provider=self._provider, is_frame=True)
            return odd or read_stray(bytes(self._head), provider=self._provider, is_frame=self._is_bare)
        if not isinstance(error, ProtocolError) or not error.frame:
            return None
        frame = error.frame if isinstance(error.frame, bytes) else error.frame.encode()
        if not Opening().feed(bytes(self._head)).startswith(frame[:KEPT_BYTES]):
            return None  # an event of the stream
        return read_stray(frame, provider=self._provider, is_frame=True)
