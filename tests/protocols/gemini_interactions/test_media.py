"""Images, sound and files of an interaction."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ProtocolError
from streamkit.parts import EmbeddedImage, FilePart, ImagePart, ImageUrl
from streamkit.protocols.gemini_interactions.media import audio_format, media_extra, read_media

PARTS: list[tuple[dict[str, Any], Any]] = [
    ({"type": "image", "data": "AA=="}, ImagePart(EmbeddedImage("image/png", b"\x00"))),
    ({"type": "image", "data": "AA==", "mime_type": "image/webp"}, ImagePart(EmbeddedImage("image/webp", b"\x00"))),
    ({"type": "image", "uri": "https://example.org/a"}, ImagePart(ImageUrl("https://example.org/a"))),
    ({"type": "audio", "uri": "files/1", "mime_type": "audio/mp3"}, FilePart("audio/mp3", url="files/1")),
    ({"type": "video", "data": "AA=="}, FilePart(data=b"\x00")),
    ({"type": "document", "uri": "files/2"}, FilePart(url="files/2")),
    ({"type": "image"}, None),
    ({"type": "image", "data": "", "uri": None}, None),
]


@pytest.mark.parametrize(("content", "part"), PARTS)
def test_a_content_is_a_part(content: dict[str, Any], part: Any) -> None:
    assert read_media(content) == part


def test_what_is_no_base64_is_an_error() -> None:
    with pytest.raises(ProtocolError, match="base64"):
        read_media({"type": "image", "data": "%"})


FORMATS: list[tuple[dict[str, Any], str | None]] = [
    ({"mime_type": "audio/wav"}, "audio/wav"),
    ({"mime_type": "audio/l16", "sample_rate": 24000, "channels": 1}, "audio/l16;rate=24000;channels=1"),
    ({"mime_type": "audio/l16", "rate": 16000}, "audio/l16;rate=16000"),
    ({"sample_rate": 24000}, None),
    ({}, None),
]


@pytest.mark.parametrize(("content", "format"), FORMATS)
def test_sound_has_a_format(content: dict[str, Any], format: str | None) -> None:
    assert audio_format(content) == format


def test_what_else_a_content_has_is_kept() -> None:
    assert media_extra({"type": "image", "data": "AA==", "resolution": "low", "x": None}) == {"resolution": "low"}
    assert media_extra({"type": "image", "uri": "files/1", "mime_type": "image/png"}) is None
