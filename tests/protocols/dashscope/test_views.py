"""The fields of a record."""

from __future__ import annotations

import msgspec
import pytest

from streamkit.protocols.dashscope.views import Choice, Output, Record

CASES = [
    ("nothing", "{}", Record()),
    ("nulls", '{"output":null,"usage":null,"request_id":null,"code":null}', Record()),
    ("bare text", '{"output":{"text":"a","finish_reason":"null"}}', Record(Output(text="a", finish_reason="null"))),
    ("a choice that is null", '{"output":{"choices":[null]}}', Record(Output([None]))),
    (
        "a choice",
        '{"output":{"choices":[{"finish_reason":"stop","index":1}]}}',
        Record(Output([Choice(1, None, "stop")])),
    ),
    ("an error", '{"code":"Odd","message":"No."}', Record(code="Odd", message="No.")),
]


@pytest.mark.parametrize(("text", "record"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_absent_and_null_are_the_same(text: str, record: Record) -> None:
    assert msgspec.json.decode(text, type=Record) == record
