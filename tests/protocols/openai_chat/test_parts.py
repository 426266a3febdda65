"""Parts in the form of chat completions."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.blocks import Block
from streamkit.errors import ConfigError
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
)
from streamkit.protocols import Quirks
from streamkit.protocols.openai_chat.parts import collapse, encode_part, text_part

PDF = "data:application/pdf;base64,JVBERg=="
CASES: list[tuple[str, Part, dict[str, Any] | None]] = [
    ("text", TextPart("hi"), {"type": "text", "text": "hi"}),
    ("a value", ValuePart({"a": 1}), {"type": "text", "text": '{"a":1}'}),
    ("a refusal", RefusalPart("no"), {"type": "text", "text": "no"}),
    (
        "an image's address",
        ImagePart(ImageUrl("https://e.org/a.png")),
        {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}},
    ),
    (
        "an image's address in detail",
        ImagePart(ImageUrl("https://e.org/a.png", "low")),
        {"type": "image_url", "image_url": {"url": "https://e.org/a.png", "detail": "low"}},
    ),
    (
        "an embedded image",
        ImagePart(EmbeddedImage("image/png", b"\x00")),
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
    ),
    ("audio", AudioPart(b"\x00"), {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}),
    (
        "mp3",
        AudioPart(b"\x00", format="mp3"),
        {"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}},
    ),
    (
        "a file",
        FilePart("application/pdf", b"%PDF", name="a.pdf"),
        {"type": "file", "file": {"filename": "a.pdf", "file_data": PDF}},
    ),
    ("a file without a name", FilePart(data=b"%PDF"), {"type": "file", "file": {"filename": "file", "file_data": PDF}}),
    ("a file at the provider", FilePart(file_id="file_1"), {"type": "file", "file": {"file_id": "file_1"}}),
    (
        "an image as a file",
        FilePart("image/png", b"\x00"),
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
    ),
    (
        "an image as a file's address",
        FilePart("image/png", url="https://e.org/a"),
        {"type": "image_url", "image_url": {"url": "https://e.org/a"}},
    ),
    ("a part of the provider's own", RawPart({"type": "x", "x": 1}), {"type": "x", "x": 1}),
    ("a raw value that is no part", RawPart("x"), None),
    ("a citation", CitationPart({"url": "u"}), None),
    ("a server's tool", ServerToolPart("call", "1", "search", {}), None),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_part_has_its_form(case: tuple[str, Part, dict[str, Any] | None]) -> None:
    assert encode_part(Block(case[1]), Quirks()) == case[2]


ERRORS: list[tuple[str, Part, str]] = [
    ("audio without bytes", AudioPart(transcript="hi"), "audio needs its bytes"),
    ("a file's address", FilePart("application/pdf", url="https://e.org/a.pdf"), "not by its address"),
    ("an empty file", FilePart(), "by its bytes or by its id"),
    ("a call", FunctionPart("1", FunctionCall("f")), "the call of 'f' .* goes in tool_calls"),
]


@pytest.mark.parametrize("case", ERRORS, ids=[case[0] for case in ERRORS])
def test_what_has_no_form_is_a_config_error(case: tuple[str, Part, str]) -> None:
    with pytest.raises(ConfigError, match=case[2]):
        encode_part(Block(case[1]), Quirks())


CACHE = {"cache_control": {"type": "ephemeral"}}
POINT = {"prompt_cache_breakpoint": {"mode": "explicit"}}
EXTRAS: list[tuple[str, dict[str, Any], Quirks, dict[str, Any]]] = [
    ("OpenAI's own", POINT, Quirks(), POINT),
    ("Anthropic's is left out", CACHE | POINT, Quirks(), POINT),
    ("Anthropic's where it is taken", CACHE, Quirks(cache_control=True), CACHE),
    ("what belongs to thinking is left out", {"reasoning_details": [], "opaque": {}}, Quirks(), {}),
]


@pytest.mark.parametrize("case", EXTRAS, ids=[case[0] for case in EXTRAS])
def test_extras_go_with_the_part(case: tuple[str, dict[str, Any], Quirks, dict[str, Any]]) -> None:
    _, extra, quirks, expected = case
    assert encode_part(Block(TextPart("a"), extra=extra), quirks) == text_part("a") | expected


def test_a_raw_part_is_not_changed_by_its_extras() -> None:
    part = RawPart({"type": "x"})
    assert encode_part(Block(part, extra=POINT), Quirks()) == {"type": "x", **POINT}
    assert part.raw == {"type": "x"}


IMAGE = {"type": "image_url", "image_url": {"url": "u"}}
COLLAPSES: list[tuple[str, list[dict[str, Any]], str | None, Any]] = [
    ("nothing", [], None, ""),
    ("one text", [text_part("a")], None, "a"),
    ("two texts apart", [text_part("a"), text_part("b")], None, [text_part("a"), text_part("b")]),
    ("two texts joined", [text_part("a"), text_part("b")], "\n", "a\nb"),
    ("a text with an extra", [text_part("a") | POINT], "", [text_part("a") | POINT]),
    ("an image", [text_part("a"), IMAGE], "", [text_part("a"), IMAGE]),
]


@pytest.mark.parametrize("case", COLLAPSES, ids=[case[0] for case in COLLAPSES])
def test_mere_text_is_one_string(case: tuple[str, list[dict[str, Any]], str | None, Any]) -> None:
    assert collapse(case[1], case[2]) == case[3]


def test_where_only_bytes_are_taken_an_address_is_a_config_error() -> None:
    bytes_only = Quirks(image_urls=False)
    for part in (ImagePart(ImageUrl("https://a/b.png")), FilePart(mime_type="image/png", url="https://a/b.png")):
        with pytest.raises(ConfigError, match="by its bytes"):
            encode_part(Block(part), bytes_only)
    for url in ("data:image/png;base64,AA==", "ms://file-1"):
        expected = {"type": "image_url", "image_url": {"url": url}}
        assert encode_part(Block(ImagePart(ImageUrl(url))), bytes_only) == expected
