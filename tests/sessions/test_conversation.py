from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from streamkit.messages import Message
from streamkit.parts import TextPart, ValuePart
from streamkit.sessions import conversation
from streamkit.sessions.conversation import Conversation
from streamkit.sessions.records import ConversationRecord, Record, RetractionRecord, WorkingMemoryRecord
from tests.sessions.conftest import messages

A, B, C, D = (Message("user", [TextPart(text)]) for text in "abcd")
TURNS = [ConversationRecord(message, id=str(number)) for number, message in enumerate([A, B, C])]


@dataclass
class Kept:
    """A conversation, and the records that it is made of by now."""

    records: list[Record] = field(default_factory=list)
    conversation: Conversation = field(default_factory=Conversation)

    def keep(self, history: list[Message], *, edits: bool = False) -> list[Record]:
        added = self.conversation.changes(history, edits=edits)
        for record in added:
            self.records.append(structs.replace(record, id=str(len(self.records))))
            self.conversation.feed(self.records[-1])
        self.conversation.is_now(history)
        return added

    @property
    def messages(self) -> list[Message]:
        return [record.message for record in self.conversation.records]


RETRACTIONS = [
    ("the last one", "2", [A, B]),
    ("with all that follow", "1", [A]),
    ("everything", "0", []),
    ("nothing that was stored", "", [A, B, C]),
    ("what is not there", "9", [A, B, C]),
]


@pytest.mark.parametrize(("since", "left"), [c[1:] for c in RETRACTIONS], ids=[c[0] for c in RETRACTIONS])
def test_a_retraction_takes_back_messages_from_one_on(since: str, left: list[Message]) -> None:
    conversation = Conversation([*TURNS, WorkingMemoryRecord(["kept"]), RetractionRecord("no", since)])
    assert [record.message for record in conversation.records] == left
    conversation.feed(ConversationRecord(D, id="4"))
    assert [record.message for record in conversation.records] == [*left, D]


def test_what_is_new_is_added_and_what_is_the_same_is_not() -> None:
    kept = Kept()
    assert kept.keep([A, B]) == [ConversationRecord(A), ConversationRecord(B)]
    assert kept.keep([A, B]) == []
    assert kept.keep([A, B, C]) == [ConversationRecord(C)]
    assert kept.keep([structs.replace(A), B, C]) == []  # equal, though another object


def test_what_has_gone_is_taken_back() -> None:
    kept = Kept()
    kept.keep([A, B, C])
    assert kept.keep([A]) == [RetractionRecord("the history was changed", "1")]
    assert kept.keep([D, A]) == [RetractionRecord("the history was changed", "0"), *map(ConversationRecord, [D, A])]
    assert kept.keep([]) == [RetractionRecord("the history was changed", "5")]


def test_a_message_that_was_edited_in_place_is_found_when_that_is_asked_for() -> None:
    kept = Kept()
    mine = Message("user", [TextPart("my name")])
    kept.keep([mine, B])
    mine.contents[0] = TextPart("[redacted]")
    assert kept.keep([mine, B]) == []
    assert len(kept.keep([mine, B], edits=True)) == 3
    assert kept.messages == [mine, B]


def test_what_json_says_in_another_way_is_not_added_again_and_again() -> None:
    kept = Kept()
    odd = Message("tool", [ValuePart((1, 2))], id="c")  # a tuple, which comes back as a list
    assert len(kept.keep([odd])) == 1
    again = Kept(kept.records, Conversation(kept.records))
    assert again.keep([odd]) == []
    assert again.keep([Message("tool", [ValuePart([1, 2])], id="c")]) == []


@settings(max_examples=8)
@given(st.lists(st.lists(messages() | st.sampled_from([A, B]), max_size=4), max_size=5), st.booleans())
def test_the_conversation_is_always_the_last_history(histories: list[list[Message]], edits: bool) -> None:
    kept = Kept()
    for history in histories:
        kept.keep(history, edits=edits)
        assert kept.messages == history
        resumed = Conversation(kept.records)
        assert [record.message for record in resumed.records] == history
        assert resumed.changes(history) == []


def test_a_last_message_that_is_replaced_costs_nothing_for_those_before(monkeypatch: pytest.MonkeyPatch) -> None:
    digests: list[Message] = []
    digest = conversation._digest
    monkeypatch.setattr(conversation, "_digest", lambda message: digests.append(message) or digest(message))
    kept, history = Kept(), list[Message]()
    for number in range(50):  # each answer is there in part first, as a stream that is kept while it grows
        for text in ["part", "whole"]:
            history = [*history[:number], Message("assistant", [TextPart(f"{text} of {number}")])]
            kept.keep(history)
    assert kept.messages == history
    assert len(digests) <= 4 * 50


def test_of_records_with_one_id_the_last_is_meant() -> None:
    twice = [*TURNS, ConversationRecord(D, id="0")]
    conversation = Conversation([*twice, RetractionRecord("no", "0")])
    assert [record.message for record in conversation.records] == [A, B, C]
