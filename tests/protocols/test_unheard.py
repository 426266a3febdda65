"""What a body says at an error where no answer was heard in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.deltas import MessageStart, RawFrame, UnknownFrame
from streamkit.errors import APIError, ConfigError, ProtocolError, ServerError, StreamkitError, TruncatedStream
from streamkit.protocols import get_protocol
from streamkit.protocols.failures.stray import KEPT_BYTES
from streamkit.protocols.unheard import Unheard
from streamkit.testing.chunking import bytewise
from streamkit.testing.outcome import Outcome, read_pieces

CUT = TruncatedStream("cut")
SAYS = UnknownFrame('{"message":"no such key"}')


def explained(data: bytes, error: StreamkitError, framing: str = "sse", *, odd: UnknownFrame | None = None) -> str:
    unheard = Unheard(framing, "p")
    assert unheard.listen(data, [] if odd is None else [odd])
    found = unheard.explain(error)
    assert found is None or (isinstance(found, APIError) and found.provider == "p")
    return "" if found is None else type(found).__name__


# name, body, error, framing, the frame that nobody knew, class
CASES: list[tuple[str, bytes, StreamkitError, str, UnknownFrame | None, str]] = [
    ("a text that ended", b"no healthy upstream", CUT, "sse", None, "ServerError"),
    ("fields that ended", b"data: {}\n\n", CUT, "sse", None, ""),
    ("nothing", b"", CUT, "sse", None, ""),
    ("JSON among events", b'{"ok":true}', CUT, "sse", None, "ServerError"),
    ("JSON that may be an event", b'{"ok":true}', CUT, "ndjson", None, ""),
    ("an event with words", b"data: x", CUT, "sse", SAYS, "ServerError"),
    ("an event without", b"data: x", CUT, "sse", UnknownFrame('{"n":1}'), ""),
    ("the frame of a page", b"\n<html>no", ProtocolError("page", frame=b"<html>no"), "sse", None, "ServerError"),
    ("a frame as text", b"<html>no", ProtocolError("page", frame="<html>no"), "sse", None, "ServerError"),
    ("a frame inside an event", b"data: hello\n\n", ProtocolError("no JSON", frame=b"hello"), "sse", None, ""),
    ("an error without a frame", b"hello", ProtocolError("too long"), "sse", None, ""),
    ("another error", b"hello", ConfigError("no"), "sse", None, ""),
]


@pytest.mark.parametrize(
    ("data", "error", "framing", "odd", "kind"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_an_error_stands_for_what_the_body_is(
    data: bytes, error: StreamkitError, framing: str, odd: UnknownFrame | None, kind: str
) -> None:
    assert explained(data, error, framing, odd=odd) == kind


def test_frames_alone_are_no_answer_and_a_message_is() -> None:
    unheard = Unheard("sse", "p")
    assert unheard.listen(b"data: {}\n\n", [RawFrame("{}"), UnknownFrame("{}")])
    assert not unheard.listen(b"data: {}\n\n", [UnknownFrame("{}"), MessageStart()])


def test_only_the_beginning_is_kept() -> None:
    unheard = Unheard("sse", "p")
    for _ in range(3):
        assert unheard.listen(b"x" * KEPT_BYTES, [])
    error = unheard.explain(CUT)
    assert type(error) is ServerError
    assert len(error.body) == KEPT_BYTES


# What bodies that are no answer are made of.
PIECES = [
    *(b"no healthy upstream", b"error code: 502", b"<html>", b"null", b"5", b"\n", b"\r\n", b" ", b"d", b"id"),
    *(b'{"error":{"message":"no"}}', b'{"message":"no"}', b'{"ok":1}', b"{", b"}", b"[", b"]", b'"x"'),
    *(b"data:", b"data: ", b"data: [DONE]\n\n", b"event: error\n", b"error:", b": ping\n\n"),
    *(b"\xef\xbb\xbf", b"\xff", b"\x00", b"\xc3\xa9"),
]


def read(pieces: list[bytes], protocol: str) -> Outcome:
    return read_pieces(pieces, get_protocol(protocol).parser(provider="p"))


@pytest.mark.parametrize("protocol", ["openai-chat", "anthropic", "ollama", "bedrock-converse", "fastchat"])
@given(body=st.lists(st.sampled_from(PIECES), max_size=7).map(b"".join), cut=st.integers(0, 60))
def test_any_body_that_is_no_answer_is_the_same_error_in_any_cut(protocol: str, body: bytes, cut: int) -> None:
    whole = read([body], protocol)
    assert whole.error is not None
    for pieces in (bytewise(body), [body[:cut], body[cut:]]):
        other = read(pieces, protocol)
        assert (other.error, other.deltas) == (whole.error, whole.deltas)
