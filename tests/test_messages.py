"""Messages and their JSON."""

from __future__ import annotations

import json
from collections import UserDict
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from streamkit.messages import FinishReason, Message, MessageOutput, Meta, Origin, as_message
from streamkit.parts import (
    EmbeddedImage,
    FilePart,
    FunctionCall,
    FunctionPart,
    ImagePart,
    ImageUrl,
    RawPart,
    TextPart,
    ValuePart,
)

# The JSON of a message, in and out byte for byte, and the message that it is.
FORMS: list[tuple[str, str, Message]] = [
    (
        "a question",
        '{"role":"user","contents":[{"type":"text","text":"Why is the sky blue?"}]}',
        Message("user", [TextPart("Why is the sky blue?")]),
    ),
    (
        "instructions",
        '{"role":"system","contents":[{"type":"text","text":"Be brief."}]}',
        Message("system", [TextPart("Be brief.")]),
    ),
    (
        "text, an image and more text stay three parts",
        (
            '{"role":"user","contents":[{"type":"text","text":"Compare "},{"type":"image","image":{"type":"url",'
            '"url":"https://a.example/1.png"}},{"type":"text","text":" with yours."}]}'
        ),
        Message(
            "user", [TextPart("Compare "), ImagePart(ImageUrl("https://a.example/1.png")), TextPart(" with yours.")]
        ),
    ),
    (
        "an embedded image",
        '{"role":"user","contents":[{"type":"image","image":{"type":"embedded","mime_type":"image/jpeg","data":"/9j/"}}]}',
        Message("user", [ImagePart(EmbeddedImage("image/jpeg", b"\xff\xd8\xff"))]),
    ),
    (
        "an answer with its thinking, signed",
        (
            '{"role":"assistant","contents":[{"type":"text","text":"Scattering."}],"thinking":"Short waves…",'
            '"signature":"EqQB+/="}'
        ),
        Message("assistant", [TextPart("Scattering.")], thinking="Short waves…", signature="EqQB+/="),
    ),
    (
        "calls",
        (
            '{"role":"assistant","contents":[{"type":"text","text":"I will look."}],"tool_calls":[{"type":"function",'
            '"id":"call_7","function":{"name":"forecast","arguments":{"city":"Busan","days":[1,2]}}},{"type":"function",'
            '"id":"call_8","function":{"name":"now","arguments":{}}}]}'
        ),
        Message(
            "assistant",
            [TextPart("I will look.")],
            tool_calls=[
                FunctionPart("call_7", FunctionCall("forecast", {"city": "Busan", "days": [1, 2]})),
                FunctionPart("call_8", FunctionCall("now")),
            ],
        ),
    ),
    (
        "a call and no text",
        '{"role":"assistant","contents":[],"tool_calls":[{"type":"function","id":"c","function":{"name":"f","arguments":{}}}]}',
        Message("assistant", [], tool_calls=[FunctionPart("c", FunctionCall("f"))]),
    ),
    (
        "a number as a result",
        '{"role":"tool","contents":[{"type":"value","value":-4.5}],"id":"call_7"}',
        Message("tool", [ValuePart(-4.5)], id="call_7"),
    ),
    (
        "a null as a result",
        '{"role":"tool","contents":[{"type":"value","value":null}],"id":"call_7"}',
        Message("tool", [ValuePart(None)], id="call_7"),
    ),
    (
        "a list as a result",
        '{"role":"tool","contents":[{"type":"value","value":[1,"a",{"b":[]}]}],"id":"call_7"}',
        Message("tool", [ValuePart([1, "a", {"b": []}])], id="call_7"),
    ),
    (
        "what is known beside the content",
        (
            '{"role":"tool","contents":[],"id":"c","meta":{"origin":{"protocol":"anthropic","model":"m"},"is_error":true,'
            '"name":"f","details":{"a":[1]},"timestamp":1760000000000}}'
        ),
        Message("tool", [], id="c", meta=Meta(Origin("anthropic", model="m"), True, "f", {"a": [1]}, 1760000000000)),
    ),
]


@pytest.mark.feature("0.1", "0.3", "0.5")
@pytest.mark.parametrize(("text", "message"), [case[1:] for case in FORMS], ids=[case[0] for case in FORMS])
def test_a_message_has_this_json_and_comes_back_byte_for_byte(text: str, message: Message) -> None:
    decoded = msgspec.json.decode(text, type=Message)
    assert decoded == message
    assert repr(decoded) == repr(message)
    assert msgspec.json.encode(decoded).decode() == text


@pytest.mark.feature("0.1")
@pytest.mark.parametrize(("text", "message"), [case[1:] for case in FORMS], ids=[case[0] for case in FORMS])
def test_a_plain_dict_is_the_same_message_in_any_order_of_keys(text: str, message: Message) -> None:
    plain: dict[str, Any] = json.loads(text)
    turned = dict(reversed(plain.items()))
    for mapping in (plain, turned, MappingProxyType(plain), UserDict(plain)):
        assert as_message(mapping) == message
    assert json.loads(msgspec.json.encode(as_message(turned))) == plain
    assert json.loads(text) == plain  # and it is left as it was


@pytest.mark.feature("0.1")
def test_absent_contents_are_empty_and_always_written() -> None:
    assert msgspec.json.encode(as_message({"role": "user"})) == b'{"role":"user","contents":[]}'


def test_nulls_are_taken_as_absent() -> None:
    message = as_message({"role": "assistant", "contents": [], "thinking": None, "tool_calls": None, "id": None})
    assert msgspec.json.encode(message) == b'{"role":"assistant","contents":[]}'


def test_a_string_is_a_user_message_and_a_message_is_itself() -> None:
    message = Message("assistant", [TextPart("a")])
    assert as_message("hi") == Message("user", [TextPart("hi")])
    assert as_message(message) is message


