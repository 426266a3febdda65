"""Values as text, bytes as base64."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.parts import ImagePart, ImageUrl, Part, RefusalPart, TextPart, ValuePart
from streamkit.protocols.values import (
    base64_text,
    data_url,
    json_text,
    part_text,
    scrub,
    split_data_url,
    value_text,
)

TEXTS = [
    ("a string stays as it is", 'say "hi"', 'say "hi"'),
    ("an empty string too", "", ""),
    ("an object is compact and keeps its order", {"b": 1, "a": [True, None]}, '{"b":1,"a":[true,null]}'),
    ("text is not escaped", {"name": "Zoë"}, '{"name":"Zoë"}'),
    ("nothing is null", None, "null"),
    ("a big integer keeps its digits", 2**70, "1180591620717411303424"),
    ("a lone surrogate is replaced", {"a": "x\ud83d"}, '{"a":"x\ufffd"}'),
]


@pytest.mark.parametrize("case", TEXTS, ids=[case[0] for case in TEXTS])
def test_a_value_becomes_text(case: tuple[str, Any, str]) -> None:
    assert value_text(case[1]) == case[2]


def test_a_string_is_quoted_where_json_is_asked_for() -> None:
    assert json_text("a") == '"a"'


def test_what_json_cannot_hold_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="a value of type object cannot be sent as JSON"):
        json_text(object())


PARTS: list[tuple[str, Part, str | None]] = [
    ("text", TextPart("a"), "a"),
    ("a refusal", RefusalPart("no"), "no"),
    ("a value", ValuePart([1]), "[1]"),
    ("an image", ImagePart(ImageUrl("https://example.org/a.png")), None),
]


@pytest.mark.parametrize("case", PARTS, ids=[case[0] for case in PARTS])
def test_a_part_says_its_text(case: tuple[str, Part, str | None]) -> None:
    assert part_text(case[1]) == case[2]


def test_scrub_reaches_keys_and_nested_values_and_joins_pairs() -> None:
    assert scrub({"\ud83d": ["\ud83d\udc66", ("\udc66", 1)]}) == {"\ufffd": ["👦", ["\ufffd", 1]]}


URLS = [
    ("an address", "https://example.org/a.png", None),
    ("text that is not in base64", "data:text/plain,hello", None),
    ("an image", "data:image/png;base64,AAA=", ("image/png", "AAA=")),
    ("an image with parameters", "data:image/png;name=a;base64,AAA=", ("image/png", "AAA=")),
]


@pytest.mark.parametrize("case", URLS, ids=[case[0] for case in URLS])
def test_a_data_url_is_split(case: tuple[str, str, tuple[str, str] | None]) -> None:
    assert split_data_url(case[1]) == case[2]


def test_a_data_url_is_made_and_split_again() -> None:
    assert split_data_url(data_url("image/png", b"\x00\xff")) == ("image/png", base64_text(b"\x00\xff"))
