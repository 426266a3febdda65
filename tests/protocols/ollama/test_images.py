"""Images as bare base64."""

from __future__ import annotations

import pytest

from streamkit.errors import ConfigError, ProtocolError
from streamkit.parts import EmbeddedImage, FilePart, ImagePart, ImageUrl
from streamkit.protocols.ollama.images import encode_file, encode_image, read_image
from streamkit.protocols.values import base64_text

KINDS = [
    ("png", b"\x89PNG\r\n", "image/png"),
    ("jpeg", b"\xff\xd8\xff\xe0", "image/jpeg"),
    ("gif", b"GIF89a", "image/gif"),
    ("webp", b"RIFF....WEBP", "image/webp"),
    ("unknown", b"??", "image/png"),
]


@pytest.mark.parametrize(("data", "mime_type"), [case[1:] for case in KINDS], ids=[case[0] for case in KINDS])
def test_the_first_bytes_tell_the_type(data: bytes, mime_type: str) -> None:
    image = read_image(base64_text(data))
    assert image == ImagePart(EmbeddedImage(mime_type, data))
    assert encode_image(image) == base64_text(data)


def test_what_is_no_base64_is_an_error() -> None:
    with pytest.raises(ProtocolError, match="not base64"):
        read_image("a*b")


def test_a_data_url_is_sent_without_its_prefix() -> None:
    assert encode_image(ImagePart(ImageUrl("data:image/png;base64,iVBORw=="))) == "iVBORw=="


def test_an_image_file_is_an_image() -> None:
    assert encode_file(FilePart("image/png", b"\x89PNG")) == "iVBORw=="


def test_an_address_or_another_file_cannot_be_sent() -> None:
    with pytest.raises(ConfigError, match="not by its address"):
        encode_image(ImagePart(ImageUrl("https://example.org/a.png")))
    for part in (FilePart("application/pdf", b"%PDF"), FilePart("image/png", url="https://example.org/a.png")):
        with pytest.raises(ConfigError, match="takes no files"):
            encode_file(part)
