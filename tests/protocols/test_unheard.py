"""What a body says at an error where no answer was heard in it."""

from __future__ import annotations

import pytest

from streamkit.deltas import MessageStart, RawFrame, UnknownFrame
from streamkit.errors import APIError, ConfigError, ProtocolError, ServerError, StreamkitError, TruncatedStream
from streamkit.protocols.failures.stray import KEPT_BYTES
from streamkit.protocols.unheard import Unheard

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
