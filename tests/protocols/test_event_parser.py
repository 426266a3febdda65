"""What the dialects of named events have in common, each in its own words."""

from __future__ import annotations

import pytest

from streamkit.deltas import UnknownFrame
from streamkit.errors import APIError, ProtocolError
from streamkit.protocols import get_protocol
from streamkit.testing import Answer, render
from streamkit.testing.mutations import split_frames
from streamkit.testing.outcome import numbered_ids

DIALECTS = ["anthropic", "openai-responses", "gemini-interactions"]
BODIES = {name: render(Answer(["Hello there."]), name) for name in DIALECTS}
UNHEARD = [b'{"type":"unheard_of","event_type":"unheard_of","n":%d}' % number for number in range(3)]


def unknown(protocol: str, data: bytes) -> list[str]:
    """What a body says that nobody knows, in the middle of an answer."""
    first, *rest = split_frames(BODIES[protocol])
    parser = get_protocol(protocol).parser(mint=numbered_ids())
    deltas = parser.feed(first + data + b"".join(rest)) + parser.finish()
    assert parser.ended
    return [delta.raw for delta in deltas if isinstance(delta, UnknownFrame)]


@pytest.mark.parametrize("protocol", DIALECTS)
def test_records_without_blank_lines_between_are_read_one_by_one(protocol: str) -> None:
    lines = b"".join(b"data: " + record + b"\n" for record in UNHEARD) + b"\n"
    assert unknown(protocol, lines) == [record.decode() for record in UNHEARD]


@pytest.mark.parametrize("protocol", DIALECTS)
def test_a_list_is_that_of_its_records(protocol: str) -> None:
    assert len(unknown(protocol, b"data: [" + b",".join(UNHEARD) + b"]\n\n")) == 3


@pytest.mark.parametrize("protocol", DIALECTS)
def test_done_before_an_answer_says_nothing_and_after_it_began_ends_it(protocol: str) -> None:
    first = split_frames(BODIES[protocol])[0]
    parser = get_protocol(protocol).parser()
    assert parser.feed(b"data: [DONE]\n\n") == []
    assert not parser.ended
    parser.feed(first + b"data: [DONE]\n\n")
    assert parser.ended


@pytest.mark.parametrize("protocol", DIALECTS)
@pytest.mark.parametrize(
    ("frame", "kind"),
    [(b'data: {"type":\n\n', ProtocolError), (b"event: error\ndata: upstream died\n\n", APIError)],
    ids=["broken", "an error in words"],
)
def test_a_frame_that_is_no_json_is_an_error(protocol: str, frame: bytes, kind: type[Exception]) -> None:
    first = split_frames(BODIES[protocol])[0]
    parser = get_protocol(protocol).parser()
    parser.feed(first + frame)
    with pytest.raises(kind):
        parser.finish()


@pytest.mark.parametrize("protocol", DIALECTS)
def test_nesting_that_cannot_be_followed_is_an_error(protocol: str) -> None:
    parser = get_protocol(protocol).parser()
    parser.feed(split_frames(BODIES[protocol])[0] + b"data: " + b"[" * 100_000 + b"\n\n")
    with pytest.raises(ProtocolError, match="nested too deeply"):
        parser.finish()
