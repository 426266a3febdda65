"""The cut law: any split of the bytes gives the same deltas once coalesced, the same message and the same error."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from streamkit.protocols import PROTOCOLS, get_protocol
from streamkit.testing.answers import Answer, Call
from streamkit.testing.chunking import bytewise, linewise, splits, whole
from streamkit.testing.expected import expected
from streamkit.testing.mutations import corrupt_frame, heartbeats, split_frames
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.testing.scripts import RENDERED, framing_of, render, render_error
from streamkit.testing.strategies import answers

# A recording up to this size, in bytes, is also read one byte at a time; one over the other is cut at random but once.
SMALL, LONG = 4096, 100_000
# For what is tried in many ways in each dialect.
FEWER = settings(max_examples=settings.default.max_examples // 3)


def read(pieces: Iterable[bytes], protocol: str, **options: Any) -> Outcome:
    parser = get_protocol(protocol).parser(provider="acme", mint=numbered_ids(), **options)
    outcome = read_pieces(pieces, parser)
    # A blank line is a heartbeat among lines, and of those after the end only what came in the same read is seen.
    counted = parser.framing == "sse" and outcome.error is not None
    return outcome if counted else msgspec.structs.replace(outcome, heartbeats=0)


@st.composite
def bodies(draw: st.DrawFn, protocol: str) -> tuple[Answer, bytes]:
    answer = draw(answers(protocol))
    return answer, render(answer, protocol, piece=draw(st.integers(1, 8)), interleave=draw(st.booleans()))


def assert_no_cut_matters(body: bytes, protocol: str, places: Iterable[int], **options: Any) -> Outcome:
    uncut = read(whole(body), protocol, **options)
    bounds = [0, *sorted(place % (len(body) + 1) for place in places), len(body)]
    for pieces in (bytewise(body), linewise(body), [body[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]):
        assert read(pieces, protocol, **options) == uncut
    return uncut


PLACES = st.lists(st.integers(0, 2**20), max_size=8)


@pytest.mark.feature("first-2")
@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_an_answer_is_read_in_any_cut_as_it_was_written(protocol: str, data: st.DataObject) -> None:
    answer, body = data.draw(bodies(protocol))
    outcome = assert_no_cut_matters(body, protocol, data.draw(PLACES))
    assert outcome.error is None
    choices = [expected(choice, protocol, "acme") for choice in (answer, *answer.choices)]
    for output in choices[1:]:
        output.id, output.model, output.usage = choices[0].id, choices[0].model, None
    assert outcome.outputs == choices


def parts(body: bytes, protocol: str, at: int) -> list[bytes]:
    """The first frames of the body, not all of them."""
    frames = split_frames(body, framing_of(protocol))
    return frames[: at % len(frames)]


def corrupt(body: bytes, at: int, protocol: str) -> bytes:
    framing = framing_of(protocol)
    return corrupt_frame(body, at % (len(split_frames(body, framing)) - 1), framing)


def slowed(body: bytes, protocol: str) -> bytes:
    return heartbeats(body, framing=framing_of(protocol)) + render_error(protocol)


SPOILT: list[tuple[str, Callable[[bytes, int, str], bytes]]] = [
    ("cut off between frames", lambda body, at, protocol: b"".join(parts(body, protocol, at))),
    ("cut off anywhere", lambda body, at, protocol: body[: at % len(body)]),
    ("a corrupt frame", lambda body, at, protocol: corrupt(body, at, protocol)),
    ("an error", lambda body, at, protocol: b"".join([*parts(body, protocol, at), render_error(protocol)])),
    ("an error, then silence", lambda body, at, protocol: slowed(body[: at % len(body)], protocol)),
    ("a byte changed", lambda body, at, protocol: body[: at % len(body)] + b"}" + body[at % len(body) + 1 :]),
    ("a bad byte put in", lambda body, at, protocol: body[: at % len(body)] + b"\xff" + body[at % len(body) :]),
    ("a line end put in", lambda body, at, protocol: body[: at % len(body)] + b"\n" + body[at % len(body) :]),
    ("the body twice", lambda body, at, protocol: body + body),
    ("its middle missing", lambda body, at, protocol: body[: at % len(body)] + body[at % len(body) + 40 :]),
]


@pytest.mark.parametrize("spoil", [case[1] for case in SPOILT], ids=[case[0] for case in SPOILT])
@pytest.mark.parametrize("protocol", RENDERED)
@FEWER
@given(data=st.data())
def test_a_spoilt_answer_fails_the_same_in_any_cut(
    protocol: str, spoil: Callable[[bytes, int, str], bytes], data: st.DataObject
) -> None:
    body = spoil(data.draw(bodies(protocol))[1], data.draw(st.integers(0, 2**20)), protocol)
    assert_no_cut_matters(body, protocol, data.draw(PLACES))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(body=st.binary(max_size=60), places=PLACES)
@example(b"data: [DONE]\n\n", [3])
@example(b"\xef\xbb\xbfdata: {}\r\n\r\n", [1, 12])
@example(b'{"error":{"message":"no","type":"t"}}', [5])
@example(b"<html>502</html>", [5])
def test_any_bytes_at_all_are_read_the_same_in_any_cut(protocol: str, body: bytes, places: list[int]) -> None:
    outcome = assert_no_cut_matters(body, protocol, places)
    assert outcome.error is not None or b"[DONE]" in body


def test_calls_without_an_id_are_told_apart_in_any_cut() -> None:
    body = render(Answer([Call("f", {"a": 1}), Call("g", {"b": "é"})]), "openai-chat", piece=2, interleave=True)
    body = body.replace(b'"id":"call_0",', b"").replace(b'"id":"call_1",', b'"id":"",')
    outcome = assert_no_cut_matters(body, "openai-chat", [10, 300])
    assert [call.id for call in outcome.outputs[0].message.tool_calls or []] == ["minted_0", "minted_1"]


def test_a_recording_is_read_the_same_in_any_cut(recording: Any) -> None:
    body = recording.body
    uncut = read(whole(body), recording.protocol, **recording.options)
    cuts = [*splits(body, seed=1, count=2 if len(body) < LONG else 1), split_frames(body, recording.framing)]
    for pieces in [*cuts, bytewise(body)] if len(body) <= SMALL else cuts:
        assert read(pieces, recording.protocol, **recording.options) == uncut
