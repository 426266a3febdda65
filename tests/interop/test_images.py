"""Images as base64, and back."""

from __future__ import annotations

import pytest

from streamkit.errors import ConfigError, ImageNotEmbedded
from streamkit.interop.images import embedded, image_part
from streamkit.parts import EmbeddedImage, ImagePart, ImageUrl


def test_bytes_are_those_of_the_text() -> None:
    assert image_part("image/png", "YWI=") == ImagePart(EmbeddedImage("image/png", b"ab"))
    assert embedded(image_part("image/png", "YWI="), "this form") == EmbeddedImage("image/png", b"ab")


@pytest.mark.parametrize("text", ["YWI", "*", "é"])
def test_what_is_no_base64_is_an_error(text: str) -> None:
    with pytest.raises(ConfigError, match="an image of type image/png is no base64"):
        image_part("image/png", text)


def test_an_address_has_no_bytes() -> None:
    with pytest.raises(ImageNotEmbedded, match="this form takes images by their bytes only, not https://example.org/a"):
        embedded(ImagePart(ImageUrl("https://example.org/a")), "this form")
