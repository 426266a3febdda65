"""What one choice's deltas hold: reasoning in all its places, media, sources, and what goes back to the provider."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.accumulator import accumulate
from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    CitationAdded,
    Delta,
    MessageStart,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallStart,
)
from streamkit.limits import Limits
from streamkit.messages import Message
from streamkit.parts import AudioPart, CitationPart, ImagePart, ImageUrl, RawPart, ServerToolPart
from streamkit.protocols.openai_chat import views
from streamkit.protocols.openai_chat.choice import ChoiceReader
from streamkit.protocols.quirks import Quirks
from streamkit.testing.outcome import numbered_ids


def read(*deltas: dict[str, Any], quirks: Quirks | None = None) -> list[Delta]:
    reader = ChoiceReader(0, quirks=quirks or Quirks(), cumulative=False, mint=numbered_ids(), limits=Limits())
    out: list[Delta] = []
    for delta in deltas:
        reader.read(msgspec.convert(delta, views.Delta), out)
    reader.close(out)
    return out


def message(deltas: list[Delta]) -> Message:
    return accumulate([MessageStart(), *deltas]).message


def ends(deltas: list[Delta]) -> list[ThinkingEnd]:
    return [delta for delta in deltas if isinstance(delta, ThinkingEnd)]


def detail(text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "reasoning.text", "text": text, "index": 0, **fields}


def thinking_part(*texts: str, **fields: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text} for text in texts], **fields}


REASONING = [
    ("reasoning_content", [{"reasoning_content": "h"}, {"reasoning_content": "m"}]),
    ("reasoning", [{"reasoning": "h", "content": ""}, {"reasoning": "m", "content": None}]),
    ("reasoning_text", [{"reasoning_text": "hm"}]),
    ("two fields with the same text", [{"reasoning": piece, "reasoning_content": piece} for piece in "hm"]),
    ("details", [{"reasoning_details": [detail("h")]}, {"reasoning_details": [detail("m")]}]),
    ("details beside the text", [{"reasoning": piece, "reasoning_details": [detail(piece)]} for piece in "hm"]),
    (
        "a summary in details",
        [{"reasoning_details": [{"type": "reasoning.summary", "summary": piece}]} for piece in "hm"],
    ),
    ("mistral's parts", [{"content": [thinking_part("h")]}, {"content": [thinking_part("m", closed=True)]}]),
    ("a part with a string", [{"content": [{"type": "thinking", "thinking": "hm"}]}]),
    (
        "databricks' parts",
        [{"content": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": piece}]}]} for piece in "hm"],
    ),
]


@pytest.mark.parametrize("deltas", [case[1] for case in REASONING], ids=[case[0] for case in REASONING])
def test_reasoning_is_found_wherever_it_comes(deltas: list[dict[str, Any]]) -> None:
    out = read(*deltas, {"content": "Hi"})
    assert message(out).thinking == "hm"
    assert message(out).text == "Hi"
    starts = [delta for delta in out if isinstance(delta, (ThinkingStart, TextStart))]
    assert starts == [ThinkingStart(0), TextStart(1)]


@pytest.mark.feature("D: pi#8711")
def test_details_go_back_as_one_object_each() -> None:
    out = read(
        *({"reasoning": piece, "reasoning_details": [detail(piece)]} for piece in "abc"),
        {"reasoning_details": [detail("", signature="sig")]},
        {"content": "Hi"},
    )
    assert ends(out) == [ThinkingEnd(0, signature="sig", extra={"reasoning_details": [detail("abc", signature="sig")]})]


def test_encrypted_reasoning_is_a_block_without_text() -> None:
    secret = {"type": "reasoning.encrypted", "data": "xyz", "index": 0}
    out = read({"reasoning_details": [secret]}, {"content": "Hi"})
    assert out[:2] == [ThinkingStart(0), ThinkingEnd(0, extra={"reasoning_details": [secret]})]
    assert message(out).thinking is None
    assert message(out).blocks is not None


def test_encrypted_reasoning_after_the_text_or_a_call_is_kept_as_well() -> None:
    secret = {"type": "reasoning.encrypted", "data": "xyz", "id": "tool_f", "index": 0}
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}
    out = read({"reasoning": "hm"}, {"tool_calls": [call]}, {"content": "", "reasoning_details": [secret]})
    assert ends(out) == [ThinkingEnd(0), ThinkingEnd(2, extra={"reasoning_details": [secret]})]
    assert [block.part.__class__.__name__ for block in message(out).iter_blocks()] == [
        *("ThinkingPart", "FunctionPart", "ThinkingPart")
    ]


@pytest.mark.parametrize("empty", [[], [detail("")], [detail("", format="f")], None, "x", [None]], ids=repr)
def test_details_without_a_word_or_a_secret_open_no_block(empty: Any) -> None:
    out = read({"content": "a"}, {"content": "b", "reasoning_details": empty})
    assert out == [TextStart(0), TextDelta(0, "a"), TextDelta(0, "b"), TextEnd(0)]


SIGNED = [
    ("on the part", [thinking_part("hm", signature="sig")]),
    ("in a part of its own", [thinking_part("hm"), thinking_part(signature="sig", closed=True)]),
    (
        "on the summary",
        [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm", "signature": "sig"}]}],
    ),
]


@pytest.mark.parametrize("parts", [case[1] for case in SIGNED], ids=[case[0] for case in SIGNED])
def test_the_signature_of_a_thinking_part_is_kept(parts: list[dict[str, Any]]) -> None:
    out = read(*({"content": [part]} for part in parts), {"content": [{"type": "text", "text": "Hi"}]})
    assert out[:3] == [ThinkingStart(0), ThinkingDelta(0, "hm"), ThinkingEnd(0, signature="sig")]
    assert message(out).signature == "sig"


PARTS = [
    (
        "a reference",
        {"type": "reference", "reference_ids": [1]},
        CitationAdded(0, {"type": "reference", "reference_ids": [1]}),
    ),
    (
        "an image",
        {"type": "image_url", "image_url": "https://a.example/i"},
        BlockAdded(1, ImagePart(ImageUrl("https://a.example/i"))),
    ),
    ("unknown", {"type": "hologram", "x": 1}, BlockAdded(1, RawPart({"type": "hologram", "x": 1}))),
    ("no object", 5, BlockAdded(1, RawPart(5))),
    ("text of no kind", {"type": "text", "text": None}, BlockAdded(1, RawPart({"type": "text", "text": None}))),
]


@pytest.mark.parametrize(("part", "expected"), [case[1:] for case in PARTS], ids=[case[0] for case in PARTS])
def test_other_parts_of_content_are_kept(part: Any, expected: Delta) -> None:
    assert expected in read({"content": ["Hi", part]})


def test_a_refusal_may_be_a_part() -> None:
    out = read({"content": [{"type": "refusal", "refusal": "No."}]})
    assert [part.text for part in message(out).contents] == ["No."]


def test_sources_of_a_text_part_belong_to_it() -> None:
    out = read({"content": [{"type": "text", "text": "Hi", "citations": [{"url": "u"}]}]})
    assert CitationAdded(0, {"url": "u"}) in out


def test_annotations_belong_to_the_text_and_are_told_once() -> None:
    one, two = ({"type": "url_citation", "url_citation": {"url": url}} for url in "ab")
    out = read({"content": "Hi", "annotations": [one]}, {"annotations": [one, two]}, {"content": "!"})
    assert out[2:4] == [CitationAdded(0, one), CitationAdded(0, two)]
    assert message(out).text == "Hi!"


def test_annotations_before_the_text_wait_for_it() -> None:
    out = read({"content": "", "annotations": ["a"]}, {"content": "Hi"})
    assert out == [TextStart(0), TextDelta(0, "Hi"), CitationAdded(0, "a"), TextEnd(0)]
    assert read({"annotations": ["a"]}) == [BlockAdded(0, CitationPart("a"))]


def test_images_come_whole() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAEC"}}
    out = read({"content": "Look: "}, {"content": "", "images": [image]})
    [_, part] = message(out).contents
    assert isinstance(part, ImagePart)
    assert part.image.data == b"\0\1\2"


def test_sound_is_decoded_piece_by_piece() -> None:
    out = read(
        {"role": "assistant", "content": None, "audio": {"id": "audio_1", "transcript": "He"}},
        {"audio": {"data": "AAE="}},
        {"audio": {"data": "Ag", "transcript": "llo"}},
        {"audio": {"expires_at": 9}},
    )
    assert out == [
        AudioDelta(0, transcript="He", id="audio_1"),
        AudioDelta(0, b"\0\1"),
        AudioDelta(0, b"\2", "llo"),
        AudioDelta(0, expires_at=9),
    ]
    assert message(out).contents == [AudioPart(b"\0\1\2", "Hello", id="audio_1", expires_at=9)]


def test_tools_that_the_provider_ran_are_kept() -> None:
    call = {"index": 0, "type": "search", "arguments": "{}"}
    result = {**call, "output": "found"}
    out = read({"reasoning": "hm", "executed_tools": [call]}, {"executed_tools": [result]}, {"content": "Hi"})
    added = [delta.part for delta in out if isinstance(delta, BlockAdded)]
    assert added == [ServerToolPart("call", "0", "search", call), ServerToolPart("result", "0", "search", result)]


def test_the_legacy_call_that_doubles_the_text_is_none() -> None:
    out = read(*({"content": piece, "function_call": {"name": "f", "arguments": piece}} for piece in "ab"))
    assert message(out).text == "ab"
    assert message(out).tool_calls is None


def test_a_call_that_waits_for_its_arguments_comes_before_what_follows_it() -> None:
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}
    for later in ({"content": "Hi"}, {"images": ["x"]}, {"audio": {"data": "AAE="}}):
        out = read({"tool_calls": [call]}, later)
        assert out[0] == ToolCallStart(0, "a", "f")


def test_half_a_think_tag_before_something_else_is_text() -> None:
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}
    for later in ({"tool_calls": [call]}, {"images": ["x"]}, {"function_call": {"name": "f"}}):
        out = read({"content": "a <thi"}, later, {"content": "nk>b"}, quirks=Quirks(think_tags=True))
        assert message(out).text == "a <think>b"


def block(text: str, signature: str | None = None) -> dict[str, Any]:
    return {"type": "thinking", "thinking": text, "signature": signature}


REDACTED = {"type": "redacted_thinking", "data": "x"}
BLOCKS = [
    ("beside the text", [{"reasoning_content": piece, "thinking_blocks": [block(piece)]} for piece in ("h", "m")]),
    ("alone", [{"thinking_blocks": [block("h")]}, {"thinking_blocks": [block("m")]}]),
    ("whole", [{"reasoning_content": "hm", "thinking_blocks": [block("hm")]}]),
]


@pytest.mark.parametrize("deltas", [case[1] for case in BLOCKS], ids=[case[0] for case in BLOCKS])
def test_blocks_of_thinking_are_signed_by_their_last_piece(deltas: list[dict[str, Any]]) -> None:
    found = message(read(*deltas, {"reasoning_content": "", "thinking_blocks": [block("", "sig")]}, {"content": "Hi"}))
    assert (found.thinking, found.signature, found.text) == ("hm", "sig", "Hi")


def test_each_block_of_thinking_keeps_its_own_signature() -> None:
    whole = {"reasoning_content": "ab", "thinking_blocks": [block("a", "1"), REDACTED, block("b", "2")]}
    found = ends(read(whole, {"content": "Hi"}))
    assert [(end.signature, end.extra) for end in found] == [("1", None), (None, {"opaque": REDACTED}), ("2", None)]


def test_steps_before_the_answer_are_thoughts_and_what_tools_gave() -> None:
    search = {"thought": "Look.", "type": "web_search", "web_search": {"search_keywords": ["x"]}}
    found = message(read({"content": "", "reasoning_steps": [search]}, {"content": "Hi"}))
    assert found.thinking == "Look.\n"
    assert found.contents[0] == ServerToolPart("result", "", "web_search", search)
    assert found.text == "Hi"


def test_reasoning_that_is_whole_so_far_in_each_chunk_is_told_once_where_the_vendor_sends_it_so() -> None:
    deltas = [{"reasoning_details": [detail(text)]} for text in ("h", "hm", "hmm")]
    texts = [{"content": "Hi", "reasoning_details": [detail("hmm")]}, {"content": "Hi"}]
    out = read(*deltas, *texts, quirks=Quirks(reasoning_snapshots=True))
    assert [delta.text for delta in out if isinstance(delta, ThinkingDelta)] == ["h", "m", "m"]
    found = message(out)
    assert (found.thinking, found.text) == ("hmm", "HiHi")
    assert ends(out)[0].extra == {"reasoning_details": [detail("hmm")]}
    assert message(read(*deltas)).thinking == "hhmhmm"
