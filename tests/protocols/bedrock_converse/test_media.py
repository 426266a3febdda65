"""Images, sound and files as blocks of Converse."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, ImagePart, ImageUrl
from streamkit.protocols.bedrock_converse.media import encode_audio, encode_file, encode_image

BYTES = {"bytes": "YQ=="}
ON_S3 = {"s3Location": {"uri": "s3://b/a.webp"}}
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

IMAGES = [
    ("bytes", EmbeddedImage("image/png", b"a"), {"format": "png", "source": BYTES}),
    ("the type that many write", EmbeddedImage("image/jpg", b"a"), {"format": "jpeg", "source": BYTES}),
    ("a data URL", ImageUrl("data:image/gif;base64,YQ=="), {"format": "gif", "source": BYTES}),
    ("on S3", ImageUrl("s3://b/a.webp"), {"format": "webp", "source": ON_S3}),
]


@pytest.mark.parametrize(("image", "block"), [case[1:] for case in IMAGES], ids=[case[0] for case in IMAGES])
def test_an_image_is_sent_as_bytes_or_lies_on_s3(image: Any, block: dict[str, Any]) -> None:
    assert encode_image(ImagePart(image)) == {"image": block}


FILES: list[tuple[str, FilePart, dict[str, Any]]] = [
    ("an image", FilePart("image/png", b"a"), {"image": {"format": "png", "source": BYTES}}),
    ("a video", FilePart("video/quicktime", b"a"), {"video": {"format": "mov", "source": BYTES}}),
    (
        "a document",
        FilePart(DOCX, b"a", name="My  plan_v2.final.docx"),
        {"document": {"format": "docx", "name": "My plan v2 final", "source": BYTES}},
    ),
    (
        "a PDF by its bytes",
        FilePart(data=b"%PDF-"),
        {"document": {"format": "pdf", "name": "document", "source": {"bytes": "JVBERi0="}}},
    ),
    (
        "a type by the name",
        FilePart(data=b"a", name="t.csv"),
        {"document": {"format": "csv", "name": "t", "source": BYTES}},
    ),
    (
        "a data URL",
        FilePart(url="data:text/plain;base64,YQ=="),
        {"document": {"format": "txt", "name": "document", "source": BYTES}},
    ),
    ("on S3", FilePart("image/webp", url="s3://b/a.webp"), {"image": {"format": "webp", "source": ON_S3}}),
    (
        "a name of signs alone",
        FilePart("text/html", b"a", name="???.html"),
        {"document": {"format": "html", "name": "document", "source": BYTES}},
    ),
    (
        "a name without an ending",
        FilePart("text/markdown", b"a", name="notes"),
        {"document": {"format": "md", "name": "notes", "source": BYTES}},
    ),
]


@pytest.mark.parametrize(("part", "block"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_a_file_is_what_its_type_says(part: FilePart, block: dict[str, Any]) -> None:
    assert encode_file(part) == block


REFUSED = [
    ("an image on the web", lambda: encode_image(ImagePart(ImageUrl("https://x.example/a.png"))), "s3://"),
    ("an image of another format", lambda: encode_image(ImagePart(EmbeddedImage("image/tiff", b"a"))), "image/tiff"),
    ("an image on S3 of no format", lambda: encode_image(ImagePart(ImageUrl("s3://b/a"))), "PNG"),
    ("a file on the web", lambda: encode_file(FilePart("text/html", url="https://x.example/a")), "S3"),
    ("a file by its id", lambda: encode_file(FilePart(file_id="f")), "ids of files"),
    ("a file of another type", lambda: encode_file(FilePart("application/zip", b"a")), "application/zip"),
    ("a file of no type", lambda: encode_file(FilePart(data=b"a")), "unknown"),
    ("sound without a format", lambda: encode_audio(AudioPart(b"a")), "transcript"),
]


@pytest.mark.parametrize(("encode", "says"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_the_api_does_not_take_is_refused(encode: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        encode()


def test_sound_is_bytes_or_its_transcript() -> None:
    assert encode_audio(AudioPart(b"a", "x", "wav")) == {"audio": {"format": "wav", "source": BYTES}}
    assert encode_audio(AudioPart(transcript="x")) == {"text": "x"}
