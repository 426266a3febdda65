from __future__ import annotations

import msgspec
import pytest
from hypothesis import given

from streamkit.messages import Message
from streamkit.parts import TextPart
from streamkit.sessions.records import (
    ConversationRecord,
    Record,
    ReflectionRecord,
    RetractionRecord,
    StartRecord,
    SummaryRecord,
    UnknownRecord,
    WorkingMemoryRecord,
    decode_record,
    encode_record,
)
from streamkit.usage import Usage
from tests.sessions.conftest import records

FORMS: list[tuple[Record, str]] = [
    (StartRecord(id="1", parent="trip", at="0"), '{"type":"start","id":"1","parent":"trip","at":"0"}'),
    (
        ConversationRecord(Message("user", [TextPart("hi")]), id="1", timestamp=2),
        '{"type":"conversation","id":"1","timestamp":2,"message":{"role":"user","contents":[{"type":"text","text":"hi"}]}}',
    ),
    (RetractionRecord("vacuous", "1", id="2"), '{"type":"retraction","id":"2","reason":"vacuous","since":"1"}'),
    (WorkingMemoryRecord(["a"], 3), '{"type":"working_memory","facts":["a"],"version":3}'),
    (
        ReflectionRecord(["a"], 9, 1),
        '{"type":"reflection","reflections":["a"],"observation_token_count_before":9,"reflection_token_count_after":1}',
    ),
    (
        SummaryRecord(2, Usage(1, 2)),
        '{"type":"summary","message_count":2,"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}}',
    ),
]


@pytest.mark.parametrize(("record", "text"), FORMS, ids=[type(record).__name__ for record, _ in FORMS])
def test_a_record_is_one_line_of_plain_json(record: Record, text: str) -> None:
    assert msgspec.json.decode(encode_record(record)) == msgspec.json.decode(text)
    assert decode_record(text.encode()) == record


@given(records())
def test_a_record_is_read_as_it_was_written(record: Record) -> None:
    line = encode_record(record)
    assert b"\n" not in line
    assert encode_record(decode_record(line)) == line
    assert decode_record(line) == record


def test_a_kind_that_is_not_known_is_kept_as_it_is() -> None:
    line = b'{"type":"dream","id":"7","of":[1,2]}'
    record = decode_record(line)
    assert record == UnknownRecord({"type": "dream", "id": "7", "of": [1, 2]}, id="7")
    assert encode_record(record) == line


@pytest.mark.parametrize("line", [b"[]", b"1", b"{}", b'{"type":1}', b'{"type":"summary","message_count":"a"}', b"{"])
def test_what_is_no_record_is_refused(line: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_record(line)
