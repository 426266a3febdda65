from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from streamkit.custom import (
    BashExecution,
    BranchSummary,
    CompactionSummary,
    CustomContent,
    convert_to_llm,
    custom_message,
    custom_value,
    register_message,
)
from streamkit.errors import ConfigError, HistoryWarning, ImageNotEmbedded
from streamkit.interop.agentcore.convert import from_agentcore, to_agentcore
from streamkit.interop.agentcore.custom import from_custom, to_custom
from streamkit.interop.agentcore.messages import (
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    CustomWrapper,
    ImageContent,
    TextContent,
    UserMessage,
)
from streamkit.messages import Message, Meta
from streamkit.parts import EmbeddedImage, ImagePart, ImageUrl, RawPart, TextPart, ValuePart
from streamkit.testing.strategies import json_values, texts

PNG = ImagePart(EmbeddedImage("image/png", b"hi"))


class Vote(Struct, tag="test_custom_vote"):
    """A kind of a user's own."""

    choice: str


register_message(Vote, lambda vote: f"Voted for {vote.choice}.")

PAIRS: list[tuple[Any, Struct]] = [
    (BashExecutionMessage("ls"), BashExecution("ls")),
    (
        BashExecutionMessage("ls", "a", 1, True, True, "/out", 5, True),
        BashExecution("ls", "a", 1, True, True, "/out", True, 5),
    ),
    (CompactionSummaryMessage("short", 1000, 5), CompactionSummary("short", 1000, 5)),
    (BranchSummaryMessage("aside", "m1", 5), BranchSummary("aside", "m1", 5)),
    (CustomMessage("note", "words", False, {"x": [1]}, 5), CustomContent("note", "words", False, {"x": [1]}, 5)),
    (
        CustomMessage("note", [TextContent("a"), ImageContent("aGk=", "image/png")]),
        CustomContent("note", [TextPart("a"), PNG]),
    ),
    (CustomWrapper(UserMessage([TextContent("a")], 5), "x"), CustomWrapper(UserMessage([TextContent("a")], 5), "x")),
    (CustomWrapper(BashExecutionMessage("ls"), "x"), CustomWrapper(BashExecutionMessage("ls"), "x")),
    (Vote("tea"), Vote("tea")),
]


@pytest.mark.feature("4.9", "4.10", "4.11", "4.12", "4.13", "4.14")
@pytest.mark.parametrize(("theirs", "ours"), PAIRS, ids=lambda value: type(value).__name__)
def test_a_message_of_an_application_goes_there_and_back(theirs: Any, ours: Struct) -> None:
    message = to_custom(theirs)
    assert custom_value(message) == ours
    assert from_custom(message) == theirs
    assert from_custom(msgspec.json.decode(msgspec.json.encode(message), type=Message)) == theirs
    assert from_custom(custom_message(ours)) == theirs


@pytest.mark.feature("4.12")
def test_a_wrapper_is_kept_and_the_model_does_not_see_it() -> None:
    history = from_agentcore([CustomWrapper(UserMessage([TextContent("a")]), "x")])
    assert len(history) == 1
    assert convert_to_llm(history) == []


_custom = st.one_of(
    st.builds(
        BashExecutionMessage,
        texts(),
        texts(),
        st.none() | st.integers(-99, 255),
        st.booleans(),
        st.booleans(),
        st.none() | texts(),
        st.integers(0, 2**41),
        st.booleans(),
    ),
    st.builds(CompactionSummaryMessage, texts(), st.integers(0, 2**31), st.integers(0, 2**41)),
    st.builds(BranchSummaryMessage, texts(), texts(), st.integers(0, 2**41)),
    st.builds(
        CustomMessage,
        texts(),
        texts() | st.lists(st.builds(TextContent, texts()), max_size=2),
        st.booleans(),
        json_values(),
        st.integers(0, 2**41),
    ),
)


@given(st.lists(_custom, max_size=3))
def test_any_of_them_come_back_as_they_were(messages: list[Any]) -> None:
    assert to_agentcore(from_agentcore(messages)) == messages


@pytest.mark.parametrize("message", [object(), {"role": "custom"}, "ls", TextContent("a")])
def test_what_is_not_registered_is_no_message(message: Any) -> None:
    with pytest.raises(ConfigError, match="regist"):
        from_agentcore([message])


def test_a_kind_that_nobody_registered_is_left_out_with_a_warning() -> None:
    message = Message("user", [ValuePart({})], meta=Meta(custom="unheard_of"))
    with pytest.warns(HistoryWarning, match="nobody registered the kind of message 'unheard_of': it is left out"):
        assert to_agentcore([message, Message("user", [TextPart("a")])]) == [UserMessage([TextContent("a")])]


def test_a_part_without_a_place_there_is_left_out_with_a_warning() -> None:
    with pytest.warns(HistoryWarning, match="RawPart"):
        (message,) = to_agentcore([custom_message(CustomContent("note", [TextPart("a"), RawPart({"type": "b"})]))])
    assert message == CustomMessage("note", [TextContent("a")])
    with pytest.raises(ImageNotEmbedded):
        to_agentcore([custom_message(CustomContent("note", [ImagePart(ImageUrl("https://example.org/a.png"))]))])
