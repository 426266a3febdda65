"""Tools that the provider ran."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.parts import RawPart, ServerToolPart
from streamkit.protocols.openai_chat.server_tools import read_step, read_tool

CALL = {"index": 1, "type": "search", "arguments": "{}"}
FOUND = {"thought": "Look.", "type": "web_search", "web_search": {"search_keywords": ["x"], "search_results": []}}


def test_a_tool_that_ran_is_a_call_and_with_its_output_a_result() -> None:
    assert read_tool(CALL) == ServerToolPart("call", "1", "search", CALL)
    done = {**CALL, "output": "found"}
    assert read_tool(done) == ServerToolPart("result", "1", "search", done)
    assert read_tool("odd") == RawPart("odd")


STEPS: list[tuple[str, dict[str, Any], ServerToolPart | None]] = [
    ("a search", FOUND, ServerToolPart("result", "", "web_search", FOUND)),
    ("a mere thought", {"thought": "Hm.", "type": None}, None),
    ("a kind without a body", {"thought": "Hm.", "type": "web_search"}, None),
    ("nothing", {}, None),
]


@pytest.mark.parametrize("case", STEPS, ids=[case[0] for case in STEPS])
def test_a_step_is_what_its_tool_gave(case: tuple[str, dict[str, Any], ServerToolPart | None]) -> None:
    assert read_step(case[1]) == case[2]
