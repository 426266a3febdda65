"""Parts in the form of Anthropic messages."""

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
    Part,
    RawPart,
    RefusalPart,
    ServerToolPart,
    TextPart,
    ValuePart,
)
from streamkit.protocols.anthropic.parts import encode_part

PNG = {"type": "base64", "media_type": "image/png", "data": "AA=="}
SEARCH_RESULT = {"type": "search_result", "source": "s", "title": "t", "content": []}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def document(source: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"type": "document", "source": source, **fields}


CASES: list[tuple[str, Part, dict[str, Any] | None]] = [
    ("text", TextPart(" hi "), text(" hi ")),
    ("an empty text", TextPart(""), None),
    ("a blank text", TextPart(" \n"), None),
    ("a value", ValuePart({"a": 1}), text('{"a":1}')),
    ("a refusal", RefusalPart("no"), text("no")),
    ("an embedded image", ImagePart(EmbeddedImage("image/png", b"\x00")), {"type": "image", "source": PNG}),
    (
        "an image of a misspelt type",
        ImagePart(EmbeddedImage("image/jpg", b"\x00")),
        {"type": "image", "source": PNG | {"media_type": "image/jpeg"}},
    ),
    (
        "an image's address",
        ImagePart(ImageUrl("https://e.org/a.png", "low")),
        {"type": "image", "source": {"type": "url", "url": "https://e.org/a.png"}},
    ),
    ("an image in its address", ImagePart(ImageUrl("data:image/png;base64,AA==")), {"type": "image", "source": PNG}),
    (
        "a PDF",
        FilePart("application/pdf", b"%PDF", name="a.pdf"),
        document({"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}, title="a.pdf"),
    ),
    (
        "a PDF of no stated type",
        FilePart(data=b"%PDF-1.7"),
        document({"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjc="}),
    ),
    (
        "a text file",
        FilePart("text/markdown", "# Zoë".encode()),
        document({"type": "text", "media_type": "text/plain", "data": "# Zoë"}),
    ),
    ("bytes that are text", FilePart(data=b"a"), document({"type": "text", "media_type": "text/plain", "data": "a"})),
    ("a file's address", FilePart(url="https://e.org/a.pdf"), document({"type": "url", "url": "https://e.org/a.pdf"})),
    ("a file at the provider", FilePart(file_id="file_1"), document({"type": "file", "file_id": "file_1"})),
    ("an image as a file", FilePart("image/png", b"\x00"), {"type": "image", "source": PNG}),
    (
        "an image at the provider",
        FilePart("image/png", file_id="file_1"),
        {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
    ),
    ("what speech said", AudioPart(b"\x00", "hello"), text("hello")),
    ("a block of the provider's own", RawPart(SEARCH_RESULT), SEARCH_RESULT),
    ("a raw value that is no block", RawPart(1), None),
    ("a citation", CitationPart({}), None),
    ("a server's tool", ServerToolPart("call", "1", "search", {}), None),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_part_has_its_block(case: tuple[str, Part, dict[str, Any] | None]) -> None:
    assert encode_part(Block(case[1])) == case[2]


ERRORS: list[tuple[str, Part, str]] = [
    ("speech without words", AudioPart(b"\x00"), "take no audio; give its transcript"),
    ("unknown bytes", FilePart(data=b"\xff\xfe"), "not unknown bytes"),
    ("another type of bytes", FilePart("application/zip", b"\xff"), "not application/zip"),
    ("an empty file", FilePart(), "a file needs its bytes, its address or its id"),
    ("a call", FunctionPart("1", FunctionCall("f")), "the call of 'f' .* goes in tool_calls"),
]


@pytest.mark.parametrize("case", ERRORS, ids=[case[0] for case in ERRORS])
def test_what_has_no_block_is_a_config_error(case: tuple[str, Part, str]) -> None:
    with pytest.raises(ConfigError, match=case[2]):
        encode_part(Block(case[1]))


def test_extras_go_with_the_block_but_for_those_of_other_dialects() -> None:
    extra = {"cache_control": {"type": "ephemeral"}, "prompt_cache_breakpoint": {}, "reasoning_details": []}
    block = Block(TextPart("a"), extra=extra)
    assert encode_part(block) == text("a") | {"cache_control": {"type": "ephemeral"}}


def test_a_raw_block_is_not_changed_by_its_extras() -> None:
    part = RawPart({"type": "x"})
    assert encode_part(Block(part, extra={"a": 1})) == {"type": "x", "a": 1}
    assert part.raw == {"type": "x"}
