"""Parts of what users write and tools give."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.blocks import Block, ThinkingPart
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
    RawPart,
    RefusalPart,
    ServerToolPart,
    TextPart,
    ValuePart,
)
from streamkit.protocols.gemini.parts import encode_media, encode_part, told

FILES = "https://generativelanguage.googleapis.com/v1beta/files/abc"


def inline(mime_type: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": mime_type, "data": "AQI="}}


CASES: list[tuple[str, Any, dict[str, Any] | None]] = [
    ("text", TextPart("a"), {"text": "a"}),
    ("empty text", TextPart(""), None),
    ("a value", ValuePart({"a": 1}), {"text": '{"a":1}'}),
    ("a refusal", RefusalPart("no"), {"text": "no"}),
    ("an image", ImagePart(EmbeddedImage("image/png", b"\x01\x02")), inline("image/png")),
    ("an image in its address", ImagePart(ImageUrl("data:image/png;base64,AQI=")), inline("image/png")),
    ("an uploaded image", ImagePart(ImageUrl(FILES)), {"fileData": {"fileUri": FILES}}),
    ("sound", AudioPart(b"\x01\x02"), inline("audio/wav")),
    ("sound by another name", AudioPart(b"\x01\x02", format="pcm16"), inline("audio/pcm")),
    ("sound as Gemini gave it", AudioPart(b"\x01\x02", format="audio/L16;rate=24000"), inline("audio/L16;rate=24000")),
    ("a transcript", AudioPart(transcript="said"), {"text": "said"}),
    ("a file", FilePart("text/csv", b"\x01\x02", name="a.csv"), inline("text/csv")),
    ("a file by its id", FilePart("a/b", file_id="files/abc"), {"fileData": {"mimeType": "a/b", "fileUri": FILES}}),
    ("a file by its whole id", FilePart(file_id=FILES), {"fileData": {"fileUri": FILES}}),
    ("a video by its address", FilePart(url="https://youtu.be/x"), {"fileData": {"fileUri": "https://youtu.be/x"}}),
    ("a part of another kind", RawPart({"x": 1}), {"x": 1}),
    ("a citation", CitationPart({"a": 1}), None),
    ("a tool that a server ran", ServerToolPart("call", "a", "b", {}), None),
    ("a thought", ThinkingPart("a"), None),
]


@pytest.mark.parametrize(("part", "encoded"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_part_has_its_form(part: Any, encoded: dict[str, Any] | None) -> None:
    assert encode_part(Block(part)) == encoded


def test_a_pdf_is_known_by_its_first_bytes() -> None:
    encoded = encode_part(Block(FilePart(data=b"%PDF-1")))
    assert encoded is not None and encoded["inlineData"]["mimeType"] == "application/pdf"


def test_what_belongs_to_a_part_goes_with_it() -> None:
    video = FilePart("video/mp4", url="gs://v")
    extra = {"videoMetadata": {"fps": 1}, "cache_control": {}}
    assert encode_part(Block(video, extra=extra)) == {
        "fileData": {"mimeType": "video/mp4", "fileUri": "gs://v"},
        "videoMetadata": {"fps": 1},
    }


REFUSED: list[tuple[str, Any, str]] = [
    ("an image by its address", ImagePart(ImageUrl("https://example.com/a.png")), "EmbeddedImage.*Files API"),
    ("sound of nothing", AudioPart(), "bytes in `data`"),
    ("bytes of no type", FilePart(data=b"a"), "FilePart.mime_type"),
    ("a file of nothing", FilePart("a/b"), "needs its bytes"),
    ("a call", FunctionPart("a", FunctionCall("f")), "tool_calls"),
]


@pytest.mark.parametrize(("part", "words"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_has_no_form_is_refused_with_what_to_do(part: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        encode_part(Block(part))


def test_only_media_are_media() -> None:
    assert encode_media(TextPart("a")) is None
    assert encode_media(ImagePart(EmbeddedImage("image/png", b"\x01\x02"))) == inline("image/png")


TOLD: list[tuple[str, Any, str | None]] = [
    ("an address", ImagePart(ImageUrl("https://example.org/a.png")), "[image https://example.org/a.png]"),
    ("an image in its address", ImagePart(ImageUrl("data:image/png;base64,AQI=")), None),
    ("an image", ImagePart(EmbeddedImage("image/png", b"\x01\x02")), None),
    ("sound", AudioPart(b"\x01", "Hello.", format="pcm16"), "Hello."),
    ("sound that nobody wrote down", AudioPart(id="a"), ""),
    ("a file by its id", FilePart(file_id="f", name="a.txt"), "[file a.txt]"),
    ("a file without a name", FilePart("text/plain", b"a"), "[file]"),
    ("text", TextPart("a"), None),
]


@pytest.mark.parametrize(("part", "words"), [case[1:] for case in TOLD], ids=[case[0] for case in TOLD])
def test_what_another_model_showed_is_told_in_words_where_google_cannot_show_it(part: Any, words: str | None) -> None:
    assert told(part) == words
