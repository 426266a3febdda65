"""What networks, proxies and servers do to a body, done on purpose.

Each function takes a real body and says what must become of it. `framing` is the body's: `sse`, `ndjson` (or
`json-lines`), `json-array`, `nul` or `aws-eventstream`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from streamkit.errors import ConfigError
from streamkit.testing.event_stream import event_message, payload_of, split_messages, with_headers, with_payload
from streamkit.wire.json_array import JSONArrayDecoder

__all__ = [
    "HARMLESS",
    "HARMLESS_ELEMENTS",
    "HARMLESS_LINES",
    "HARMLESS_MESSAGES",
    "HARMLESS_OBJECTS",
    "bare_cr",
    "bom",
    "corrupt_frame",
    "crlf",
    "fail",
    "heartbeats",
    "ids",
    "many_data_lines",
    "no_last_blank_line",
    "no_space",
    "rewrite",
    "split_frames",
    "truncations",
    "unknown_event",
]

# An event that no dialect has; anthropic and openai-responses tell events apart by either of the two names.
UNKNOWN = b'event: streamkit.unheard_of\ndata: {"type":"streamkit.unheard_of","n":1}\n\n'

# The same in a framing without names.
UNKNOWN_LINE = b'{"type":"streamkit.unheard_of","n":1}\n'

# The same as an object that ends with NUL.
UNKNOWN_OBJECT = UNKNOWN_LINE[:-1] + b"\0"

# The same as the second element of an array.
UNKNOWN_ELEMENT = b"," + UNKNOWN_LINE

# The same in binary messages.
UNKNOWN_MESSAGE = event_message("streamkit.unheard_of", b'{"type":"streamkit.unheard_of","n":1}')

# A header of each of the ten types of values but the string, which all others are.
ODD_HEADERS = (
    b"\x01a\x00\x01b\x01\x01c\x02\xff\x01d\x03\x00\x01\x01e\x04\x00\x00\x00\x01\x01f\x05\x00\x00\x00\x00\x00\x00\x00\x01"
    b"\x01g\x06\x00\x02\xff\x00\x01h\x08\x00\x00\x01\x9a\x00\x00\x00\x00\x01i\x09" + bytes(range(16))
)

_LINES = ("ndjson", "json-lines")

_ARRAY = "json-array"
_NUL = "nul"
_BINARY = "aws-eventstream"
_BEATS = {"ndjson": b"\n", "json-lines": b"\n", _ARRAY: b"\n", _NUL: b"\0", _BINARY: event_message("chunk", b"{}")}
_UNKNOWNS = {
    "ndjson": UNKNOWN_LINE,
    "json-lines": UNKNOWN_LINE,
    _ARRAY: UNKNOWN_ELEMENT,
    _NUL: UNKNOWN_OBJECT,
    _BINARY: UNKNOWN_MESSAGE,
}

_BLANK = re.compile(rb"\r\n\r\n|\n\n|\r\r(?!\n)")


def split_frames(body: bytes, framing: str = "sse") -> list[bytes]:
    """Return the frames with their ends, which joined are the body."""
    if framing == _BINARY:
        return split_messages(body)
    if framing in _LINES:
        return body.splitlines(keepends=True)
    if framing == _ARRAY:
        return _by_element(body)
    if framing == _NUL:
        return re.findall(rb"[^\0]*\0|[^\0]+\Z", body)
    if framing != "sse":
        known = "sse, ndjson, json-array, nul, aws-eventstream"
        raise ConfigError(f"bodies in the framing {framing!r} cannot be split; known are {known}")
    ends = [match.end() for match in _BLANK.finditer(body)]
    if not ends or ends[-1] != len(body):
        ends.append(len(body))
    return [body[a:b] for a, b in zip([0, *ends], ends, strict=False) if b > a]


def truncations(body: bytes, framing: str = "sse") -> list[bytes]:
    """Return the body cut before each of its frames.

    Each is `TruncatedStream` with what the frames say as `partial`, unless they end the answer already (only usage or
    an end sentinel is missing).
    """
    frames = split_frames(body, framing)
    return [b"".join(frames[:count]) for count in range(len(frames))]


def crlf(body: bytes) -> bytes:
    """End each line by CRLF: nothing changes."""
    return re.sub(rb"\r\n|\n|\r", b"\r\n", body)


def bare_cr(body: bytes) -> bytes:
    """End each line by CR alone, which SSE allows: nothing changes. Not for `ndjson`."""
    return re.sub(rb"\r\n|\n|\r", b"\r", body)


def bom(body: bytes) -> bytes:
    """Put a byte order mark before the first byte: nothing changes."""
    return b"\xef\xbb\xbf" + body


def heartbeats(body: bytes, beat: bytes | None = None, framing: str = "sse") -> bytes:
    """Put `beat` before each frame and after the last: nothing changes but the count of heartbeats.

    Beats that are sent: a comment (the default), a bare `:`, blank lines (the default of `ndjson`; in `json-array`
    they are not counted), an Anthropic `ping` event, an empty chunk (the default of `aws-eventstream`).
    """
    if beat is None:
        beat = _BEATS.get(framing, b": keep-alive\n\n")
    return beat + b"".join(frame + beat for frame in split_frames(body, framing))


def unknown_event(body: bytes, frame: bytes | None = None, framing: str = "sse", at: int = 1) -> bytes:
    """Put an event that nobody knows before frame number `at`: one `UnknownFrame` more, the same message."""
    frames = split_frames(body, framing)
    frames.insert(at, _UNKNOWNS.get(framing, UNKNOWN) if frame is None else frame)
    return b"".join(frames)


def corrupt_frame(body: bytes, at: int, framing: str = "sse") -> bytes:
    """Cut the JSON of frame number `at` short: `ProtocolError` with the frame, `partial` what went before.

    Raises `ConfigError` where that frame holds no JSON object.
    """
    frames = split_frames(body, framing)
    if framing == _BINARY:
        frames[at] = with_payload(frames[at], payload_of(frames[at])[:-1])
        return b"".join(frames)
    whole = frames[at].rstrip(b"\r\n\0")
    if not whole.endswith(b"}"):
        raise ConfigError(f"frame {at} holds no JSON object that could be cut short: {frames[at][:80]!r}")
    frames[at] = whole[:-1] + frames[at][len(whole) :]
    return b"".join(frames)


def rewrite(body: bytes, change: Callable[[bytes], bytes], framing: str = "sse") -> bytes:
    """Change the text of the body; of binary messages, the payload of each, which are then framed anew."""
    if framing != _BINARY:
        return change(body)
    return b"".join(with_payload(each, change(payload_of(each))) for each in split_messages(body))


def fail(body: bytes, at: int, frame: bytes, framing: str = "sse") -> bytes:
    """Keep the first `at` frames and end with `frame`, a provider's error: `APIError`, `partial` what went before."""
    return b"".join(split_frames(body, framing)[:at]) + frame


