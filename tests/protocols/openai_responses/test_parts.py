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
from streamkit.protocols import Quirks
from streamkit.protocols.openai_responses.parts import collapse, encode_part, extras, told

PNG = "data:image/png;base64,iVBORw=="
CASES: list[tuple[str, Any, Any]] = [
    ("text", TextPart("a"), {"type": "input_text", "text": "a"}),
    ("a value", ValuePart({"a": 1}), {"type": "input_text", "text": '{"a":1}'}),
    (
        "an image",
        ImagePart(EmbeddedImage("image/png", b"\x89PNG")),
        {"type": "input_image", "image_url": PNG, "detail": "auto"},
    ),
    (
        "an image by its address",
        ImagePart(ImageUrl("https://x.org/a.png", "low")),
        {"type": "input_image", "image_url": "https://x.org/a.png", "detail": "low"},
    ),
    (
        "sound",
        AudioPart(b"RIFF"),
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
    ),
    (
        "a file",
        FilePart(data=b"%PDF", name="a.pdf"),
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="},
    ),
    ("a file by its id", FilePart(file_id="f"), {"type": "input_file", "file_id": "f"}),
    ("a file by its address", FilePart(url="https://x.org/a"), {"type": "input_file", "file_url": "https://x.org/a"}),
    (
        "a picture in a file",
        FilePart("image/png", b"\x89PNG"),
        {"type": "input_image", "image_url": PNG, "detail": "auto"},
    ),
    (
        "a picture by its address",
        FilePart("image/png", url="https://x.org/a"),
        {"type": "input_image", "image_url": "https://x.org/a", "detail": "auto"},
    ),
    (
        "a picture by its id",
        FilePart("image/png", file_id="f"),
        {"type": "input_image", "file_id": "f", "detail": "auto"},
    ),
    ("a part as it is", RawPart({"type": "input_new", "x": 1}), {"type": "input_new", "x": 1}),
    ("a source", CitationPart({}), None),
    ("a server's tool", ServerToolPart("call", "a", "b", {}), None),
]


@pytest.mark.parametrize(("part", "encoded"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_part_of_a_user_is_encoded(part: Any, encoded: Any) -> None:
    assert encode_part(Block(part), Quirks()) == encoded


REFUSED: list[tuple[str, Any, str]] = [
    ("sound without bytes", AudioPart(id="a"), "bytes"),
    ("an empty file", FilePart(name="a"), "a file needs"),
    ("a call", FunctionPart("c", FunctionCall("f")), "tool_calls"),
]


@pytest.mark.parametrize(("part", "says"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_has_no_form_is_refused(part: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        encode_part(Block(part), Quirks())


def test_what_goes_with_a_part_is_kept_unless_it_is_for_another_dialect() -> None:
    mark = {"mode": "explicit"}
    block = Block(TextPart("a"), extra={"prompt_cache_breakpoint": mark, "cache_control": {}, "opaque": 1})
    assert encode_part(block, Quirks()) == {"type": "input_text", "text": "a", "prompt_cache_breakpoint": mark}
    assert extras(Block(TextPart("a"))) == {}


def test_one_mere_text_is_a_string() -> None:
    one = {"type": "input_text", "text": "a"}
    assert collapse([one]) == "a"
    assert collapse([one, one]) == [one, one]
    assert collapse([{**one, "prompt_cache_breakpoint": {}}]) == [{**one, "prompt_cache_breakpoint": {}}]
    assert collapse([]) == ""


TOLD: list[tuple[str, Any, str | None]] = [
    ("text", TextPart("a"), "a"),
    ("a refusal", RefusalPart("no"), "no"),
    ("an image", ImagePart(ImageUrl("u")), "[image]"),
    ("a file", FilePart(name="a.pdf"), "[file a.pdf]"),
    ("a file without a name", FilePart(), "[file]"),
    ("speech", AudioPart(transcript="hi"), "hi"),
    ("a source", CitationPart({}), None),
]


@pytest.mark.parametrize(("part", "words"), [case[1:] for case in TOLD], ids=[case[0] for case in TOLD])
def test_what_an_answer_holds_is_told_in_words(part: Any, words: str | None) -> None:
    assert told(part) == words
