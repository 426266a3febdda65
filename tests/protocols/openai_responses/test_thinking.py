from __future__ import annotations

from typing import Any

import pytest

from streamkit.blocks import Block, ThinkingPart
from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.parts import TextPart
from streamkit.protocols import Quirks, Request
from streamkit.protocols.openai_responses.thinking import encode_thinking, encode_thinking_item

ENCRYPTED = {"include": ["reasoning.encrypted_content"]}
ASKED: list[tuple[str, Any, dict[str, Any]]] = [
    ("nothing", None, {}),
    ("a level", "high", {"reasoning": {"effort": "high", "summary": "auto"}, **ENCRYPTED}),
    ("the highest", "max", {"reasoning": {"effort": "max", "summary": "auto"}, **ENCRYPTED}),
    ("a budget", 9000, {"reasoning": {"effort": "medium", "summary": "auto"}, **ENCRYPTED}),
    ("yes", True, {"reasoning": {"effort": "medium", "summary": "auto"}, **ENCRYPTED}),
    ("off", "off", {"reasoning": {"effort": "none"}}),
    ("the provider's own form", {"effort": "low"}, {"reasoning": {"effort": "low"}, **ENCRYPTED}),
]


def request(thinking: Any) -> Request:
    return Request(model="m", messages=[], thinking=thinking, provider="acme")


@pytest.mark.parametrize(("thinking", "fields"), [case[1:] for case in ASKED], ids=[case[0] for case in ASKED])
def test_thinking_is_asked_for(thinking: Any, fields: dict[str, Any]) -> None:
    assert encode_thinking(request(thinking), Quirks()) == fields


def test_a_server_with_fewer_words_gets_the_nearest() -> None:
    quirks = Quirks(efforts=("low", "medium", "high"))
    assert encode_thinking(request("max"), quirks)["reasoning"]["effort"] == "high"
    with pytest.warns(UnsupportedParameterWarning, match="acme"):
        assert encode_thinking(request("off"), quirks) == {}


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ConfigError, match="hard"):
        encode_thinking(request("hard"), Quirks())


def part(text: Any, kind: str = "summary_text") -> dict[str, Any]:
    return {"type": kind, "text": text}


ITEMS: list[tuple[str, Block, bool, Any]] = [
    (
        "each text in its part",
        Block(
            ThinkingPart("One\n\nTwo\n\nHm"),
            "sig",
            {"id": "rs", "summary": [part(3), part(0), part(3)], "content": [part(2)]},
        ),
        False,
        {
            "type": "reasoning",
            "id": "rs",
            "summary": [part("One"), part(""), part("Two")],
            "content": [part("Hm")],
            "encrypted_content": "sig",
        },
    ),
    (
        "parts with their text",
        Block(ThinkingPart("One"), "sig", {"id": "rs", "summary": [part("Eins")]}),
        False,
        {"type": "reasoning", "id": "rs", "summary": [part("Eins")], "encrypted_content": "sig"},
    ),
    (
        "encrypted alone",
        Block(ThinkingPart(""), "sig", {"id": "rs"}),
        False,
        {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "sig"},
    ),
    (
        "the text alone",
        Block(ThinkingPart("Hm"), None, {"content": [part(2)]}),
        False,
        {"type": "reasoning", "summary": [], "content": [part("Hm")]},
    ),
    ("a summary alone", Block(ThinkingPart("Hm"), None, {"id": "rs", "summary": [part(2)]}), False, None),
    (
        "a summary of what is stored",
        Block(ThinkingPart("Hm"), None, {"id": "rs", "summary": [part(2)]}),
        True,
        {"type": "reasoning", "id": "rs", "summary": [part("Hm")]},
    ),
    ("no id of what is stored", Block(ThinkingPart("Hm"), None, {"summary": [part(2)]}), True, None),
    ("another dialect's", Block(ThinkingPart("Hm"), "sig"), True, None),
    ("text", Block(TextPart("Hm"), "sig", {"id": "rs"}), True, None),
]


@pytest.mark.parametrize(("block", "stored", "item"), [case[1:] for case in ITEMS], ids=[case[0] for case in ITEMS])
def test_thinking_goes_back_as_the_item_that_it_was(block: Block, stored: bool, item: Any) -> None:
    before = str(block.extra)
    assert encode_thinking_item(block, stored) == item
    assert str(block.extra) == before
