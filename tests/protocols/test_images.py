"""Images by their first bytes, and those that are only an address."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, ImageNotEmbedded
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, ImagePart, ImageUrl
from streamkit.protocols import Quirks, Request, get_protocol
from streamkit.protocols.images import image_type, not_embedded

TYPES = [
    ("PNG", b"\x89PNG\r\n\x1a\nrest", "image/png"),
    ("JPEG", b"\xff\xd8\xff\xe0rest", "image/jpeg"),
    ("old GIF", b"GIF87arest", "image/gif"),
    ("GIF", b"GIF89arest", "image/gif"),
    ("WebP", b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
    ("sound", b"RIFF\x24\0\0\0WAVEfmt ", None),
    ("SVG", b'<svg xmlns="http://www.w3.org/2000/svg"/>', None),
    ("a page", b"<!doctype html>", None),
    ("half a signature", b"\x89PNG", None),
    ("nothing", b"", None),
]


@pytest.mark.parametrize(("data", "kind"), [case[1:] for case in TYPES], ids=[case[0] for case in TYPES])
def test_the_type_of_an_image_is_told_by_its_first_bytes(data: bytes, kind: str | None) -> None:
    assert image_type(data) == kind


def test_the_error_says_what_to_do_and_shows_no_address() -> None:
    error = not_embedded("Acme", "https://example.org/a.png?key=secret", "an acme:// address")
    assert str(error) == (
        "Acme takes an image by its bytes, not by its address: give EmbeddedImage(mime_type, data), or an acme:// "
        "address; fetch_images=True has it fetched"
    )
    assert error.url == "https://example.org/a.png?key=secret"
    assert isinstance(error, ConfigError)


FAR = "https://example.org/a.png"
NO_ADDRESSES: list[tuple[str, str, dict[str, Any], list[str]]] = [
    ("ollama", "Ollama", {}, []),
    ("llamacpp", "/completion", {}, []),
    ("gemini", "Gemini", {}, ["gs://bucket/a.png", "https://generativelanguage.googleapis.com/v1beta/files/a"]),
    ("bedrock-converse", "Bedrock", {}, ["s3://bucket/a.png"]),
    ("openai-chat", "this provider", {"image_urls": False}, []),
    ("openai-responses", "this provider", {"image_urls": False}, []),
    ("anthropic", "this provider", {"image_urls": False}, []),
]


@pytest.mark.parametrize("case", NO_ADDRESSES, ids=[case[0] for case in NO_ADDRESSES])
def test_a_dialect_that_takes_no_address_names_the_image(case: tuple[str, str, dict[str, Any], list[str]]) -> None:
    protocol, who, quirks, taken = case

    def encode(url: str) -> None:
        messages = [Message("user", [ImagePart(ImageUrl(url))])]
        get_protocol(protocol).encode(Request(model="m", messages=messages), Quirks(**quirks))

    with pytest.raises(ImageNotEmbedded, match=f"^{who} takes an image by its bytes") as caught:
        encode(FAR)
    assert caught.value.url == FAR
    for url in ("data:image/png;base64,iVBORw==", *taken):
        encode(url)


def test_an_embedded_image_is_taken_everywhere() -> None:
    for protocol, _, quirks, _ in NO_ADDRESSES:
        messages = [Message("user", [ImagePart(EmbeddedImage("image/png", b"\x89PNG"))])]
        get_protocol(protocol).encode(Request(model="m", messages=messages), Quirks(**quirks))
