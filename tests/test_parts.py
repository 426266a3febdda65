"""Parts and their JSON."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from streamkit.parts import (
    AudioPart,
    CitationPart,
    EmbeddedImage,
    FilePart,
    FunctionCall,
    FunctionPart,
    ImagePart,
    ImageUrl,
    Part,
    RawPart,
    RefusalPart,
    ServerToolPart,
    TextPart,
    ValuePart,
    as_part,
)

PIXEL = bytes(range(256))

# Each part and its JSON, byte for byte.
FORMS: list[tuple[Part, str]] = [
    (TextPart("Grün \u2028 😀"), '{"type":"text","text":"Grün \u2028 😀"}'),
    (
        ImagePart(ImageUrl("https://a.example/b.png")),
        '{"type":"image","image":{"type":"url","url":"https://a.example/b.png"}}',
    ),
    (ImagePart(ImageUrl("u", "low")), '{"type":"image","image":{"type":"url","url":"u","detail":"low"}}'),
    (
        ImagePart(EmbeddedImage("image/png", b"\x89PNG\x00\xff")),
        '{"type":"image","image":{"type":"embedded","mime_type":"image/png","data":"iVBORwD/"}}',
    ),
    (
        FunctionPart("c1", FunctionCall("look_up", {"z": 1, "a": {"ids": [12345678901234567890123, 2.0]}})),
        (
            '{"type":"function","id":"c1","function":{"name":"look_up",'
            '"arguments":{"z":1,"a":{"ids":[12345678901234567890123,2.0]}}}}'
        ),
    ),
    (FunctionPart("c1", FunctionCall("f")), '{"type":"function","id":"c1","function":{"name":"f","arguments":{}}}'),
    (
        FunctionPart("c1", FunctionCall("f"), '{"a', "cut short"),
        (
            '{"type":"function","id":"c1","function":{"name":"f","arguments":{}},"raw_arguments":"{\\"a",'
            '"error":"cut short"}'
        ),
    ),
    (
        FunctionPart("c1", FunctionCall("f"), "select 1", custom=True),
        '{"type":"function","id":"c1","function":{"name":"f","arguments":{}},"raw_arguments":"select 1","custom":true}',
    ),
    (ValuePart(12.3), '{"type":"value","value":12.3}'),
    (ValuePart(12.0), '{"type":"value","value":12.0}'),
    (ValuePart(12), '{"type":"value","value":12}'),
    (ValuePart(None), '{"type":"value","value":null}'),
    (ValuePart(False), '{"type":"value","value":false}'),
    (ValuePart(""), '{"type":"value","value":""}'),
    (ValuePart([1, [], {"b": None, "a": {}}]), '{"type":"value","value":[1,[],{"b":null,"a":{}}]}'),
    (ValuePart(10**40), '{"type":"value","value":1' + "0" * 40 + "}"),
    (ValuePart({"type": "text", "text": 1}), '{"type":"value","value":{"type":"text","text":1}}'),
    (RefusalPart("No."), '{"type":"refusal","text":"No."}'),
    (CitationPart({"url": "u"}), '{"type":"citation","citation":{"url":"u"}}'),
    (
        AudioPart(b"\x01\x02", "hi", "wav", "a1", 1),
        '{"type":"audio","data":"AQI=","transcript":"hi","format":"wav","id":"a1","expires_at":1}',
    ),
    (AudioPart(), '{"type":"audio"}'),
    (
        FilePart("text/plain", b"x", name="a.txt"),
        '{"type":"file","mime_type":"text/plain","data":"eA==","name":"a.txt"}',
    ),
    (FilePart(file_id="f1"), '{"type":"file","file_id":"f1"}'),
    (
        ServerToolPart("call", "s1", "web_search", {"input": {"q": "x"}}),
        '{"type":"server_tool","phase":"call","id":"s1","name":"web_search","raw":{"input":{"q":"x"}}}',
    ),
    (RawPart({"type": "hologram", "n": 1}), '{"type":"raw","raw":{"type":"hologram","n":1}}'),
]


@pytest.mark.feature("0.10", "0.11", "0.12", "0.13", "0.14")
@pytest.mark.parametrize(("part", "text"), FORMS, ids=[text[:60] for _, text in FORMS])
def test_a_part_has_this_json_and_comes_back_equal(part: Part, text: str) -> None:
    assert msgspec.json.encode(part).decode() == text
    back = msgspec.json.decode(text, type=Part)
    assert back == as_part(json.loads(text)) == part
    assert repr(back) == repr(part)  # 12, 12.0 and True are equal, but not the same


@pytest.mark.feature("0.12")
@pytest.mark.parametrize(
    "data", [b"", b"\x00", PIXEL, bytearray(PIXEL), memoryview(PIXEL)], ids=lambda data: type(data).__name__
)
def test_the_bytes_of_an_image_go_in_and_come_back(data: Any) -> None:
    part = as_part({"type": "image", "image": {"type": "embedded", "mime_type": "image/png", "data": data}})
    assert part == ImagePart(EmbeddedImage("image/png", bytes(data)))
    assert msgspec.json.decode(msgspec.json.encode(part), type=Part) == part


@pytest.mark.parametrize("tag", ["hologram", "", None, 5, ["text"], {"a": 1}, "Text"], ids=repr)
def test_an_unknown_tag_is_a_raw_part(tag: Any) -> None:
    assert as_part({"type": tag, "data": [1]}) == RawPart({"type": tag, "data": [1]})


def test_no_tag_is_a_raw_part() -> None:
    assert as_part({"text": "x"}) == RawPart({"text": "x"})


def test_a_string_is_text_and_a_part_is_itself() -> None:
    part = ValuePart([])
    assert as_part("x") == TextPart("x")
    assert as_part(part) is part


BROKEN = [
    ("a field is missing", {"type": "text"}, "`text`"),
    ("a field has the wrong type", {"type": "text", "text": 5}, "`str`, got `int`"),
    ("an image has an unknown tag", {"type": "image", "image": {"type": "tape"}}, "Invalid value 'tape'"),
    ("the base64 is none", {"type": "image", "image": {"type": "embedded", "mime_type": "a", "data": "?"}}, "base64"),
    ("arguments are a list", {"type": "function", "id": "a", "function": {"name": "f", "arguments": []}}, "`object`"),
    ("a number", 5, "not int"),
    ("nothing", None, "not NoneType"),
]


@pytest.mark.parametrize(("value", "says"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_part_is_refused_with_what_is_wrong(value: Any, says: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=says):
        as_part(value)


@pytest.mark.parametrize("image", ["https://a.example/b.png", PIXEL, None], ids=["address", "bytes", "nothing"])
def test_a_bare_address_is_no_image_and_the_error_says_what_is(image: Any) -> None:
    with pytest.raises(TypeError, match="ImageUrl.* or an EmbeddedImage.*, not"):
        ImagePart(image)


def test_unknown_fields_are_ignored() -> None:
    assert as_part({"type": "text", "text": "x", "mood": "good"}) == TextPart("x")


def test_calls_do_not_share_their_default_arguments() -> None:
    first, second = FunctionCall("f"), FunctionCall("f")
    assert first == second
    first.arguments["a"] = 1
    assert second == FunctionCall("f", {})
    assert first != second


def test_the_order_of_argument_keys_survives() -> None:
    text = '{"type":"function","id":"c","function":{"name":"f","arguments":{"z":1,"a":2,"m":{"y":1,"b":2}}}}'
    assert msgspec.json.encode(msgspec.json.decode(text, type=Part)).decode() == text
