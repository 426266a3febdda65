"""What hooks are asked and answer."""

from __future__ import annotations

import pytest

from streamkit.parts import FunctionCall, FunctionPart
from streamkit.tools import Block, Tool, ToolContext, ToolRequest


async def nothing() -> None: ...


def test_a_request_holds_the_call_and_cannot_be_changed_but_for_its_arguments() -> None:
    call = FunctionPart("c", FunctionCall("nothing", {"a": 1}))
    request = ToolRequest(call, Tool(nothing), {"a": 2}, ToolContext("c", "nothing"))
    assert (request.call.function.arguments, request.arguments) == ({"a": 1}, {"a": 2})
    with pytest.raises(AttributeError):
        request.call = call


def test_a_block_says_why() -> None:
    assert Block("not today").reason == "not today"
