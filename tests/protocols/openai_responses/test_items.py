"""Items by index, by id and by neither; the streams of real servers are in `test_parser`."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    CitationAdded,
    Delta,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from streamkit.protocols.openai_responses.blocks import NO_BLOCK
from streamkit.protocols.openai_responses.events import ARGUMENTS, TEXT
from streamkit.protocols.openai_responses.items import Items
from streamkit.protocols.openai_responses.views import NO_INDEX


def new_items() -> tuple[Items, list[Delta]]:
    return Items(1000, lambda: "minted"), []


def message(text: str, id: str = "") -> dict[str, Any]:
    return {"type": "message", "id": id, "content": [{"type": "output_text", "text": text}]}


def call(id: str, arguments: str = "", name: str = "f") -> dict[str, Any]:
    return {"type": "function_call", "id": id, "call_id": f"call_{id}", "name": name, "arguments": arguments}


def test_the_block_that_grew_last_is_known_until_its_item_ends() -> None:
    items, out = new_items()
    assert items.newest is NO_BLOCK
    items.announce(0, {"type": "message", "id": "a"}, out)
    assert items.newest is NO_BLOCK
    items.grow(TEXT, 0, "a", 0, "x", out)
    assert (items.newest.place, items.newest.takes, items.newest.content) == (0, TEXT, 0)
    items.finish(0, message("x", "a"), out)
    assert items.newest is NO_BLOCK


def test_a_block_whose_events_have_no_index_takes_none_without_being_asked() -> None:
    items, out = new_items()
    items.grow(TEXT, NO_INDEX, "a", 0, "x", out)
    assert items.newest.place is None


def test_an_item_that_takes_the_place_of_another_is_not_taken_for_it() -> None:
    items, out = new_items()
    items.announce(0, call("a"), out)
    items.grow(ARGUMENTS, 0, "a", NO_INDEX, "1", out)
    items.announce(0, call("b"), out)
    assert items.newest is NO_BLOCK
    items.grow(ARGUMENTS, 0, "a", NO_INDEX, "2", out)
    assert out[1:] == [ToolCallDelta(0, "1"), ToolCallStart(1, "call_b", "f"), ToolCallDelta(1, "2")]


def test_items_of_two_types_may_share_an_index() -> None:
    items, out = new_items()
    items.announce(0, call("a"), out)
    items.grow(TEXT, 0, "", 0, "x", out)
    items.grow(ARGUMENTS, 0, "a", NO_INDEX, "{}", out)
    items.close(out)
    assert out == [
        ToolCallStart(0, "call_a", "f"),
        TextStart(1),
        TextDelta(1, "x"),
        ToolCallDelta(0, "{}"),
        ToolCallEnd(0, extra={"id": "a"}),
        TextEnd(1),
    ]


def test_a_piece_for_an_item_that_has_ended_opens_another() -> None:
    items, out = new_items()
    items.finish(0, message("x"), out)
    items.grow(TEXT, 0, "", 0, "y", out)
    items.close(out)
    assert [delta.text for delta in out if isinstance(delta, TextDelta)] == ["x", "y"]
    assert [delta.index for delta in out if isinstance(delta, TextEnd)] == [0, 1]


def test_an_item_that_ends_twice_ends_once() -> None:
    items, out = new_items()
    items.finish(0, message("x", "a"), out)
    before = list(out)
    items.finish(0, message("x", "a"), out)
    items.fill(TEXT, 0, "a", 0, "x", out)
    items.close(out)
    assert out == before


def test_two_items_that_only_end_may_have_one_index() -> None:
    items, out = new_items()
    items.finish(0, message("x", "a"), out)
    items.finish(0, message("y", "b"), out)
    assert [delta.text for delta in out if isinstance(delta, TextDelta)] == ["x", "y"]


def test_a_call_without_a_name_to_its_end_is_kept() -> None:
    items, out = new_items()
    items.grow(ARGUMENTS, 0, "", NO_INDEX, '{"a":', out)
    items.fill(ARGUMENTS, 0, "", NO_INDEX, '{"a":1}', out)
    assert out == []
    items.close(out)
    assert out == [ToolCallStart(0, "minted", ""), ToolCallDelta(0, '{"a":1}'), ToolCallEnd(0)]
    assert items.has_calls is True


def test_thinking_is_announced_at_once() -> None:
    items, out = new_items()
    items.announce(0, {"type": "reasoning", "id": "rs", "encrypted_content": "part"}, out)
    assert out == [ThinkingStart(0)]
    items.finish(0, {"type": "reasoning", "id": "rs", "encrypted_content": "whole"}, out)
    assert out[1:] == [ThinkingEnd(0, signature="whole", extra={"id": "rs"})]


def test_a_source_may_come_before_its_text() -> None:
    items, out = new_items()
    items.cite(0, "", 0, {"url": "a"}, out)
    items.grow(TEXT, 0, "", 0, "x", out)
    assert out == [TextStart(0), CitationAdded(0, {"url": "a"}), TextDelta(0, "x")]


def test_sound_is_one_block() -> None:
    items, out = new_items()
    items.audio(out, data=b"a")
    items.audio(out, transcript="b")
    assert out == [AudioDelta(0, b"a"), AudioDelta(0, transcript="b")]


def test_halves_of_characters_in_a_transcript_are_joined() -> None:
    items, out = new_items()
    items.audio(out, transcript="a\ud83d")
    items.audio(out, transcript="\ude00\ud83d")
    items.close(out)
    assert [delta.transcript for delta in out if isinstance(delta, AudioDelta)] == ["a", "😀", "\ufffd"]


def test_items_of_the_whole_output_are_found_by_id_before_type() -> None:
    items, out = new_items()
    items.announce(0, call("a"), out)
    items.announce(1, call("b"), out)
    items.settle([call("new", "[]"), call("b", "2"), call("a", "1")], out)
    names = {delta.index: delta.id for delta in out if isinstance(delta, ToolCallStart)}
    said = {names[delta.index]: delta.arguments for delta in out if isinstance(delta, ToolCallDelta)}
    assert said == {"call_a": "1", "call_b": "2", "call_new": "[]"}


def test_an_id_of_another_type_of_item_is_not_believed() -> None:
    items, out = new_items()
    items.announce(0, call("a"), out)
    items.settle([message("x", "a"), call("a", "{}")], out)
    items.close(out)
    assert [type(delta).__name__ for delta in out] == [
        "ToolCallStart",
        "TextStart",
        "TextDelta",
        "TextEnd",
        "ToolCallDelta",
        "ToolCallEnd",
    ]


def test_what_was_only_announced_ends_as_it_was_announced() -> None:
    items, out = new_items()
    items.announce(0, {"type": "web_search_call", "id": "ws"}, out)
    items.announce(1, {"type": "computer_call", "id": "cu", "call_id": "c"}, out)
    items.announce(2, message("x", "m"), out)
    items.close(out)
    parts = [delta.part for delta in out if isinstance(delta, BlockAdded)]
    assert [getattr(part, "id", None) for part in parts] == ["ws", "c"]
    assert [delta.text for delta in out if isinstance(delta, TextDelta)] == ["x"]


def test_halves_of_characters_are_given_out_where_the_stream_breaks_off() -> None:
    items, out = new_items()
    items.grow(TEXT, 0, "", 0, "a\ud83d", out)
    items.flush(out)
    items.flush(out)
    assert out[1:] == [TextDelta(0, "a"), TextDelta(0, "\ufffd")]


@pytest.mark.parametrize("raw", [{"type": 5}, {"type": "message", "id": 5}])
def test_an_item_of_another_form_is_refused(raw: dict[str, Any]) -> None:
    items, out = new_items()
    with pytest.raises(msgspec.ValidationError):
        items.announce(0, raw, out)
    with pytest.raises(msgspec.ValidationError):
        items.finish(0, raw, out)
