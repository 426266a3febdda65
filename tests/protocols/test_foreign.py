"""What another provider's model thought: left out, or told in words."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.blocks import BlockRef
from streamkit.errors import ConfigError
from streamkit.messages import Message, Meta, Origin
from streamkit.parts import FunctionCall, FunctionPart, TextPart
from streamkit.protocols import Request, get_protocol
from streamkit.protocols.foreign import settle_thinking

THERE = Meta(Origin("anthropic", "anthropic", "m"))
CALL = FunctionPart("c", FunctionCall("f"))
INTERLEAVED = Message(
    "assistant",
    ["It is ", "3."],
    thinking="One.Two.",
    tool_calls=[CALL],
    blocks=[
        BlockRef("thinking", 0, 4, signature="c2ln"),
        BlockRef("contents", 0, extra={"cache_control": {"type": "ephemeral"}}),
        BlockRef("opaque", data={"type": "redacted_thinking", "data": "ZGF0YQ=="}),
        BlockRef("tool_calls", 0),
        BlockRef("thinking", 4, 8),
        BlockRef("contents", 1),
    ],
    meta=THERE,
)


def settled(message: Message, protocol: str = "openai-chat", foreign_thinking: str = "text", **params: Any) -> Message:
    request = Request(model="m", messages=[message], foreign_thinking=foreign_thinking, **params)
    return settle_thinking(request, protocol).messages[0]


def test_thinking_becomes_texts_in_their_places_without_what_only_its_origin_reads() -> None:
    assert settled(INTERLEAVED) == Message(
        "assistant",
        ["<thinking>\nOne.\n</thinking>\n\n", "It is ", "<thinking>\nTwo.\n</thinking>\n\n", "3."],
        tool_calls=[CALL],
        blocks=[
            BlockRef("contents", 0),
            BlockRef("contents", 1, extra={"cache_control": {"type": "ephemeral"}}),
            BlockRef("tool_calls", 0),
            BlockRef("contents", 2),
            BlockRef("contents", 3),
        ],
        meta=THERE,
    )
    assert [type(block.part) for block in settled(INTERLEAVED).iter_blocks()][2] is FunctionPart


UNTOUCHED = [
    ("dropping it is left to the encoder", INTERLEAVED, "openai-chat", {"foreign_thinking": "drop"}),
    ("the dialect's own", INTERLEAVED, "anthropic", {"provider": "anthropic"}),
    ("of an unknown origin", Message("assistant", "a", thinking="b"), "openai-chat", {}),
    ("what a user wrote", Message("user", "a", meta=THERE), "openai-chat", {}),
]


@pytest.mark.parametrize("case", UNTOUCHED, ids=[case[0] for case in UNTOUCHED])
def test_what_is_not_foreign_or_not_to_be_told_stays(case: tuple[str, Message, str, dict[str, Any]]) -> None:
    _, message, protocol, params = case
    assert settled(message, protocol, **params) is message


def test_another_vendor_of_the_dialect_is_foreign() -> None:
    assert settled(INTERLEAVED, "anthropic", provider="acme").thinking is None


def test_an_answer_of_blank_thinking_says_nothing() -> None:
    told = settled(Message("assistant", [], thinking=" \n", signature="c2ln", meta=THERE))
    assert (told.contents, told.thinking, told.signature) == ([], None, None)


def test_an_unknown_word_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="foreign_thinking must be drop or text, not 'keep'"):
        settled(INTERLEAVED, foreign_thinking="keep")


@pytest.mark.parametrize(
    ("policy", "told"), [("drop", "It is 3."), ("text", "<thinking>\nOne.\n</thinking>\n\nIt is ")]
)
def test_every_dialect_settles_it_before_it_encodes(policy: str, told: str) -> None:
    request = Request(model="m", messages=[Message("user", "a"), INTERLEAVED], foreign_thinking=policy)
    body = get_protocol("openai-chat").encode(request).body
    assert body["messages"][1]["content"].startswith(told)


def test_the_message_given_is_not_changed() -> None:
    settled(INTERLEAVED)
    assert INTERLEAVED.contents == [TextPart("It is "), TextPart("3.")]
    assert INTERLEAVED.thinking == "One.Two."
