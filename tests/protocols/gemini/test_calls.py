"""Function calls of one candidate."""

from __future__ import annotations

import msgspec
import pytest

from streamkit.deltas import Delta, Replace, ToolCallDelta, ToolCallEnd, ToolCallStart
from streamkit.errors import ProtocolError
from streamkit.limits import Limits
from streamkit.protocols.gemini.calls import MINTED, CallReader, FunctionCallView
from streamkit.protocols.writer import BlockWriter
from streamkit.testing.outcome import numbered_ids


def read(*parts: tuple[dict[str, object], str | None], close: bool = True) -> list[Delta]:
    reader = CallReader(BlockWriter(0, mint=numbered_ids(), limits=Limits()), Limits())
    out: list[Delta] = []
    for call, signature in parts:
        reader.read(msgspec.convert(call, FunctionCallView), signature, out)
    if close:
        reader.close(out)
    assert reader.any == bool(out)
    return out


CASES: list[tuple[str, list[tuple[dict[str, object], str | None]], list[Delta]]] = [
    (
        "whole",
        [({"name": "f", "args": {"a": 1}, "id": "x"}, "s")],
        [ToolCallStart(0, "x", "f"), ToolCallDelta(0, '{"a":1}'), ToolCallEnd(0, signature="s")],
    ),
    (
        "without an id",
        [({"name": "f", "args": {}}, None)],
        [ToolCallStart(0, "minted_0", "f"), ToolCallDelta(0, "{}"), ToolCallEnd(0, extra={MINTED: True})],
    ),
    (
        "a signature that comes later",
        [({"name": "f", "id": "x", "willContinue": True}, None), ({}, "s")],
        [ToolCallStart(0, "x", "f"), ToolCallDelta(0, "{}"), ToolCallEnd(0, signature="s")],
    ),
    (
        "all arguments after all",
        [({"name": "f", "id": "x", "willContinue": True}, None), ({"args": {"a": 1}}, None)],
        [ToolCallStart(0, "x", "f"), Replace(0, '{"a":1}'), ToolCallEnd(0)],
    ),
    ("an end of nothing", [({}, None), ({"willContinue": True}, None)], []),
]


@pytest.mark.parametrize(("parts", "deltas"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_parts_become_calls(parts: list[tuple[dict[str, object], str | None]], deltas: list[Delta]) -> None:
    assert read(*parts) == deltas


def test_a_call_that_breaks_off_is_left_open_and_one_that_is_closed_is_half_an_object() -> None:
    parts = [({"name": "f", "id": "x", "willContinue": True}, None)]
    assert read(*parts, close=False) == [ToolCallStart(0, "x", "f")]
    assert read(*parts) == [ToolCallStart(0, "x", "f"), ToolCallDelta(0, "{"), ToolCallEnd(0)]


@pytest.mark.parametrize("call", [{"args": {"a": 1}}, {"partialArgs": [{"jsonPath": "$.a", "boolValue": True}]}])
def test_arguments_need_a_call(call: dict[str, object]) -> None:
    with pytest.raises(ProtocolError, match="no name"):
        read((call, None))
