"""What goes wrong on the way from a provider, byte by byte: responses that no healthy server would send.

    ReplayServer([wires.error(529), wires.reset(answer, after=200), answer])

A `Wire` is what is written to the connection, with its pauses, and how it ends; a `ReplayServer` takes one wherever it
takes an answer. `after` counts bytes of the body, from its end where it is negative.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from random import Random
from typing import Literal, TypeAlias, Union

from msgspec import Struct

from streamkit.testing.answers import Answer
from streamkit.testing.mutations import split_frames
from streamkit.testing.scripts import framing_of, render

__all__ = [
    "Body",
    "Pause",
    "Wire",
    "close",
    "compressed",
    "endless",
    "error",
    "heartbeats",
    "linger",
    "reset",
    "scheduled",
    "split",
    "stall",
    "trickle",
    "unanswered",
    "wrong_length",
]

Body: TypeAlias = Union[bytes, Answer]

_PING = b": ping\n\n"
_HEAD = {"content-type": "text/event-stream; charset=utf-8"}


class Pause(Struct, frozen=True):
    """Nothing is written for so many seconds."""

    seconds: float


class Wire(Struct, frozen=True, kw_only=True):
    """What is written to the connection after a request, the head of the response included, and what then happens.

    `ends`: `keeps` waits for the next request, `closes` and `resets` the connection, `hangs` until the client leaves,
    `repeats` the last `steps` from number `loop` on, for ever.
    """

    steps: list[bytes | Pause]
    ends: Literal["keeps", "closes", "resets", "hangs", "repeats"] = "keeps"
    loop: int = 0


def split(body: Body, at: Iterable[int], *, pause_s: float = 0.0, protocol: str = "openai-chat") -> Wire:
    """Cut the body at these bytes, in one write each, with a pause between; all of it arrives."""
    data = _bytes(body, protocol)
    marks = [0, *sorted({place for place in at if 0 < place < len(data)}), len(data)]
    pieces = [data[start:end] for start, end in zip(marks, marks[1:], strict=False)]
    return Wire(steps=[_head(), *_paced(pieces, pause_s), _LAST])


def trickle(body: Body, *, size: int = 1, pause_s: float = 0.001, protocol: str = "openai-chat") -> Wire:
    """Write the body `size` bytes at a time, with a pause after each."""
    data = _bytes(body, protocol)
    return split(data, range(size, len(data), size), pause_s=pause_s)


def heartbeats(
    body: Body, *, count: int, every_s: float, after: int | None = None, protocol: str = "openai-chat"
) -> Wire:
    """Write `count` comments of an event stream, one every `every_s` seconds, between two frames of the body.

    They come after the first frame that ends at byte `after` or later, before all where it is None.
    """
    data = _bytes(body, protocol)
    at, frames = 0, split_frames(data)
    while after is not None and at < len(data) and at < _place(data, after):
        at += len(frames.pop(0))
    beats = [step for _ in range(count) for step in (_chunk(_PING), Pause(every_s))]
    return Wire(steps=[_head(), *_chunks(data[:at]), *beats, *_chunks(data[at:]), _LAST])


def stall(body: Body, *, after: int, for_s: float | None = None, protocol: str = "openai-chat") -> Wire:
    """Fall silent after so many bytes: for some seconds, or (None) for good."""
    data = _bytes(body, protocol)
    at = _place(data, after)
    if for_s is None:
        return Wire(steps=[_head(), *_chunks(data[:at])], ends="hangs")
    return Wire(steps=[_head(), *_chunks(data[:at]), Pause(for_s), *_chunks(data[at:]), _LAST])


def close(body: Body, *, after: int, whole: bool = False, protocol: str = "openai-chat") -> Wire:
    """Close the connection after so many bytes; with `whole` as if the body ended there, as proxies do it."""
    data = _bytes(body, protocol)
    steps: list[bytes | Pause] = [_head(), *_chunks(data[: _place(data, after)])]
    return Wire(steps=[*steps, _LAST] if whole else steps, ends="closes")


def reset(body: Body, *, after: int, protocol: str = "openai-chat") -> Wire:
    """Reset the connection after so many bytes."""
    data = _bytes(body, protocol)
    return Wire(steps=[_head(), *_chunks(data[: _place(data, after)])], ends="resets")


def unanswered(ends: Literal["closes", "resets", "hangs"] = "closes") -> Wire:
    """Take the request and answer nothing."""
    return Wire(steps=[], ends=ends)


def error(status: int, body: bytes = b"", *, headers: Mapping[str, str] = {}) -> Wire:
    """Answer with a status and no reason phrase, as 529 has none."""
    return Wire(steps=[_head(status, {"content-type": "application/json", **headers}, len(body)), body])


def wrong_length(body: Body, *, by: int, protocol: str = "openai-chat") -> Wire:
    """Announce a body that is longer (`by` > 0) or shorter than what is written, then close."""
    data = _bytes(body, protocol)
    return Wire(steps=[_head(length=len(data) + by), data], ends="closes")


def linger(body: Body, *, protocol: str = "openai-chat") -> Wire:
    """Write all of the answer, and leave the body open."""
    return Wire(steps=[_head(), *_chunks(_bytes(body, protocol))], ends="hangs")


def endless(body: Body = b"", *, piece: bytes = _PING, every_s: float = 0.0, protocol: str = "openai-chat") -> Wire:
    """Write the body, then `piece` again and again until the client leaves."""
    steps: list[bytes | Pause] = [_head(), *_chunks(_bytes(body, protocol))]
    return Wire(steps=[*steps, _chunk(piece), Pause(every_s)], ends="repeats", loop=len(steps))


def compressed(body: Body, *, after: int | None = None, protocol: str = "openai-chat") -> Wire:
    """Write the body in gzip though none was asked for; closed after so many bytes of that, if any."""
    data = gzip.compress(_bytes(body, protocol), mtime=0)
    head = _head(headers={**_HEAD, "content-encoding": "gzip"})
    if after is None:
        return Wire(steps=[head, *_chunks(data), _LAST])
    return Wire(steps=[head, *_chunks(data[: _place(data, after)]), _LAST], ends="closes")


def scheduled(
    body: Body, random: Random, *, longest_s: float = 0.01, stalls: float = 0.0, protocol: str = "openai-chat"
) -> Wire:
    """Draw a schedule: cuts anywhere, pauses, comments between frames, and an end that may be any of them.

    With the chance `stalls` it ends in silence, which only a client with a limit leaves.
    """
    data = _bytes(body, protocol)
    steps: list[bytes | Pause] = [_head()]
    last = random.choice([len(data), random.randrange(len(data) + 1)])
    ends = {frame_end for frame_end in _ends(data, framing_of(protocol)) if frame_end <= last}
    cuts = {random.randrange(1, len(data)) for _ in range(random.randrange(8))}
    marks = sorted({0, last, *(cut for cut in cuts if cut < last)})
    for start, end in zip(marks, marks[1:], strict=False):
        steps += _chunks(data[start:end])
        if end in ends and framing_of(protocol) == "sse" and random.random() < 0.3:
            steps.append(_chunk(_PING))
        if random.random() < 0.3:
            steps.append(Pause(random.uniform(0, longest_s)))
    if random.random() < stalls:
        return Wire(steps=steps, ends="hangs")
    if last == len(data) and random.random() < 0.7:
        return Wire(steps=[*steps, _LAST])
    if random.random() < 0.3:
        return Wire(steps=[*steps, _LAST], ends="closes")
    return Wire(steps=steps, ends=random.choice(["closes", "resets"]))


_LAST = b"0\r\n\r\n"


def _bytes(body: Body, protocol: str) -> bytes:
    return render(body, protocol) if isinstance(body, Answer) else body


def _place(data: bytes, after: int) -> int:
    return max(0, len(data) + after) if after < 0 else min(after, len(data))


def _head(status: int = 200, headers: Mapping[str, str] = _HEAD, length: int | None = None) -> bytes:
    size = f"content-length: {length}" if length is not None else "transfer-encoding: chunked"
    lines = [f"HTTP/1.1 {status} ", *(f"{name}: {value}" for name, value in headers.items()), size]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _chunks(data: bytes) -> list[bytes]:
    return [_chunk(data)] if data else []  # an empty chunk would be the last


def _paced(pieces: list[bytes], pause_s: float) -> list[bytes | Pause]:
    steps: list[bytes | Pause] = []
    for piece in pieces:
        steps += _chunks(piece)
        if pause_s:
            steps.append(Pause(pause_s))
    return steps


def _ends(data: bytes, framing: str) -> list[int]:
    """Where each frame ends."""
    at, out = 0, []
    for frame in split_frames(data, framing):
        at += len(frame)
        out.append(at)
    return out
