"""Which item an event is about, by what it says; the streams of real servers are in `test_parser`."""

from __future__ import annotations

import pytest

from streamkit.protocols.openai_responses.roster import Roster
from streamkit.protocols.openai_responses.views import NO_INDEX

# name, the items that came (type, index, id), the event's (type, index, id), the number of the item
FOUND = [
    ("by index and type, whatever the id", [("message", 0, "a"), ("message", 1, "b")], ("message", 1, "a"), 1),
    ("of two types under one index", [("reasoning", 0, "a"), ("message", 0, "b")], ("reasoning", 0, ""), 0),
    ("the newest under one index", [("message", 0, "a"), ("message", 0, "b")], ("message", 0, "a"), 1),
    ("by id, where there is no index", [("message", -1, "a"), ("message", -1, "b")], ("message", -1, "a"), 0),
    ("the newest of its type, without either", [("message", -1, "a"), ("message", -1, "b")], ("message", -1, ""), 1),
    ("no item with that index", [("message", 0, "a")], ("message", 1, "a"), None),
    ("no item of that type", [("message", -1, "a")], ("reasoning", -1, "a"), None),
]


@pytest.mark.parametrize(("came", "event", "number"), [case[1:] for case in FOUND], ids=[case[0] for case in FOUND])
def test_an_event_finds_its_item(
    came: list[tuple[str, int, str]], event: tuple[str, int, str], number: int | None
) -> None:
    roster = Roster()
    items = [roster.add(*each) for each in came]
    assert roster.find(*event) is (None if number is None else items[number])
    assert list(roster) == items


def test_an_item_that_has_ended_is_not_the_newest_of_its_type() -> None:
    roster = Roster()
    roster.add("message", NO_INDEX, "").done = True
    assert roster.find("message", NO_INDEX, "") is None


def test_an_item_without_an_index_has_begun_only_under_its_own_id() -> None:
    roster = Roster()
    item = roster.add("message", NO_INDEX, "a")
    assert roster.find_begun("message", NO_INDEX, "a") is item
    assert roster.find_begun("message", NO_INDEX, "b") is None
    assert roster.find_begun("message", 0, "a") is None


def test_the_whole_output_is_matched_by_id_before_type() -> None:
    roster = Roster()
    first, second = roster.add("message", 0, "a"), roster.add("message", 1, "b")
    whole = [{"type": "message", "id": each} for each in ("new", "b", "other")]
    assert [item for _, item in roster.match(whole)] == [first, second, None]
