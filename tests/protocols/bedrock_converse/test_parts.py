"""Parts as blocks of Converse."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.parts import (
    AudioPart,
    CitationPart,
    EmbeddedImage,
    FilePart,
    FunctionCall,
    FunctionPart,
    ImagePart,
    RawPart,
    RefusalPart,
    ServerToolPart,
    TextPart,
    ValuePart,
)
from streamkit.protocols.bedrock_converse.parts import cache_point, encode_part, text_block, told

IMAGE = ImagePart(EmbeddedImage("image/png", b"a"))

CASES: list[tuple[str, Any, dict[str, Any] | None]] = [
    ("text", TextPart("a"), {"text": "a"}),
    ("blank text", TextPart(" "), None),
    ("a value", ValuePart([1]), {"text": "[1]"}),
    ("a refusal", RefusalPart("no"), {"text": "no"}),
    ("an image", IMAGE, {"image": {"format": "png", "source": {"bytes": "YQ=="}}}),
    (
        "a file",
        FilePart("text/csv", b"a"),
        {"document": {"format": "csv", "name": "document", "source": {"bytes": "YQ=="}}},
    ),
    ("sound", AudioPart(b"a", format="mp3"), {"audio": {"format": "mp3", "source": {"bytes": "YQ=="}}}),
    ("a block of the API's own", RawPart({"guardContent": {}}), {"guardContent": {}}),
    ("a citation", CitationPart({}), None),
    ("a server's tool", ServerToolPart("call", "a", "f", {}), None),
]


@pytest.mark.parametrize(("part", "block"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_part_becomes_a_block(part: Any, block: dict[str, Any] | None) -> None:
    assert encode_part(part) == block


def test_a_call_belongs_in_the_calls() -> None:
    with pytest.raises(ConfigError, match="tool_calls"):
        encode_part(FunctionPart("a", FunctionCall("f")))


def test_a_cache_mark_becomes_a_point() -> None:
    assert cache_point(None) == cache_point({}) == cache_point({"cache_control": None}) == []
    assert cache_point({"cache_control": {"type": "ephemeral"}}) == [{"cachePoint": {"type": "default"}}]


def test_what_can_be_told_in_words() -> None:
    parts = (IMAGE, FilePart(name="a"), FilePart(), AudioPart(transcript="t"), TextPart("x"), CitationPart({}))
    assert [told(part) for part in parts] == ["[image]", "[file a]", "[file]", "t", "x", ""]
    assert text_block("\n") is None
