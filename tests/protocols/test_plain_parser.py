"""What the dialects of plain text share, shown on that of TGI."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.deltas import UnknownFrame
from streamkit.errors import ProtocolError, StreamkitError, TruncatedStream
from streamkit.protocols import Parser, Quirks, get_protocol
from streamkit.testing.outcome import read_pieces


def new(**options: Any) -> Parser:
    return get_protocol("tgi").parser(**options)


def body(*records: Any) -> bytes:
    return b"".join(b"data: %s\n\n" % (r if isinstance(r, bytes) else json.dumps(r).encode()) for r in records)


def token(text: str) -> dict[str, Any]:
    return {"token": {"id": 1, "text": text, "special": False}}


WHOLE = {**token(""), "generated_text": "Hi"}


def test_unknown_records_are_kept() -> None:
    deltas = read_pieces([body(token("Hi"), {"weather": "fine"}, 5, [], WHOLE)], new()).deltas
    kept = [delta.raw for delta in deltas if isinstance(delta, UnknownFrame)]
    assert kept == ['{"weather": "fine"}', "5", "[]"]


BROKEN = [
    ("no JSON", b"hello"),
    ("half a record", b'{"token":{"text":"a"'),
    ("a text that is none", b'{"token":{"text":5}}'),
    ("deep nesting", b'{"weather":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
]


@pytest.mark.parametrize("frame", [case[1] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_record_is_an_error_with_the_frame(frame: bytes) -> None:
    parser = new()
    parser.feed(body(token("Hi"), frame))
    with pytest.raises(ProtocolError) as caught:
        parser.finish()
    assert frame.startswith(caught.value.frame)


def test_a_record_that_is_broken_a_little_is_read() -> None:
    outcome = read_pieces([body(b'{"token":{"text":"a\x01\xff"},"logprob":NaN}', WHOLE)], new())
    assert outcome.error is None


ENDS: list[tuple[str, bytes, Quirks, str | None]] = [
    ("whole", body(token("Hi"), WHOLE), Quirks(), None),
    ("cut off", body(token("Hi")), Quirks(), "TruncatedStream"),
    ("without its end, where that is usual", body(token("Hi")), Quirks(end_without_finish=True), None),
    ("with a sentinel alone", body(token("Hi"), b"[DONE]"), Quirks(), None),
    ("a sentinel and nothing else", body(b"[DONE]"), Quirks(), "TruncatedStream"),
    ("nothing", b"", Quirks(), "TruncatedStream"),
    ("nothing, where no end is usual", b"", Quirks(end_without_finish=True), "TruncatedStream"),
]


@pytest.mark.parametrize(("data", "quirks", "kind"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS])
def test_how_an_answer_ends(data: bytes, quirks: Quirks, kind: str | None) -> None:
    assert (read_pieces([data], new(quirks=quirks)).error or {}).get("kind") == kind


FAILURES = [
    ("one by its name", b'event: error\ndata: {"message":"No."}\n\n'),
    ("one by its name that is no JSON", b"event: error\ndata: No.\n\n"),
    ("a flat one", body({"object": "error", "message": "No."})),
]


@pytest.mark.parametrize("data", [case[1] for case in FAILURES], ids=[case[0] for case in FAILURES])
def test_an_error_ends_the_stream(data: bytes) -> None:
    outcome = read_pieces([body(token("Hi")) + data], new())
    assert outcome.error is not None
    assert outcome.error["message"] == "No."
    assert outcome.outputs[0].message.text == "Hi"


def test_an_error_says_what_was_missing() -> None:
    parser = new()
    parser.feed(body(token("Hi")))
    with pytest.raises(TruncatedStream, match="no record with the generated text came") as caught:
        parser.finish()
    assert isinstance(caught.value, StreamkitError)
