"""What is read of an event at once, and which deltas are a piece of text and nothing more."""

from __future__ import annotations

import msgspec
import pytest

from streamkit.protocols.gemini_interactions.views import Counts, DeltaView, EventView, Summary, decode_event, piece_of

PIECES = [
    ("a text", DeltaView("text", "a"), "a"),
    ("arguments", DeltaView("arguments_delta", arguments="{"), "{"),
    ("a summary", DeltaView("thought_summary", content=Summary("text", "Hm")), "Hm"),
    ("a text with its sources", DeltaView("text", "a", annotations=[{}]), ""),
    ("arguments with a signature", DeltaView("arguments_delta", arguments="{", signature="s"), ""),
    ("an image in a summary", DeltaView("thought_summary", content=Summary("image")), ""),
    ("a summary of nothing", DeltaView("thought_summary"), ""),
    ("a text under another type", DeltaView("ripple", "a"), ""),
]


@pytest.mark.parametrize(("delta", "piece"), [case[1:] for case in PIECES], ids=[case[0] for case in PIECES])
def test_a_delta_is_a_piece_or_is_not(delta: DeltaView, piece: str) -> None:
    assert piece_of(delta) == piece


def test_an_event_is_decoded_with_its_place_and_its_counts() -> None:
    data = (
        b'{"index":1,"delta":{"type":"text","text":"a"},"event_type":"step.delta","event_id":"e1",'
        b'"metadata":{"total_usage":{"total_output_tokens":3}}}'
    )
    event = decode_event(data)
    assert (event.event_type, event.index, event.event_id, event.delta) == (
        "step.delta",
        1,
        "e1",
        DeltaView("text", "a"),
    )
    assert event.metadata is not None
    assert event.metadata.total_usage == Counts(candidates_token_count=3)
    assert decode_event(b"{}") == EventView()


def test_the_arguments_of_a_servers_tool_are_no_piece() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_event(b'{"delta":{"type":"google_search_call","arguments":{"queries":[]}}}')


def test_counts_have_names_of_their_own() -> None:
    counts = msgspec.convert({"total_input_tokens": 1, "total_cached_tokens": 2, "total_tool_use_tokens": 3}, Counts)
    assert counts == Counts(prompt_token_count=1, cached_content_token_count=2, tool_use_prompt_token_count=3)
