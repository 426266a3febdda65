"""The fields of a chunk that are read, against the types that servers send."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.protocols.openai_chat.views import Chunk, Delta, Head, ToolFragment, Whole

TYPES: list[Any] = [None, "x", "", 5, [], [1], {}, {"a": 1}, True]
FREE = {
    "delta": [field for field in Delta.__struct_fields__ if field not in ("tool_calls", "function_call")],
    "chunk": [field for field in Chunk.__struct_fields__ if field != "choices"],
    "fragment": ["index", "id", "type", "extra_content"],
    "head": list(Head.__struct_fields__),
}
VIEWS: dict[str, Any] = {"delta": Delta, "chunk": Chunk, "fragment": ToolFragment, "head": Head}


@pytest.mark.parametrize(("view", "field"), [(view, field) for view, fields in FREE.items() for field in fields])
def test_a_field_on_whose_type_servers_differ_takes_any(view: str, field: str) -> None:
    for value in TYPES:
        read = msgspec.json.decode(msgspec.json.encode({field: value, "unknown": [{}]}), type=VIEWS[view])
        assert getattr(read, field) == value


@pytest.mark.parametrize(
    "raw",
    [
        {"choices": "x"},
        {"choices": ["x"]},
        {"choices": [{"delta": "x"}]},
        {"choices": [{"delta": {"tool_calls": {}}}]},
        {"choices": [{"delta": {"tool_calls": [{"function": "x"}]}}]},
    ],
    ids=repr,
)
def test_a_chunk_that_is_built_in_another_way_is_refused(raw: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(raw, Chunk)


def test_a_choice_may_have_a_message_in_place_of_a_delta() -> None:
    whole = msgspec.convert({"choices": [None, {"message": {"content": "Hi"}}]}, Whole)
    assert whole.choices[1] is not None
    assert whole.choices[1].message == Delta(content="Hi")
