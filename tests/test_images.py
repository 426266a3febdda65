"""The images of a request that are addresses, and what was fetched in their places."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.blocks import BlockRef
from streamkit.images import embed_images, images_to_embed
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, FunctionCall, FunctionPart, ImagePart, ImageUrl, TextPart
from streamkit.protocols import Quirks, Request, get_protocol

PNG = EmbeddedImage("image/png", b"\x89PNG")


def at(url: str) -> ImagePart:
    return ImagePart(ImageUrl(url))


def asking(*parts: Any) -> Request:
    return Request(
        model="m",
        messages=[
            Message("user", ["What is this?", *parts]),
            Message("assistant", [], tool_calls=[FunctionPart("c", FunctionCall("look"))]),
            Message("tool", [*parts, at("https://example.org/tool.png")], id="c"),
        ],
        provider="acme",
    )


EMBEDDED: list[tuple[str, dict[str, Any], list[str], list[str]]] = [
    (
        "ollama",
        {},
        ["https://example.org/b.png", "http://example.org/a.png", "data:image/png;base64,iVBORw=="],
        ["http://example.org/a.png", "https://example.org/b.png", "https://example.org/tool.png"],
    ),
    (
        "gemini",
        {},
        ["gs://bucket/a.png", "https://generativelanguage.googleapis.com/v1beta/files/a"],
        ["https://example.org/tool.png"],
    ),
    ("bedrock-converse", {}, ["s3://bucket/a.png"], ["https://example.org/tool.png"]),
    ("openai-chat", {}, ["https://example.org/b.png"], []),
    ("openai-chat", {"image_urls": False}, [], ["https://example.org/tool.png"]),
    ("anthropic", {}, ["https://example.org/b.png"], []),
]


@pytest.mark.parametrize("case", EMBEDDED, ids=[f"{case[0]} {case[1]}" for case in EMBEDDED])
def test_those_are_embedded_that_the_provider_takes_by_their_bytes_only(
    case: tuple[str, dict[str, Any], list[str], list[str]],
) -> None:
    protocol, quirks, given, expected = case
    found = images_to_embed(asking(*map(at, given), ImagePart(PNG)), get_protocol(protocol), Quirks(**quirks))
    assert found == expected


def test_what_was_fetched_takes_the_place_of_its_address() -> None:
    request = asking(at("https://example.org/a.png"), at("https://example.org/a.png"), at("https://example.org/b.png"))
    request.messages[0].blocks = [BlockRef("contents", place, extra={"x": place}) for place in range(4)]
    embedded = embed_images(request, {"https://example.org/a.png": PNG})
    assert embedded.messages[0].contents == [
        TextPart("What is this?"),
        ImagePart(PNG),
        ImagePart(PNG),
        at("https://example.org/b.png"),
    ]
    assert [block.extra for block in embedded.messages[0].iter_blocks()] == [{"x": place} for place in range(4)]
    assert embedded.messages[2].contents[0] == ImagePart(PNG)
    assert request.messages[0].contents[1] == at("https://example.org/a.png")
