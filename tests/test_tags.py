"""How structs are named in JSON."""

from __future__ import annotations

import pytest

from streamkit.tags import snake_case


@pytest.mark.parametrize(
    ("name", "tag"), [("TextDelta", "text_delta"), ("Done", "done"), ("ToolCallStart", "tool_call_start"), ("x", "x")]
)
def test_a_class_is_named_in_snake_case(name: str, tag: str) -> None:
    assert snake_case(name) == tag
