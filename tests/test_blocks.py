"""The overlay that keeps the order of blocks and their signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.blocks import Block, BlockRef, OpaquePart, ThinkingPart, thinking_ref
from streamkit.messages import Message
from streamkit.parts import FunctionCall, FunctionPart, TextPart

THOUGHT = "First, look.Then, add: 😀."
REDACTED = {"type": "redacted_thinking", "data": "EmwK"}


def interleaved() -> Message:
    """Thinking, text and calls in turn, each with its own signature."""
    return Message(
        "assistant",
        [TextPart("I look."), TextPart("It is 3.")],
        thinking=THOUGHT,
        tool_calls=[FunctionPart("c1", FunctionCall("look")), FunctionPart("c2", FunctionCall("add", {"a": 1}))],
        blocks=[
            thinking_ref(THOUGHT, 0, 12, "s1", None),
            BlockRef("contents", 0, signature="s2"),
            BlockRef("tool_calls", 0, signature="s3", extra={"caller": "direct"}),
            BlockRef("opaque", data=REDACTED),
            thinking_ref(THOUGHT, 12, len(THOUGHT), "s4", {"format": "x"}),
            BlockRef("tool_calls", 1),
            BlockRef("contents", 1, signature="s5"),
        ],
    )


IN_ORDER = [
    Block(ThinkingPart("First, look."), "s1"),
    Block(TextPart("I look."), "s2"),
    Block(FunctionPart("c1", FunctionCall("look")), "s3", {"caller": "direct"}),
    Block(OpaquePart(REDACTED)),
    Block(ThinkingPart("Then, add: 😀."), "s4", {"format": "x"}),
    Block(FunctionPart("c2", FunctionCall("add", {"a": 1}))),
    Block(TextPart("It is 3."), "s5"),
]


def flat(message: Message) -> list[Block]:
    """The blocks as the flat fields alone say them."""
    thinking = [Block(ThinkingPart(message.thinking or ""), message.signature)] if message.thinking else []
    return thinking + [Block(part) for part in (*message.contents, *(message.tool_calls or []))]


def test_blocks_come_in_the_order_of_the_stream_with_a_signature_each() -> None:
    assert list(interleaved().iter_blocks()) == IN_ORDER


def test_order_and_signatures_survive_a_round_trip_through_json() -> None:
    text = msgspec.json.encode(interleaved())
    back = msgspec.json.decode(text, type=Message)
    assert back == interleaved()
    assert list(back.iter_blocks()) == IN_ORDER
    assert msgspec.json.encode(back) == text


def test_the_overlay_holds_no_second_copy_of_the_text() -> None:
    text = msgspec.json.encode(interleaved()).decode()
    for once in ("First, look.", "I look.", "It is 3.", "Then, add"):
        assert text.count(once) == 1


FLAT: list[tuple[str, Message, list[Block]]] = [
    ("nothing", Message("assistant"), []),
    ("text alone", Message("assistant", [TextPart("a"), TextPart("b")]), [Block(TextPart("a")), Block(TextPart("b"))]),
    (
        "thinking, contents, calls",
        Message(
            "assistant", [TextPart("a")], thinking="t", tool_calls=[FunctionPart("c", FunctionCall("f"))], signature="s"
        ),
        [Block(ThinkingPart("t"), "s"), Block(TextPart("a")), Block(FunctionPart("c", FunctionCall("f")))],
    ),
    ("thinking unsigned", Message("assistant", thinking="t"), [Block(ThinkingPart("t"))]),
    ("a signature without thinking", Message("assistant", signature="s"), [Block(ThinkingPart(""), "s")]),
    ("an empty overlay", Message("assistant", [TextPart("a")], blocks=[]), [Block(TextPart("a"))]),
]


@pytest.mark.parametrize(("message", "blocks"), [case[1:] for case in FLAT], ids=[case[0] for case in FLAT])
def test_without_an_overlay_the_flat_fields_say_it_all(message: Message, blocks: list[Block]) -> None:
    assert list(message.iter_blocks()) == blocks


def redact_longer(message: Message) -> None:
    message.thinking = THOUGHT.replace("add", "[removed]")


def redact_equal_length(message: Message) -> None:
    message.thinking = THOUGHT.replace("add", "XXX")


def redact_first(message: Message) -> None:
    message.thinking = "F" + "irst, loXk." + THOUGHT[12:]


def swap_spans(message: Message) -> None:
    message.thinking = THOUGHT[12:] + THOUGHT[:12]


def drop_thinking(message: Message) -> None:
    message.thinking = None


def add_thinking(message: Message) -> None:
    message.thinking = THOUGHT + "!"


def drop_text(message: Message) -> None:
    del message.contents[0]


def add_text(message: Message) -> None:
    message.contents.append(TextPart("More."))


def drop_calls(message: Message) -> None:
    message.tool_calls = None


def add_call(message: Message) -> None:
    (message.tool_calls or []).append(FunctionPart("c3", FunctionCall("f")))


EDITS = [redact_longer, redact_equal_length, redact_first, swap_spans, drop_thinking, add_thinking, drop_text, add_text]
EDITS += [drop_calls, add_call]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_overlay_that_no_longer_fits_is_ignored(edit: Callable[[Message], None]) -> None:
    message = interleaved()
    edit(message)
    assert list(message.iter_blocks()) == flat(message)
    back = msgspec.json.decode(msgspec.json.encode(message), type=Message)
    assert list(back.iter_blocks()) == flat(message)


def test_an_edit_of_a_text_wins_though_the_overlay_still_fits() -> None:
    message = interleaved()
    message.contents[1] = TextPart("It is [removed].")
    assert [block.part for block in message.iter_blocks()][-1] == TextPart("It is [removed].")


def test_unsigned_thinking_may_be_edited_at_equal_length() -> None:
    message = Message("assistant", [TextPart("a")], thinking="abcd")
    message.blocks = [
        thinking_ref("abcd", 0, 2, None, None),
        BlockRef("contents"),
        thinking_ref("abcd", 2, 4, None, None),
    ]
    message.thinking = "ab**"
    assert [block.part for block in message.iter_blocks()] == [ThinkingPart("ab"), TextPart("a"), ThinkingPart("**")]


MISFITS: list[tuple[str, list[BlockRef]]] = [
    ("a gap", [BlockRef("thinking", 0, 1), BlockRef("thinking", 2, 4), BlockRef("contents", 0)]),
    ("an overlap", [BlockRef("thinking", 0, 3), BlockRef("thinking", 2, 4), BlockRef("contents", 0)]),
    ("a span that runs backwards", [BlockRef("thinking", 0, -2), BlockRef("thinking", -2, 4), BlockRef("contents", 0)]),
    ("a span beyond the end", [BlockRef("thinking", 0, 5), BlockRef("contents", 0)]),
    ("an item twice", [BlockRef("thinking", 0, 4), BlockRef("contents", 0), BlockRef("contents", 0)]),
    ("an item that is not there", [BlockRef("thinking", 0, 4), BlockRef("contents", 0), BlockRef("contents", 1)]),
    ("a call that is not there", [BlockRef("thinking", 0, 4), BlockRef("contents", 0), BlockRef("tool_calls", 0)]),
    ("an item before the first", [BlockRef("thinking", 0, 4), BlockRef("contents", -1)]),
    ("a missing item", [BlockRef("thinking", 0, 4)]),
    ("missing thinking", [BlockRef("contents", 0)]),
    ("another check", [BlockRef("thinking", 0, 4, signature="s", check=1), BlockRef("contents", 0)]),
]


@pytest.mark.parametrize("refs", [case[1] for case in MISFITS], ids=[case[0] for case in MISFITS])
def test_a_foreign_overlay_does_no_harm(refs: list[BlockRef]) -> None:
    message = Message("assistant", [TextPart("a")], thinking="abcd", blocks=refs)
    assert list(message.iter_blocks()) == [Block(ThinkingPart("abcd")), Block(TextPart("a"))]


@given(st.lists(st.tuples(st.sampled_from(["thinking", "contents", "tool_calls", "opaque"]), st.text(max_size=5))))
def test_any_interleaving_comes_back_as_it_was(blocks: list[tuple[str, str]]) -> None:
    thinking = "".join(text for of, text in blocks if of == "thinking")
    message = Message("assistant", thinking=thinking or None, tool_calls=[], blocks=[])
    assert message.tool_calls is not None
    assert message.blocks is not None
    expected, at = [], 0
    for number, (of, text) in enumerate(blocks):
        signature = f"sig{number}" if number % 2 else None
        part: Any
        if of == "thinking":
            part = ThinkingPart(text)
            message.blocks.append(thinking_ref(thinking, at, at + len(text), signature, None))
            at += len(text)
        elif of == "contents":
            part = TextPart(text)
            message.blocks.append(BlockRef("contents", len(message.contents), signature=signature))
            message.contents.append(part)
        elif of == "tool_calls":
            part = FunctionPart(text, FunctionCall("f", {"a": text}))
            message.blocks.append(BlockRef("tool_calls", len(message.tool_calls), signature=signature))
            message.tool_calls.append(part)
        else:
            part = OpaquePart(text)
            message.blocks.append(BlockRef("opaque", data=text, signature=signature))
        expected.append(Block(part, signature))
    back = msgspec.json.decode(msgspec.json.encode(message), type=Message)
    assert list(back.iter_blocks()) == list(message.iter_blocks()) == expected
