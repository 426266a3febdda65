"""Steps that go out whole."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ProtocolError
from streamkit.parts import RawPart, ServerToolPart
from streamkit.protocols.gemini_interactions.collected import CollectedStep, read_step

CALL, RESULT = "code_execution_call", "code_execution_result"

GROWN: list[tuple[str, dict[str, Any], list[dict[str, Any]], dict[str, Any]]] = [
    (
        "a delta brings what the start left out",
        {"type": CALL, "id": "c", "signature": ""},
        [{"type": CALL, "arguments": {"code": "1"}, "signature": "s", "is_error": None}],
        {"type": CALL, "id": "c", "signature": "s", "arguments": {"code": "1"}},
    ),
    (
        "a result in pieces",
        {"type": RESULT, "result": ""},
        [{"type": RESULT, "result": "a"}, {"type": RESULT, "result": "b"}],
        {"type": RESULT, "result": "ab"},
    ),
    (
        "a list of results in pieces",
        {"type": "url_context_result", "result": [{"url": "old"}]},
        [
            {"type": "url_context_result", "result": [{"url": "a"}]},
            {"type": "url_context_result", "result": [{"url": "b"}]},
        ],
        {"type": "url_context_result", "result": [{"url": "a"}, {"url": "b"}]},
    ),
    (
        "a result that changes its form",
        {"type": RESULT},
        [{"type": RESULT, "result": "a"}, {"type": RESULT, "result": ["b"]}],
        {"type": RESULT, "result": ["b"]},
    ),
    (
        "arguments in pieces",
        {"type": CALL, "arguments": {}},
        [{"type": "arguments_delta", "arguments": '{"code":'}, {"type": "arguments_delta", "arguments": "1}"}],
        {"type": CALL, "arguments": {"code": 1}},
    ),
    (
        "arguments that were cut short",
        {"type": CALL},
        [{"type": "arguments_delta", "arguments": '{"code":'}],
        {"type": CALL, "arguments": '{"code":'},
    ),
]


@pytest.mark.parametrize(("step", "deltas", "whole"), [case[1:] for case in GROWN], ids=[case[0] for case in GROWN])
def test_a_step_is_what_its_events_said(
    step: dict[str, Any], deltas: list[dict[str, Any]], whole: dict[str, Any]
) -> None:
    collected = CollectedStep(step, 100)
    assert all(collected.take(delta) for delta in deltas)
    assert collected.finished() == whole


def test_a_delta_of_another_type_is_not_taken() -> None:
    assert not CollectedStep({"type": CALL}, 100).take({"type": "text", "text": "a"})
    assert not CollectedStep({}, 100).take({"type": "text", "text": "a"})


def test_arguments_have_a_limit() -> None:
    collected = CollectedStep({"type": CALL}, 4)
    collected.take({"type": "arguments_delta", "arguments": "abc"})
    with pytest.raises(ProtocolError, match="max_argument_bytes"):
        collected.take({"type": "arguments_delta", "arguments": "é"})


def test_a_result_has_the_name_of_its_call() -> None:
    names: dict[str, str] = {}
    call = {"type": "mcp_server_tool_call", "id": "t", "name": "look"}
    result = {"type": "mcp_server_tool_result", "call_id": "t"}
    assert read_step(call, names) == ServerToolPart("call", "t", "look", call)
    assert read_step(result, names) == ServerToolPart("result", "t", "look", result)
    assert read_step(result, {}) == ServerToolPart("result", "t", "mcp_server_tool", result)
    assert read_step({"type": "dream"}, names) == RawPart({"type": "dream"})
