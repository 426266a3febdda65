"""Images and sound in chunks."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ProtocolError
from streamkit.parts import EmbeddedImage, ImagePart, ImageUrl, RawPart
from streamkit.protocols.openai_chat.media import read_base64, read_image

URL = "https://example.com/a.png"

IMAGES = [
    ("an address", {"image_url": {"url": URL}}, ImagePart(ImageUrl(URL))),
    ("with a level of detail", {"image_url": {"url": URL, "detail": "low"}}, ImagePart(ImageUrl(URL, "low"))),
    ("a bare address", {"type": "image_url", "image_url": URL}, ImagePart(ImageUrl(URL))),
    (
        "the image itself",
        {"image_url": {"url": "data:image/png;base64,AAEC"}},
        ImagePart(EmbeddedImage("image/png", b"\0\1\2")),
    ),
    (
        "broken base64",
        {"image_url": {"url": "data:image/png;base64,*"}},
        ImagePart(ImageUrl("data:image/png;base64,*")),
    ),
    ("no address", {"image_url": {}}, RawPart({"image_url": {}})),
    ("another form", {"b64_json": "AAEC"}, RawPart({"b64_json": "AAEC"})),
    ("no object", "x", RawPart("x")),
]


@pytest.mark.parametrize(("raw", "expected"), [case[1:] for case in IMAGES], ids=[case[0] for case in IMAGES])
def test_an_image_is_read(raw: Any, expected: object) -> None:
    assert read_image(raw) == expected


@pytest.mark.parametrize("text", ["AAE=", "AAE", " AAE=\n", "AAE=="])
def test_a_piece_of_base64_may_lack_its_padding(text: str) -> None:
    assert read_base64(text) == b"\0\1"


@pytest.mark.parametrize("text", ["A", "*", "AA=A", "AAAAA"])
def test_what_is_not_base64_is_an_error(text: str) -> None:
    with pytest.raises(ProtocolError, match="not base64"):
        read_base64(text)
