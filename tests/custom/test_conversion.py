"""What the model sees of a conversation with custom messages."""

from __future__ import annotations

import warnings
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from streamkit.custom import (
    BashExecution,
    CompactionSummary,
    convert_to_llm,
    custom_message,
    custom_value,
    register_message,
)
from streamkit.custom.builtin import COMPACTION_PREFIX, COMPACTION_SUFFIX
from streamkit.custom.conversion import to_llm
from streamkit.errors import ConfigError, HistoryWarning
from streamkit.marks import mark_cached
from streamkit.messages import Message, Meta
from streamkit.parts import TextPart, ValuePart


class Note(Struct, tag="test_conversion_note"):
    """What its converter is to give."""

    told: Any


class Given(Struct, tag="test_conversion_given"):
    number: int


GIVEN: list[Any] = []
register_message(Note, lambda note: note.told)
register_message(Given, lambda given: GIVEN[given.number])

SAID = [
    Message("system", [TextPart("Be brief.")]),
    Message("user", [TextPart("a")]),
    Message("user", [ValuePart({"a": 1})], meta=Meta(timestamp=5)),
    Message("assistant", [TextPart("b")], meta=Meta(name="agent")),
]
UNKNOWN = Message("user", [ValuePart({})], meta=Meta(custom="nobody_knows"))


def given_by(value: Any) -> Message:
    GIVEN.append(value)
    return custom_message(Given(len(GIVEN) - 1))


def test_a_conversation_without_custom_messages_is_the_same_list() -> None:
    history = list(SAID)
    assert convert_to_llm(history) is history
    empty: list[Message] = []
    assert convert_to_llm(empty) is empty


@pytest.mark.feature("4.31")
def test_custom_messages_are_converted_in_their_places_and_the_others_are_the_same_objects() -> None:
    history = [
        SAID[0],
        custom_message(CompactionSummary("short", timestamp=4)),
        SAID[1],
        custom_message(BashExecution("env", "SECRET=1", exclude_from_context=True)),
        custom_message(BashExecution("ls", "a")),
        SAID[3],
    ]
    before = msgspec.json.encode(history)
    seen = convert_to_llm(history)
    assert [message.text for message in seen] == [
        "Be brief.",
        "What was said before this point has been summed up:\n\n<summary>\nshort\n</summary>",
        "a",
        "Ran `ls`\n```\na\n```\n",
        "b",
    ]
    assert (seen[0], seen[2], seen[4]) == (SAID[0], SAID[1], SAID[3])
    assert seen[0] is SAID[0] and seen[2] is SAID[1] and seen[4] is SAID[3]
    assert msgspec.json.encode(history) == before
    assert convert_to_llm(seen) is seen


CONVERTED: list[tuple[Any, Message | None]] = [
    ("words", Message("user", [TextPart("words")])),
    ("", Message("user", [TextPart("")])),
    ([TextPart("a"), ValuePart(1)], Message("user", [TextPart("a"), ValuePart(1)])),
    ((TextPart("a"),), Message("user", [TextPart("a")])),
    ([{"type": "text", "text": "a"}], Message("user", [TextPart("a")])),
    ([], Message("user", [])),
    (Message("system", [TextPart("a")]), Message("system", [TextPart("a")])),
    (None, None),
]


@pytest.mark.parametrize(("told", "message"), CONVERTED)
def test_a_converter_gives_text_parts_a_message_or_nothing(told: Any, message: Message | None) -> None:
    custom = given_by(told)
    assert to_llm(custom) == message
    assert convert_to_llm([custom]) == ([] if message is None else [message])


def test_a_message_that_a_converter_gives_is_the_same_object() -> None:
    said = Message("user", [TextPart("a")])
    assert convert_to_llm([given_by(said)])[0] is said


