"""Messages in the form of DashScope."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.messages import Message, Meta, Origin
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
    TextPart,
    ValuePart,
)
from streamkit.protocols import Quirks
from streamkit.protocols.dashscope.messages import encode_messages, is_multimodal

KEEPS = Quirks(thinking_field="reasoning_content")
CALL = FunctionPart("c1", FunctionCall("add", {"a": 1}))
SENT_CALL = {"index": 0, "id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a":1}'}}
CALLED = Message("assistant", tool_calls=[CALL])
SENT_CALLED = {"role": "assistant", "content": "", "tool_calls": [SENT_CALL]}
WORDS: list[tuple[str, list[Message], list[dict[str, Any]]]] = [
    ("a question", [Message("user", "hi")], [{"role": "user", "content": "hi"}]),
    (
        "several texts",
        [Message("system", [TextPart("a"), TextPart("b")])],
        [{"role": "system", "content": "a\n\nb"}],
    ),
    ("a value", [Message("user", [ValuePart({"a": 1})])], [{"role": "user", "content": '{"a":1}'}]),
    ("an answer", [Message("assistant", [TextPart("a"), TextPart("b")])], [{"role": "assistant", "content": "ab"}]),
    ("a refusal", [Message("assistant", [RefusalPart("no")])], [{"role": "assistant", "content": "no"}]),
    (
        "an image in an answer",
        [Message("assistant", [ImagePart(ImageUrl("u"))])],
        [{"role": "assistant", "content": "[image]"}],
    ),
    (
        "a file in an answer",
        [Message("assistant", [FilePart(name="a.txt")])],
        [{"role": "assistant", "content": "[file a.txt]"}],
    ),
    ("what was heard", [Message("assistant", [AudioPart(b"", "ah")])], [{"role": "assistant", "content": "ah"}]),
    ("an answer that says nothing", [Message("user", "hi"), Message("assistant")], [{"role": "user", "content": "hi"}]),
    ("a citation", [Message("assistant", [CitationPart({"a": 1})])], []),
    (
        "a call and its result",
        [CALLED, Message("tool", [ValuePart(2)], id="c1")],
        [SENT_CALLED, {"role": "tool", "content": "2", "tool_call_id": "c1"}],
    ),
    (
        "a call without a result",
        [CALLED],
        [SENT_CALLED, {"role": "tool", "content": "No result: the call was interrupted.", "tool_call_id": "c1"}],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("messages", "sent"), [case[1:] for case in WORDS], ids=[case[0] for case in WORDS])
def test_text_models_get_strings(messages: list[Message], sent: list[dict[str, Any]]) -> None:
    assert encode_messages(messages, Quirks()) == sent
    assert not is_multimodal(messages)


SHOWN: list[tuple[str, Any, dict[str, Any]]] = [
    ("the address of an image", ImagePart(ImageUrl("https://a.example/1.png")), {"image": "https://a.example/1.png"}),
    ("an image", ImagePart(EmbeddedImage("image/png", b"\x01")), {"image": "data:image/png;base64,AQ=="}),
    ("sound", AudioPart(b"\x01", format="mp3"), {"audio": "data:audio/mp3;base64,AQ=="}),
    ("video", FilePart(mime_type="video/mp4", data=b"\x01"), {"video": "data:video/mp4;base64,AQ=="}),
    ("the address of a video", FilePart(mime_type="video/mp4", url="https://a.example/v"), {"video": "https://a.example/v"}),
    ("a part of its own", RawPart({"video": ["a", "b"]}), {"video": ["a", "b"]}),
]  # fmt: skip


@pytest.mark.parametrize(("part", "sent"), [case[1:] for case in SHOWN], ids=[case[0] for case in SHOWN])
def test_multimodal_models_get_parts_named_by_their_field(part: Any, sent: dict[str, Any]) -> None:
    messages = [Message("user", [TextPart("see"), part])]
    assert is_multimodal(messages)
    assert encode_messages(messages, Quirks(), multimodal=True) == [
        {"role": "user", "content": [{"text": "see"}, sent]}
    ]


def test_what_a_tool_shows_follows_its_results() -> None:
    shown = ImagePart(ImageUrl("https://a.example/1.png"))
    messages = [CALLED, Message("tool", [shown], id="c1"), Message("user", "so?")]
    assert encode_messages(messages, Quirks(), multimodal=True) == [
        {"role": "assistant", "content": [], "tool_calls": [SENT_CALL]},
        {"role": "tool", "content": [{"text": "The result follows as an attachment."}], "tool_call_id": "c1"},
        {
            "role": "user",
            "content": [{"text": "The attachments of the tool results:"}, {"image": "https://a.example/1.png"}],
        },
        {"role": "user", "content": [{"text": "so?"}]},
    ]


ORIGINS: list[tuple[str, Meta | None, bool]] = [
    ("its own", Meta(Origin("dashscope", "dashscope", "m")), True),
    ("unknown", None, True),
    ("another provider's", Meta(Origin("dashscope", "other", "m")), False),
    ("another dialect's", Meta(Origin("openai-chat", "dashscope", "m")), False),
]


@pytest.mark.parametrize(("meta", "goes"), [case[1:] for case in ORIGINS], ids=[case[0] for case in ORIGINS])
def test_thinking_goes_back_to_where_it_came_from(meta: Meta | None, goes: bool) -> None:
    message = Message("assistant", [TextPart("a")], thinking="hm")
    message.meta = meta
    (sent,) = encode_messages([message], KEEPS, "dashscope")
    assert sent == {"role": "assistant", "content": "a"} | ({"reasoning_content": "hm"} if goes else {})
    (bare,) = encode_messages([message], Quirks(), "dashscope")
    assert bare == {"role": "assistant", "content": "a"}


WRONG: list[tuple[str, Message, str]] = [
    ("an image in a system message", Message("system", [ImagePart(ImageUrl("u"))]), "system"),
    ("a document", Message("user", [FilePart("application/pdf", b"\x01")]), "image"),
    ("a file without its bytes", Message("user", [FilePart("image/png")]), "image"),
    ("sound without its bytes", Message("user", [AudioPart(b"", "ah")]), "AudioPart"),
]


@pytest.mark.parametrize(("message", "says"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_what_has_no_form_is_refused(message: Message, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        encode_messages([message], Quirks(), multimodal=True)