def test_a_dict_may_hold_bytes_parts_and_strings() -> None:
    image = {"type": "embedded", "mime_type": "image/png", "data": b"\x00\xff"}
    message = as_message({"role": "user", "contents": [{"type": "image", "image": image}, TextPart("a"), "b"]})
    assert message.contents == [ImagePart(EmbeddedImage("image/png", b"\x00\xff")), TextPart("a"), TextPart("b")]
    assert image["data"] == b"\x00\xff"


BUILT: list[tuple[str, Any, list[Any]]] = [
    ("parts", [TextPart("a"), ValuePart(1)], [TextPart("a"), ValuePart(1)]),
    ("a tuple of parts", (TextPart("a"), ValuePart(1)), [TextPart("a"), ValuePart(1)]),
    ("a string", "a", [TextPart("a")]),
    (
        "strings and dicts",
        ["a", {"type": "value", "value": [1]}, TextPart("b")],
        [TextPart("a"), ValuePart([1]), TextPart("b")],
    ),
    ("a dict with bytes", [{"type": "file", "data": b"x"}], [FilePart(data=b"x")]),
    ("a dict of an unknown tag", [{"type": "hologram"}], [RawPart({"type": "hologram"})]),
]


@pytest.mark.feature("0.30")
@pytest.mark.parametrize(("given", "parts"), [case[1:] for case in BUILT], ids=[case[0] for case in BUILT])
def test_contents_may_be_given_as(given: Any, parts: list[Any]) -> None:
    assert Message("user", given).contents == parts


@pytest.mark.feature("0.30")
def test_with_contents_is_a_copy() -> None:
    message = Message("user", [TextPart("a")], meta=Meta(name="me"))
    other = message.with_contents(["b", {"type": "text", "text": "c"}, TextPart("d")])
    assert other == Message("user", [TextPart("b"), TextPart("c"), TextPart("d")], meta=Meta(name="me"))
    assert message.contents == [TextPart("a")]


def test_messages_do_not_share_their_default_contents() -> None:
    first = Message("user")
    first.contents.append(TextPart("a"))
    assert Message("user").contents == []


def test_the_text_of_a_message_is_that_of_its_text_parts() -> None:
    assert Message("assistant", [TextPart("a"), ValuePart("b"), TextPart("c")]).text == "ac"


def test_an_unknown_part_is_kept_as_it_came_and_stays_so() -> None:
    text = '{"role":"user","contents":[{"type":"hologram","layers":[1,{"a":null}]},{"type":"text","text":"x"}]}'
    message = msgspec.json.decode(text, type=Message)
    assert message.contents == [RawPart({"type": "hologram", "layers": [1, {"a": None}]}), TextPart("x")]
    assert msgspec.json.decode(msgspec.json.encode(message), type=Message) == message


def test_unknown_fields_are_ignored() -> None:
    text = '{"role":"user","contents":[],"mood":"good","meta":{"weather":1}}'
    assert msgspec.json.decode(text, type=Message) == Message("user", [], meta=Meta())


BROKEN: list[tuple[str, dict[str, Any], str]] = [
    ("a role that there is not", {"role": "developer", "contents": []}, "'developer'.*role"),
    ("a role in capitals", {"role": "User", "contents": []}, "'User'"),
    ("no role", {"contents": []}, "role"),
    ("a part without its field", {"role": "user", "contents": [{"type": "text"}]}, "`text`"),
    ("a part that is a number", {"role": "user", "contents": [5]}, "not int"),
    ("a part that is null", {"role": "user", "contents": [None]}, "not NoneType"),
    ("calls that are no list", {"role": "assistant", "contents": [], "tool_calls": {}}, "tool_calls"),
    ("a call that is another part", {"role": "assistant", "tool_calls": [{"type": "text", "text": "a"}]}, "tool_calls"),
    ("thinking that is a list", {"role": "assistant", "thinking": []}, "thinking"),
]


@pytest.mark.feature("0.3")
@pytest.mark.parametrize(("value", "says"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_message_is_refused_with_what_is_wrong(value: dict[str, Any], says: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=says):
        as_message(value)
    with pytest.raises(msgspec.ValidationError, match=says):
        msgspec.json.decode(json.dumps(value), type=Message)


def test_a_message_of_no_known_role_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="one of system, user, assistant, tool, not 'bot'"):
        as_message(Message("bot", "Hello"))


def test_what_is_no_mapping_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="not int"):
        as_message(5)


def test_an_output_leaves_out_what_is_not_known() -> None:
    output = MessageOutput(Message("assistant", [TextPart("a")]), FinishReason("stop", "end_turn"))
    text = (
        '{"message":{"role":"assistant","contents":[{"type":"text","text":"a"}]},'
        '"finish_reason":{"type":"stop","raw":"end_turn"}}'
    )
    assert msgspec.json.encode(output).decode() == text
    assert msgspec.json.decode(text, type=MessageOutput) == output


@pytest.mark.parametrize("type", ["stop", "length", "tool_call", "refusal", "error", "aborted", "other"])
def test_a_message_may_finish_as(type: str) -> None:
    assert msgspec.json.decode(b'{"type":"%s"}' % type.encode(), type=FinishReason) == FinishReason(type)


def test_no_other_finish_is_known() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"type":"end_turn"}', type=FinishReason)


@pytest.mark.parametrize("content", ["hi", [{"type": "text", "text": "hi"}], None])
def test_a_message_in_a_providers_own_form_is_refused_and_not_emptied(content: object) -> None:
    with pytest.raises(msgspec.ValidationError, match="has `contents`, a list of parts"):
        as_message({"role": "user", "content": content})
