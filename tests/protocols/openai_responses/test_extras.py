from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.protocols.openai_responses.extras import item_extra, thinking_extra

ITEMS: list[tuple[str, dict[str, Any], dict[str, Any] | None]] = [
    (
        "a message",
        {"type": "message", "role": "assistant", "content": [], "id": "a", "phase": "x"},
        {"id": "a", "phase": "x"},
    ),
    ("a call", {"type": "function_call", "call_id": "c", "name": "f", "arguments": "", "id": "a"}, {"id": "a"}),
    ("a custom call", {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "", "id": "a"}, {"id": "a"}),
    ("what is null", {"type": "message", "content": [], "id": None}, None),
    ("nothing", {}, None),
]


@pytest.mark.parametrize(("raw", "extra"), [case[1:] for case in ITEMS], ids=[case[0] for case in ITEMS])
def test_what_a_block_does_not_say_is_kept(raw: dict[str, Any], extra: dict[str, Any] | None) -> None:
    assert item_extra(raw) == extra


def parts(*texts: Any) -> list[dict[str, Any]]:
    return [{"type": "summary_text", "text": text} for text in texts]


THOUGHTS: list[tuple[str, dict[str, Any], list[str], dict[str, Any] | None]] = [
    ("the same", {"summary": parts("One", "", "é")}, ["One", "é"], {"summary": parts(3, 0, 1)}),
    (
        "both kinds",
        {"summary": parts("a"), "content": parts("bc")},
        ["a", "bc"],
        {"summary": parts(1), "content": parts(2)},
    ),
    ("another", {"summary": parts("One")}, ["Eins"], {"summary": parts("One")}),
    ("less than was shown", {"summary": []}, ["One"], {"summary": []}),
    ("no lists", {"id": "rs", "summary": None, "encrypted_content": "x"}, [], {"id": "rs"}),
    ("nothing", {}, ["One"], None),
]


@pytest.mark.parametrize(("raw", "texts", "extra"), [case[1:] for case in THOUGHTS], ids=[case[0] for case in THOUGHTS])
def test_the_parts_of_thinking_are_kept(raw: dict[str, Any], texts: list[str], extra: dict[str, Any] | None) -> None:
    item = {"type": "reasoning", **raw}
    before = str(item)
    assert thinking_extra(item, texts) == extra
    assert str(item) == before


def test_parts_of_another_form_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        thinking_extra({"type": "reasoning", "summary": "One"}, [])
    with pytest.raises(msgspec.ValidationError):
        thinking_extra({"type": "reasoning", "summary": parts(5)}, [])
