"""What the end of a body completes, and whether what broke the connection has spoilt the answer."""

from __future__ import annotations

import pytest

from streamkit.client.body import Body, finish
from streamkit.deltas import MessageEnd
from streamkit.errors import StreamkitError, TransportError, TruncatedStream
from streamkit.protocols import get_protocol
from streamkit.testing import Answer, render
from streamkit.testing.mutations import split_frames

FRAMES = split_frames(render(Answer(["one two three"])))
BROKE = TransportError("the connection broke")
LATE = TruncatedStream("the body ended")

# How many of the frames came; what broke the connection; what the stream then ends by, and whether it has its finish.
ENDS: list[tuple[str, list[bytes], StreamkitError | None, type[StreamkitError] | None, bool]] = [
    ("all came", FRAMES, None, None, True),
    ("all came before it broke", FRAMES, BROKE, None, True),
    ("it broke after the finish reason", FRAMES[:-1], BROKE, None, True),
    ("it broke in the text", FRAMES[:3], BROKE, TransportError, False),
    ("it ended in the text", FRAMES[:3], None, TruncatedStream, False),
    ("it ended in the text, as the connection says too", FRAMES[:3], LATE, TruncatedStream, False),
    ("it broke within a frame", [*FRAMES[:3], b"data: {"], BROKE, TransportError, False),
]


@pytest.mark.parametrize(("frames", "fault", "ends", "finished"), [case[1:] for case in ENDS], ids=[c[0] for c in ENDS])
def test_the_end_of_a_body_is_told_from_its_breaking_off(
    frames: list[bytes], fault: StreamkitError | None, ends: type[StreamkitError] | None, finished: bool
) -> None:
    parser = get_protocol("openai-chat").parser()
    deltas = [delta for frame in frames for delta in parser.feed(frame)]
    rest, error = finish(parser, fault)
    assert (None if error is None else type(error)) is ends
    assert any(isinstance(delta, MessageEnd) for delta in [*deltas, *rest]) is finished


def test_deltas_of_one_read_are_merged_where_that_is_asked_for() -> None:
    parsers = [get_protocol("openai-chat").parser() for _ in range(2)]
    each, merged = [
        Body(None, merged=merged).feeder(parser)(b"".join(FRAMES))
        for parser, merged in zip(parsers, (False, True), strict=True)
    ]
    assert len(merged) < len(each)
