"""Whatever a tool gives, every dialect sends a request: what it has no form for is told in words."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import msgspec
import pytest

from streamkit.blocks import Block
from streamkit.errors import ConfigError
from streamkit.messages import Message
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
    TextPart,
    ValuePart,
)
from streamkit.protocols import PROTOCOLS, get_protocol
from streamkit.protocols.request import Request
from streamkit.protocols.results import encode_result, in_words

# Those that go on with a text, and take no conversation.
PLAIN = {"llamacpp", "openai-completions", "sglang", "tgi", "vllm-generate", "fastchat", "gradio"}
DIALECTS = sorted(set(PROTOCOLS) - PLAIN)

DATA = b"\x00\xff\x01 byte \x80"
GIVEN: list[tuple[str, Part, str]] = [
    ("audio", AudioPart(DATA, format="wav"), "audio/wav, 10 bytes"),
    ("audio of no format", AudioPart(DATA), "audio, which cannot be shown here: of unknown format, 10 bytes"),
    ("a transcript", AudioPart(transcript="He says hello."), "He says hello."),
    ("an archive", FilePart("application/zip", DATA, name="a:b/report.zip"), "report.zip, application/zip, 10 bytes"),
    ("bytes of no type", FilePart(data=DATA), "of unknown type, 10 bytes"),
    ("a film", FilePart("video/mp4", DATA), "video/mp4, 10 bytes"),
    ("a file at an address", FilePart(url="https://h/a.bin"), "https://h/a.bin"),
    ("a file that is none", FilePart(), "a file, which cannot be shown here: of unknown type]"),
    ("an image at an address", ImagePart(ImageUrl("https://h/a.png")), "https://h/a.png"),
    ("an image of a rare type", ImagePart(EmbeddedImage("image/tiff", DATA)), "image/tiff, 10 bytes"),
    ("a call", FunctionPart("x", FunctionCall("hidden")), "hidden"),
    ("a part nobody knows", RawPart("odd"), "RawPart"),
]


def encode(protocol: str, *parts: Part, role: Any = "tool") -> str:
    """The body of a request that ends with the parts, in the role."""
    call = FunctionPart("call_12345", FunctionCall("look"))
    asked = [Message("user", [TextPart("Look.")]), Message("assistant", tool_calls=[call])]
    answered = [Message("tool", [TextPart("Nothing.")], id=call.id)] if role == "user" else []
    said = Message(role, list(parts), id=call.id if role == "tool" else None)
    request = Request(model="m", messages=[*asked, *answered, said])
    return msgspec.json.encode(get_protocol(protocol).encode(request).body).decode()


@pytest.mark.parametrize(("part", "words"), [case[1:] for case in GIVEN], ids=[case[0] for case in GIVEN])
@pytest.mark.parametrize("protocol", DIALECTS)
def test_what_a_tool_gives_is_sent_or_told(protocol: str, part: Part, words: str) -> None:
    body = encode(protocol, TextPart("Seen."), part)
    assert "Seen." in body
    shown = b64encode(DATA).decode() in body
    assert shown or words in body or (isinstance(part, RawPart) and "odd" not in body)
    assert not (shown and "cannot be shown" in body)


SENT = {
    "audio": {"openai-chat", "dashscope", "gemini", "gemini-interactions"},
    "an archive": {"openai-chat", "openai-responses", "gemini", "gemini-interactions"},
    "an image of a rare type": set(DIALECTS) - {"bedrock-converse"},
}


@pytest.mark.parametrize("kind", SENT)
def test_what_a_dialect_takes_is_not_told_but_sent(kind: str) -> None:
    part = next(part for name, part, _ in GIVEN if name == kind)
    assert {name for name in DIALECTS if b64encode(DATA).decode() in encode(name, part)} == SENT[kind]


@pytest.mark.parametrize("protocol", DIALECTS)
def test_what_a_user_sends_and_the_dialect_does_not_take_is_an_error(protocol: str) -> None:
    with pytest.raises(ConfigError):
        encode(protocol, FilePart(), role="user")
    assert "a file, which cannot be shown here" in encode(protocol, FilePart())


def refuse(block: Block) -> str | None:
    if isinstance(block.part, TextPart):
        return block.part.text
    if isinstance(block.part, CitationPart):
        return None
    raise ConfigError("text only")


def test_each_block_stays_in_its_place() -> None:
    message = Message("tool", [TextPart("a"), CitationPart({}), FilePart("a/b", b"12"), TextPart("c")])
    assert [one for _, one in encode_result(message, refuse)] == [
        "a",
        "[the tool gave a file, which cannot be shown here: a/b, 2 bytes]",
        "c",
    ]


@pytest.mark.parametrize(
    "part", [ImagePart(ImageUrl("data:image/png;base64," + "A" * 1000)), FilePart(name="x" * 1000)]
)
def test_the_words_are_few(part: Part) -> None:
    assert len(in_words(part)) < 300


def test_a_value_that_is_no_json_is_told_of() -> None:
    assert "ValuePart" in in_words(ValuePart({1, 2}))
