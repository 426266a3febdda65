"""Deltas and their JSON."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import msgspec
import pytest

from streamkit import deltas
from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    CitationAdded,
    Delta,
    Logprobs,
    MessageDeltaOutput,
    MessageEnd,
    MessageStart,
    RawFrame,
    RefusalDelta,
    RefusalEnd,
    RefusalStart,
    Replace,
    Retract,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.messages import FinishReason, Meta
from streamkit.parts import EmbeddedImage, ImagePart, RawPart, ValuePart
from streamkit.usage import Usage

KINDS: tuple[Any, ...] = get_args(Delta)

# One of each, with its JSON, byte for byte.
FORMS: list[tuple[Delta, str]] = [
    (MessageStart(id="r1", model="m"), '{"type":"message_start","id":"r1","model":"m"}'),
    (
        MessageStart("tool", "c1", meta=Meta(name="f")),
        '{"type":"message_start","role":"tool","id":"c1","meta":{"name":"f"}}',
    ),
    (TextStart(0), '{"type":"text_start","index":0}'),
    (TextDelta(0, "a😀"), '{"type":"text_delta","index":0,"text":"a😀"}'),
    (TextDelta(0, "b", choice=1), '{"type":"text_delta","index":0,"text":"b","choice":1}'),
    (TextEnd(0, signature="s"), '{"type":"text_end","index":0,"signature":"s"}'),
    (ThinkingStart(1), '{"type":"thinking_start","index":1}'),
    (ThinkingDelta(1, "t"), '{"type":"thinking_delta","index":1,"text":"t"}'),
    (ThinkingEnd(1, extra={"a": [1]}), '{"type":"thinking_end","index":1,"extra":{"a":[1]}}'),
    (ToolCallStart(2, "c1", "f"), '{"type":"tool_call_start","index":2,"id":"c1","name":"f"}'),
    (
        ToolCallStart(2, "c1", "f", custom=True),
        '{"type":"tool_call_start","index":2,"id":"c1","name":"f","custom":true}',
    ),
    (ToolCallDelta(2, '{"a'), '{"type":"tool_call_delta","index":2,"arguments":"{\\"a"}'),
    (ToolCallEnd(2), '{"type":"tool_call_end","index":2}'),
    (RefusalStart(0), '{"type":"refusal_start","index":0}'),
    (RefusalDelta(0, "No"), '{"type":"refusal_delta","index":0,"text":"No"}'),
    (RefusalEnd(0), '{"type":"refusal_end","index":0}'),
    (BlockAdded(0, ValuePart(12.0)), '{"type":"block_added","index":0,"part":{"type":"value","value":12.0}}'),
    (
        BlockAdded(0, ImagePart(EmbeddedImage("image/png", b"\xff"))),
        '{"type":"block_added","index":0,"part":{"type":"image","image":{"type":"embedded","mime_type":"image/png","data":"/w=="}}}',
    ),
    (AudioDelta(0, b"\x00\x01", "hi"), '{"type":"audio_delta","index":0,"data":"AAE=","transcript":"hi"}'),
    (CitationAdded(0, {"url": "u"}), '{"type":"citation_added","index":0,"citation":{"url":"u"}}'),
    (Logprobs([{"token": "a", "logprob": -0.5}]), '{"type":"logprobs","content":[{"token":"a","logprob":-0.5}]}'),
    (Replace(0, "new"), '{"type":"replace","index":0,"text":"new"}'),
    (
        UsageSnapshot(Usage(3, 1)),
        '{"type":"usage_snapshot","usage":{"input_tokens":3,"output_tokens":1,"total_tokens":4}}',
    ),
    (Retract("model fell back"), '{"type":"retract","reason":"model fell back"}'),
    (UnknownFrame('{"x":1}', "odd"), '{"type":"unknown_frame","raw":"{\\"x\\":1}","event":"odd"}'),
    (RawFrame("{}"), '{"type":"raw_frame","raw":"{}"}'),
    (
        MessageEnd(FinishReason("stop", "end_turn")),
        '{"type":"message_end","finish_reason":{"type":"stop","raw":"end_turn"}}',
    ),
]


@pytest.mark.parametrize(("delta", "text"), FORMS, ids=[text[9:60] for _, text in FORMS])
def test_a_delta_has_this_json_and_comes_back_equal(delta: Delta, text: str) -> None:
    assert msgspec.json.encode(delta).decode() == text
    assert repr(msgspec.json.decode(text, type=Delta)) == repr(delta)
    assert msgspec.convert(json.loads(text), Delta) == delta


def test_the_table_has_one_of_each() -> None:
    assert {type(delta) for delta, _ in FORMS} == set(KINDS)
    assert {kind.__name__ for kind in KINDS} <= set(deltas.__all__)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_tag_is_the_name_in_snake_case(kind: Any) -> None:
    assert kind.__struct_config__.tag == re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


@pytest.mark.feature("4.43")
@pytest.mark.parametrize("delta", [delta for delta, _ in FORMS], ids=lambda delta: type(delta).__name__)
def test_a_delta_cannot_be_changed(delta: Delta) -> None:
    for field in msgspec.structs.fields(delta):
        with pytest.raises(AttributeError):
            setattr(delta, field.name, None)


def test_unknown_fields_are_ignored() -> None:
    text = '{"type":"text_delta","index":0,"text":"a","speaker":"b"}'
    assert msgspec.json.decode(text, type=Delta) == TextDelta(0, "a")


def test_an_unknown_part_within_a_delta_is_kept_as_it_came() -> None:
    text = '{"type":"block_added","index":0,"part":{"type":"hologram","n":1}}'
    delta = msgspec.json.decode(text, type=Delta)
    assert delta == BlockAdded(0, RawPart({"type": "hologram", "n": 1}))
    assert msgspec.json.decode(msgspec.json.encode(delta), type=Delta) == delta


def test_an_output_carries_its_delta_through_json() -> None:
    output = MessageDeltaOutput(MessageEnd(FinishReason("length")), FinishReason("length"), Usage(1, 2), 1, "helper")
    text = msgspec.json.encode(output)
    assert msgspec.json.decode(text, type=MessageDeltaOutput) == output
    assert msgspec.json.encode(MessageDeltaOutput(TextDelta(0, "a"))) == (
        b'{"delta":{"type":"text_delta","index":0,"text":"a"}}'
    )
