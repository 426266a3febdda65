"""The lossless law where a record is not what its dialect says: any value may stand in any place of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from streamkit.deltas import MessageEnd, MessageStart
from streamkit.protocols import get_protocol
from streamkit.testing.answers import Answer, Call, Thinking
from streamkit.testing.event_stream import payload_of, with_payload
from streamkit.testing.mutations import split_frames
from streamkit.testing.outcome import numbered_ids, read_pieces
from streamkit.testing.scripts import PLAIN, RENDERED, framing_of, render

MANY = 600  # replacements a dialect, of some thousands
ANSWER = Answer([Thinking("Let me see."), "It is so.", Call("f", {"a": [1, None]})])
ODD: list[Any] = [
    None,
    "",
    "x",
    "\ud83d",
    0,
    -1,
    10**30,
    1.5,
    True,
    [],
    [[]],
    ["x"],
    {},
    {"\ud83d": 1},
    {"type": "text"},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(item, (*path, key))


def with_value(record: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    copy = list(record) if isinstance(record, list) else dict(record)
    copy[path[0]] = with_value(record[path[0]], path[1:], odd)
    return copy


def replacements(body: bytes, framing: str) -> Iterator[bytes]:
    """The body with each value of each record replaced by each odd one."""
    frames = split_frames(body, framing)
    for at, frame in enumerate(frames):
        said = re.search(rb"\{.*\}", payload_of(frame) if framing == "aws-eventstream" else frame, re.DOTALL)
        if said is None:
            continue
        record = json.loads(said[0])
        for path in places(record):
            for odd in ODD:
                spoilt = json.dumps(with_value(record, path, odd)).encode()
                anew = with_payload(frame, spoilt) if framing == "aws-eventstream" else frame.replace(said[0], spoilt)
                yield b"".join([*frames[:at], anew, *frames[at + 1 :]])


@pytest.mark.parametrize("protocol", RENDERED)
def test_a_value_of_another_kind_is_read_or_kept_or_an_error_of_ours(protocol: str) -> None:
    answer = Answer(["It is so."]) if protocol in PLAIN else ANSWER
    bodies = list(replacements(render(answer, protocol, piece=100), framing_of(protocol)))
    for body in Random(protocol).sample(bodies, min(MANY, len(bodies))):
        whole = read_pieces([body], get_protocol(protocol).parser(mint=numbered_ids()))  # raises what is not ours
        half = len(body) // 2
        cut = read_pieces([body[:half], body[half:]], get_protocol(protocol).parser(mint=numbered_ids()))
        assert (whole.deltas, whole.outputs, whole.error) == (cut.deltas, cut.outputs, cut.error), body
        starts, ends = ([type(delta) for delta in whole.deltas].count(kind) for kind in (MessageStart, MessageEnd))
        assert whole.error or starts == ends > 0, body
