from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, HistoryWarning, ImageNotEmbedded
from streamkit.interop.agentcore.contents import contents_of, parts_of
from streamkit.interop.agentcore.messages import ImageContent, TextContent
from streamkit.parts import EmbeddedImage, ImagePart, ImageUrl, RawPart, RefusalPart, TextPart, ValuePart

PAIRS = [
    (TextPart("a"), TextContent("a")),
    (ImagePart(EmbeddedImage("image/png", b"hi")), ImageContent("aGk=", "image/png")),
]


@pytest.mark.parametrize(("part", "content"), PAIRS)
def test_texts_and_images_go_there_and_back(part: Any, content: Any) -> None:
    assert contents_of([part]) == [content]
    assert parts_of([content]) == [part]


@pytest.mark.parametrize(("part", "text"), [(ValuePart({"a": 1}), '{"a":1}'), (RefusalPart("no"), "no")])
def test_what_says_something_is_text(part: Any, text: str) -> None:
    assert contents_of([part]) == [TextContent(text)]


def test_an_image_must_be_bytes() -> None:
    with pytest.raises(ImageNotEmbedded, match="https://x/y.png"):
        contents_of([ImagePart(ImageUrl("https://x/y.png"))])
    for data in ["no base64", "é"]:
        with pytest.raises(ConfigError, match="image/png is no base64"):
            parts_of([ImageContent(data, "image/png")])


def test_a_part_without_a_place_is_warned_of() -> None:
    with pytest.warns(HistoryWarning, match="RawPart"):
        assert contents_of([TextPart("a"), RawPart({"type": "new"})]) == [TextContent("a")]