@pytest.mark.parametrize("ttl", [None, "1h"])
def test_a_mark_for_the_cache_stands_on_what_the_model_sees(ttl: str | None) -> None:
    summary = mark_cached(custom_message(CompactionSummary("short")), ttl)
    assert custom_value(summary) == CompactionSummary("short")
    seen = to_llm(summary)
    assert seen == mark_cached(Message("user", [TextPart(f"{COMPACTION_PREFIX}short{COMPACTION_SUFFIX}")]), ttl)
    assert to_llm(mark_cached(given_by([]), ttl)) == Message("user", [])
    assert to_llm(mark_cached(given_by(None), ttl)) is None
    answer = Message("assistant", [TextPart("a")])
    assert to_llm(mark_cached(given_by(answer), ttl)) is answer


BAD: list[tuple[Any, str]] = [
    (5, "the converter of 'test_conversion_given' gave no text, parts, message or None: it is of type int"),
    ([5], "gave no text, parts, message or None: .*not int"),
    ({"role": "user"}, "gave no text, parts, message or None"),
    ([{"type": "text"}], "gave no text, parts, message or None: .*`text`"),
    (custom_message(BashExecution("ls")), "gave a custom message, which no model sees"),
]


@pytest.mark.parametrize(("told", "words"), BAD)
def test_anything_else_that_a_converter_gives_is_an_error_with_its_name(told: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        convert_to_llm([given_by(told)])


def test_what_a_converter_raises_comes_through() -> None:
    class Failing(Struct):
        pass

    def fail(failing: Failing) -> None:
        raise KeyError("mine")

    register_message(Failing, fail)
    with pytest.raises(KeyError, match="mine"):
        convert_to_llm([custom_message(Failing())])


def test_a_kind_that_nobody_registered_is_left_out_with_one_warning_a_kind() -> None:
    other = Message("user", [ValuePart({})], meta=Meta(custom="other_unknown"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert convert_to_llm([UNKNOWN, SAID[1], other, UNKNOWN, UNKNOWN]) == [SAID[1]]
    assert [(warning.category, str(warning.message)) for warning in caught] == [
        (HistoryWarning, f"nobody registered the kind of message {name!r}: the model does not see it")
        for name in ("nobody_knows", "other_unknown")
    ]


def test_a_message_that_is_not_of_its_kind_is_left_out_with_the_reason() -> None:
    old = Message("user", [ValuePart({"cmd": "ls"})], meta=Meta(custom="bash_execution"))
    with pytest.warns(HistoryWarning, match="not of its kind 'bash_execution': .*`command`: the model does not see it"):
        assert convert_to_llm([old, SAID[1]]) == [SAID[1]]
    with pytest.warns(HistoryWarning, match="nobody registered"):
        assert to_llm(UNKNOWN) is None


MESSAGES = st.lists(
    st.one_of(
        st.sampled_from(SAID),
        st.one_of(st.none(), st.text(), st.lists(st.builds(dict, type=st.just("text"), text=st.text()))).map(
            lambda told: custom_message(Note(told))
        ),
        st.builds(
            lambda command, hidden: custom_message(BashExecution(command, exclude_from_context=hidden)),
            st.text(),
            st.booleans(),
        ),
        st.just(UNKNOWN),
    ),
    max_size=12,
)


@given(MESSAGES)
def test_any_conversation_keeps_its_order_and_what_was_said(history: list[Message]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HistoryWarning)  # of kinds that nobody registered
        one_by_one = [to_llm(message) for message in history]
        seen = convert_to_llm(history)
        loaded = msgspec.json.decode(msgspec.json.encode(history), type=list[Message])
        assert loaded == history
        assert convert_to_llm(loaded) == seen
    assert seen == [message for message in one_by_one if message is not None]
    said = [message for message in history if message.meta is None or message.meta.custom is None]
    same = {id(message) for message in said}
    assert [message for message in seen if id(message) in same] == said
    assert (seen is history) == (len(said) == len(history))
    assert all(message.meta is None or message.meta.custom is None for message in seen)
    assert convert_to_llm(seen) is seen
