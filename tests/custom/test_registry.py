"""Kinds of custom messages, and messages of them."""

from __future__ import annotations

import datetime
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from streamkit.agent.history import load_history
from streamkit.custom import custom_message, custom_value, register_message
from streamkit.custom.registry import kind_named
from streamkit.errors import ConfigError
from streamkit.messages import Message, Meta, as_message
from streamkit.parts import ValuePart


class Measured(Struct, frozen=True, omit_defaults=True):
    """Of every type that JSON has no word for."""

    when: datetime.datetime
    data: bytes = b""
    by_number: dict[int, tuple[float, str | None]] = {}
    big: int = 0
    timestamp: int | None = None


class Tagged(Struct, tag="short"):
    text: str


class HTTPNote(Struct):
    text: str


class Unregistered(Struct):
    text: str


for kind in (Measured, Tagged, HTTPNote):
    register_message(kind, lambda value: None)

NOON = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
VALUES = [
    Measured(NOON),
    Measured(NOON, b"\x00\xff", {1: (1.5, None), 2: (2.0, "b")}, 2**80, 1764504000000),
    Tagged("a"),
    HTTPNote("\N{SNOWMAN}"),
]


@pytest.mark.feature("4.14")
@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_comes_back_from_its_message_and_from_the_json_of_that(value: Struct) -> None:
    message = custom_message(value)
    assert custom_value(message) == value
    loaded = msgspec.json.decode(msgspec.json.encode(message), type=Message)
    assert loaded == message
    assert custom_value(loaded) == value
    assert load_history(msgspec.json.encode([message])) == [message] == [as_message(msgspec.to_builtins(message))]


def test_a_message_is_plain_json_with_the_name_of_its_kind() -> None:
    assert msgspec.to_builtins(custom_message(Tagged("a"))) == {
        "role": "user",
        "contents": [{"type": "value", "value": {"type": "short", "text": "a"}}],
        "meta": {"custom": "short"},
    }


NAMES = [(Tagged, "short"), (Measured, "measured"), (HTTPNote, "h_t_t_p_note")]


@pytest.mark.parametrize(("kind", "name"), NAMES)
def test_a_kind_is_named_by_its_tag_or_its_class(kind: type[Struct], name: str) -> None:
    found = kind_named(name)
    assert found is not None
    assert found.struct is kind


def test_the_timestamp_of_a_value_is_that_of_the_message() -> None:
    message = custom_message(Measured(NOON, timestamp=5))
    assert message.meta == Meta(timestamp=5, custom="measured")
    assert custom_message(Measured(NOON)).meta == Meta(custom="measured")


def test_text_that_no_json_holds_has_the_replacement_character() -> None:
    assert custom_value(custom_message(Tagged("a\udcff"))) == Tagged("a\N{REPLACEMENT CHARACTER}")


OTHERS = [
    Message("user", ["a"]),
    Message("user", [ValuePart(1)], meta=Meta()),
    Message("user", [ValuePart({"text": "a"})], meta=Meta(custom="nobody_knows")),
]


@pytest.mark.parametrize("message", OTHERS)
def test_a_message_that_is_not_custom_or_not_known_has_no_value(message: Message) -> None:
    assert custom_value(message) is None


BROKEN: list[tuple[list[Any], str]] = [
    ([ValuePart({"text": 1})], r"not of its kind 'short'.*`\$.text`"),
    ([ValuePart("a")], "not of its kind 'short'"),
    ([ValuePart({"type": "other", "text": "a"})], "not of its kind 'short'"),
    ([], "has one part, a value"),
    (["a"], "has one part, a value"),
    ([ValuePart({"text": "a"}), "b"], "has one part, a value"),
]


@pytest.mark.parametrize(("contents", "words"), BROKEN)
def test_what_is_not_of_its_kind_is_an_error_that_says_so(contents: list[Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        custom_value(Message("user", contents, meta=Meta(custom="short")))


def test_a_value_of_a_kind_that_nobody_registered_is_no_message() -> None:
    with pytest.raises(ConfigError, match=r"Unregistered is no kind of message: register_message\(Unregistered, …\)"):
        custom_message(Unregistered("a"))


def test_a_value_that_json_cannot_hold_is_no_message() -> None:
    class Odd(Struct):
        value: Any

    register_message(Odd, lambda value: None)
    with pytest.raises(ConfigError, match="kind 'odd' holds a value that is no JSON"):
        custom_message(Odd(object()))


@pytest.mark.parametrize("kind", [dict, Tagged("a"), lambda value: None])
def test_only_a_struct_is_a_kind(kind: Any) -> None:
    with pytest.raises(ConfigError, match="is a msgspec.Struct"):
        register_message(kind, lambda value: None)


def test_a_name_is_one_kind_s() -> None:
    class Other(Struct, tag="short"):
        text: str

    with pytest.raises(ConfigError, match=r"Other cannot be the kind of message 'short', which .*Tagged is"):
        register_message(Other, lambda value: None)
    found = kind_named("short")
    assert found is not None
    assert found.struct is Tagged


def test_a_class_that_is_made_anew_takes_the_place_of_its_former_self() -> None:
    def make() -> type[Struct]:
        class Anew(Struct):
            text: str

        return Anew

    first, second = make(), make()
    register_message(first, lambda value: "first")
    register_message(second, lambda value: "second")
    found = kind_named("anew")
    assert found is not None
    assert found.struct is second
    with pytest.raises(ConfigError, match="Anew is no kind of message"):
        custom_message(first("a"))
