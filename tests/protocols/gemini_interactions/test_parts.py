"""Parts → contents."""

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
    RawPart,
    RefusalPart,
    ServerToolPart,
    TextPart,
    ValuePart,
)
from streamkit.protocols.gemini_interactions.parts import encode_media, encode_part

CONTENTS: list[tuple[str, Any, dict[str, Any] | None]] = [
    ("a text", TextPart("a"), {"type": "text", "text": "a"}),
    ("an empty text", TextPart(""), None),
    ("a value", ValuePart({"a": 1}), {"type": "text", "text": '{"a":1}'}),
    ("a refusal", RefusalPart("no"), {"type": "text", "text": "no"}),
    (
        "an image",
        ImagePart(EmbeddedImage("image/png", b"\x00")),
        {"type": "image", "data": "AA==", "mime_type": "image/png"},
    ),
    (
        "an image by its address",
        ImagePart(ImageUrl("https://example.org/a.png", "low")),
        {"type": "image", "uri": "https://example.org/a.png", "resolution": "low"},
    ),
    ("an image as a caller sees fit", ImagePart(ImageUrl("gs://b/a", "auto")), {"type": "image", "uri": "gs://b/a"}),
    (
        "an image inside its address",
        ImagePart(ImageUrl("data:image/webp;base64,AA==")),
        {"type": "image", "data": "AA==", "mime_type": "image/webp"},
    ),
    ("sound", AudioPart(b"\x00", format="mp3"), {"type": "audio", "data": "AA==", "mime_type": "audio/mp3"}),
    ("sound of no format", AudioPart(b"\x00"), {"type": "audio", "data": "AA==", "mime_type": "audio/wav"}),
    (
        "sound with its rate",
        AudioPart(b"\x00", format="audio/l16;rate=24000;channels=1;codec=pcm"),
        {"type": "audio", "data": "AA==", "mime_type": "audio/l16", "sample_rate": 24000, "channels": 1},
    ),
    ("samples", AudioPart(b"\x00", format="pcm16"), {"type": "audio", "data": "AA==", "mime_type": "audio/l16"}),
    ("a transcript", AudioPart(transcript="Hello."), {"type": "text", "text": "Hello."}),
    (
        "a document",
        FilePart(data=b"%PDF-1.7"),
        {"type": "document", "data": "JVBERi0xLjc=", "mime_type": "application/pdf"},
    ),
    (
        "a video",
        FilePart("video/mp4", url="https://example.org/a.mp4"),
        {"type": "video", "uri": "https://example.org/a.mp4", "mime_type": "video/mp4"},
    ),
    (
        "an uploaded file",
        FilePart("image/png", file_id="files/1"),
        {
            "type": "image",
            "uri": "https://generativelanguage.googleapis.com/v1beta/files/1",
            "mime_type": "image/png",
        },
    ),
    ("a file with an id that is an address", FilePart(file_id="gs://b/a"), {"type": "document", "uri": "gs://b/a"}),
    ("sound as a file", FilePart("audio/ogg", b"\x00"), {"type": "audio", "data": "AA==", "mime_type": "audio/ogg"}),
    ("a content as it is", RawPart({"type": "video", "uri": "u"}), {"type": "video", "uri": "u"}),
    ("a source", CitationPart({"url": "u"}), None),
    ("a server's tool", ServerToolPart("call", "s", "google_search", {}), None),
]


@pytest.mark.parametrize(("part", "content"), [case[1:] for case in CONTENTS], ids=[case[0] for case in CONTENTS])
def test_a_part_is_a_content(part: Any, content: dict[str, Any] | None) -> None:
    assert encode_part(Block(part)) == content


def test_what_else_the_api_knows_of_a_content_goes_with_it() -> None:
    image = ImagePart(ImageUrl("https://example.org/a"))
    encoded = encode_media(Block(image, extra={"resolution": "high", "cache_control": {}}))
    assert encoded == {"type": "image", "uri": "https://example.org/a", "resolution": "high"}
    assert encode_media(Block(TextPart("a"))) is None


REFUSED: list[tuple[Any, str]] = [
    (AudioPart(), "bytes"),
    (FilePart(), "needs its bytes"),
    (FilePart(data=b"a"), "mime_type"),
    (FunctionPart("c", FunctionCall("f")), "tool_calls"),
]


@pytest.mark.parametrize(("part", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_what_has_no_form_is_refused(part: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        encode_part(Block(part))
