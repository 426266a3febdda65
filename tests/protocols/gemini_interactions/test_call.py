"""A call while it grows."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.deltas import Delta, ToolCallDelta, ToolCallEnd, ToolCallStart
from streamkit.protocols.gemini_interactions.call import CallStep
from streamkit.protocols.gemini_interactions.shelf import Shelf
from streamkit.testing.outcome import numbered_ids

WHOLE = {"type": "function_call", "id": "c", "name": "f", "arguments": {"a": 1}}


def piece(text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "arguments_delta", "arguments": text, **fields}


CALLS: list[tuple[str, dict[str, Any], list[dict[str, Any]], list[Delta]]] = [
    (
        "pieces",
        {"id": "c", "name": "f", "arguments": {}},
        [piece("{"), piece("}")],
        [ToolCallStart(0, "c", "f"), ToolCallDelta(0, "{"), ToolCallDelta(0, "}"), ToolCallEnd(0)],
    ),
    ("whole", WHOLE, [], [ToolCallStart(0, "c", "f"), ToolCallDelta(0, '{"a":1}'), ToolCallEnd(0)]),
    (
        "arguments at the start, and again in pieces",
        WHOLE,
        [piece('{"a": 1}')],
        [ToolCallStart(0, "c", "f"), ToolCallDelta(0, '{"a": 1}'), ToolCallEnd(0)],
    ),
    (
        "all in a delta",
        {"id": "c"},
        [WHOLE],
        [ToolCallStart(0, "c", "f"), ToolCallDelta(0, '{"a":1}'), ToolCallEnd(0)],
    ),
    (
        "said twice",
        {"id": "c", "name": "f"},
        [WHOLE, WHOLE],
        [ToolCallStart(0, "c", "f"), ToolCallDelta(0, '{"a":1}'), ToolCallEnd(0)],
    ),
    (
        "the text of arguments",
        {"id": "c", "name": "f", "arguments": "{"},
        [],
        [ToolCallStart(0, "c", "f"), ToolCallDelta(0, "{"), ToolCallEnd(0)],
    ),
    (
        "pieces that bring the signature",
        {"name": "f", "signature": ""},
        [piece("{}", signature="s"), piece("")],
        [ToolCallStart(0, "minted_0", "f"), ToolCallDelta(0, "{}"), ToolCallEnd(0, signature="s")],
    ),
    ("nothing", {}, [], [ToolCallStart(0, "minted_0", ""), ToolCallEnd(0)]),
]


@pytest.mark.parametrize(("step", "deltas", "said"), [case[1:] for case in CALLS], ids=[case[0] for case in CALLS])
def test_a_call_is_told(step: dict[str, Any], deltas: list[dict[str, Any]], said: list[Delta]) -> None:
    out: list[Delta] = []
    shelf = Shelf(100, numbered_ids())
    call = CallStep(2, step, shelf, out)
    assert all(call.take(delta, out) for delta in deltas)
    call.stop(out)
    assert out == said
    assert shelf.open == {}


def test_a_call_takes_nothing_else() -> None:
    out: list[Delta] = []
    assert not CallStep(0, {}, Shelf(1, numbered_ids()), out).take({"type": "text", "text": "a"}, out)
    assert out == []