def ids(body: bytes) -> bytes:
    """Give each event an `id:` and a `retry:`, and a comment after it: nothing changes. SSE only."""
    frames = split_frames(body)
    return b"".join(b"id: %d\nretry: 3000\n%s: c\n\n" % (at, frame) for at, frame in enumerate(frames))


def no_space(body: bytes) -> bytes:
    """Leave out the space after the field name, as some servers do: nothing changes. SSE only."""
    return re.sub(rb"(?m)^(data|event): ", rb"\1:", body)


def many_data_lines(body: bytes) -> bytes:
    """Spread each JSON object over two `data:` lines, cut after its opening brace: nothing changes. SSE only."""
    return re.sub(rb"(?m)^(data: ?)\{", rb"\1{\n\1", body)


def no_last_blank_line(body: bytes) -> bytes:
    """Leave out the blank line after the last event, as some servers do: nothing changes."""
    return body.rstrip(b"\r\n") + b"\n"


# What must change nothing in the deltas of an SSE body, by name.
HARMLESS: dict[str, Callable[[bytes], bytes]] = {
    "crlf": crlf,
    "bare-cr": bare_cr,
    "bom": bom,
    "comments": heartbeats,
    "bare-colons": lambda body: heartbeats(body, b":\n\n"),
    "blank-lines": lambda body: heartbeats(body, b"\n\n"),
    "ids": ids,
    "no-space": no_space,
    "many-data-lines": many_data_lines,
    "no-last-blank-line": no_last_blank_line,
}

# The same for `ndjson`.
HARMLESS_LINES: dict[str, Callable[[bytes], bytes]] = {
    "crlf": crlf,
    "bom": bom,
    "blank-lines": lambda body: heartbeats(body, framing="ndjson"),
    "no-last-line-end": lambda body: body.rstrip(b"\r\n"),
}

# The same for `json-array`.
HARMLESS_ELEMENTS: dict[str, Callable[[bytes], bytes]] = {
    "crlf": crlf,
    "bom": bom,
    "blank-lines": lambda body: heartbeats(body, framing=_ARRAY),
}

# The same for `nul`.
HARMLESS_OBJECTS: dict[str, Callable[[bytes], bytes]] = {
    "bom": bom,
    "empty-objects": lambda body: heartbeats(body, framing=_NUL),
    "line-ends": lambda body: b"\n".join(split_frames(body, _NUL)),
    "no-last-end": lambda body: body.rstrip(b"\0"),
}

# The same for `aws-eventstream`.
HARMLESS_MESSAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty-chunks": lambda body: heartbeats(body, framing=_BINARY),
    "padding": lambda body: rewrite(body, lambda payload: payload.replace(b'"p":"', b'"p":"0123456789'), _BINARY),
    "odd-headers": lambda body: b"".join(with_headers(each, ODD_HEADERS) for each in split_messages(body)),
}


def _by_element(body: bytes) -> list[bytes]:
    """Split behind each element of a JSON array; what follows the last one, its bracket, is a frame of its own."""
    decoder = JSONArrayDecoder(len(body) + 1)
    ends = [at + 1 for at in range(len(body)) if decoder.feed(body[at : at + 1])]
    return [body[a:b] for a, b in zip([0, *ends], [*ends, len(body)], strict=True) if b > a]
