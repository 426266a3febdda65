"""The events of DashScope: their status, and where one ends that has no blank line."""

from __future__ import annotations

import pytest

from streamkit.protocols.dashscope.records import RecordDecoder
from streamkit.testing.chunking import bytewise, linewise, two_parts
from streamkit.wire.frames import Frame

RESULT = b"id:1\nevent:result\n:HTTP_STATUS/200\ndata:{}\n"
CASES: list[tuple[str, bytes, list[tuple[Frame, int]]]] = [
    ("a result", RESULT + b"\n", [(Frame(b"{}", "result"), 0)]),
    (
        "an error by its comment",
        b"event:error\n:HTTP_STATUS/400\ndata:{}\n\n" + RESULT + b"\n",
        [(Frame(b"{}", "error"), 400), (Frame(b"{}", "result"), 0)],
    ),
    ("an error by its line", b"event:error\nstatus:429\ndata:{}\n\n", [(Frame(b"{}", "error"), 429)]),
    ("at the end of input", b"event:error\nstatus: 500\ndata:{}", [(Frame(b"{}", "error"), 500)]),
    (
        "a status that is none",
        b"status:many\ndata:{}\n\nstatus:4000\ndata:[]\n\n",
        [(Frame(b"{}"), 0), (Frame(b"[]"), 0)],
    ),
    (
        "an error without a name",
        b'status:400\ndata: {"a":1}\n\n' + RESULT + b"\n",
        [
            (Frame(b'{"a":1}', "error"), 400),
            (Frame(b"{}", "result"), 0),
        ],
    ),
    ("no blank lines", RESULT + RESULT, [(Frame(b"{}", "result"), 0)] * 2),
    (
        "an error after a record without a blank line",
        b"data:[]\nevent:error\nstatus:400\ndata:{}\n",
        [(Frame(b"[]"), 0), (Frame(b"{}", "error"), 400)],
    ),
    ("two lines of data", b"id:1\ndata:{\ndata:}\n\n", [(Frame(b"{\n}"), 0)]),
]


@pytest.mark.parametrize(("data", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_events_are_told_apart_and_keep_their_status(data: bytes, expected: list[tuple[Frame, int]]) -> None:
    for pieces in [[data], bytewise(data), linewise(data), *two_parts(data)]:
        decoder = RecordDecoder(1000)
        frames = [frame for piece in pieces for frame in decoder.feed(piece)] + decoder.finish()
        assert [(frame, decoder.status_of(frame)) for frame in frames] == expected, pieces
        assert decoder.heartbeats == 0
