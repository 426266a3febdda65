"""What reading a body comes to."""

from __future__ import annotations

from streamkit.deltas import TextDelta
from streamkit.messages import Message
from streamkit.parts import TextPart
from streamkit.protocols import get_protocol
from streamkit.testing.mutations import split_frames
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.testing.scripts import Answer, render, render_error


def read(*pieces: bytes) -> Outcome:
    return read_pieces(pieces, get_protocol("anthropic").parser(provider="acme"))


def test_a_whole_stream_has_no_error() -> None:
    outcome = read(render(Answer(["Hello there."]), "anthropic", piece=1))
    assert [output.message for output in outcome.outputs] == [Message("assistant", [TextPart("Hello there.")])]
    assert [delta for delta in outcome.deltas if isinstance(delta, TextDelta)] == [TextDelta(0, "Hello there.")]
    assert outcome.error is None


def test_an_error_is_there_with_what_came_before_it() -> None:
    frames = split_frames(render(Answer(["Hello."]), "anthropic"))
    outcome = read(*frames[:3], render_error("anthropic", "Overloaded", "overloaded_error"))
    assert outcome.outputs[0].message.text == "Hell"
    assert outcome.error is not None
    assert outcome.error["kind"] == "Overloaded"
    assert outcome.error["provider"] == "acme"
    assert outcome.error["retryable"]


def test_the_end_of_input_is_an_error_where_the_answer_had_not_ended() -> None:
    outcome = read(*split_frames(render(Answer(["Hello."]), "anthropic"))[:3])
    assert outcome.error is not None
    assert outcome.error["kind"] == "TruncatedStream"
    assert outcome != read(render(Answer(["Hello."]), "anthropic"))


def test_the_frame_of_a_protocol_error_is_there() -> None:
    outcome = read(b'event: message_start\ndata: {"type":"message_start"\n\n')
    assert outcome.error is not None
    assert (outcome.error["kind"], outcome.error["frame"]) == ("ProtocolError", b'{"type":"message_start"')


def test_heartbeats_are_counted() -> None:
    assert read(b": ping\n\n: ping\n\n").heartbeats == 2


def test_minted_ids_are_numbered() -> None:
    mint = numbered_ids()
    assert [mint(), mint(), numbered_ids()()] == ["minted_0", "minted_1", "minted_0"]
