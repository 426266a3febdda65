"""Messages in the form of Ollama's chat."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.blocks import BlockRef
from streamkit.errors import ConfigError
from streamkit.messages import Message, Meta, Origin
from streamkit.parts import (
    AudioPart,
    EmbeddedImage,
    FilePart,
    FunctionCall,
    FunctionPart,
    ImagePart,
    ImageUrl,
    RefusalPart,
    TextPart,
    ValuePart,
)
from streamkit.protocols import Quirks
from streamkit.protocols.history import NO_RESULT
from streamkit.protocols.ollama.messages import encode_messages

PNG = ImagePart(EmbeddedImage("image/png", b"\x89PNG"))
CALL = FunctionPart("c1", FunctionCall("add", {"b": 1, "a": {"z": [2]}}))
OWN = Meta(Origin("ollama", "ollama-chat", "m"))
ELSEWHERE = Meta(Origin("anthropic", "anthropic", "claude"))


def encode(*messages: Message, provider: str = "ollama-chat") -> list[dict[str, Any]]:
    return encode_messages(messages, Quirks(), provider)


CASES: list[tuple[str, Message, dict[str, Any]]] = [
    ("a system prompt", Message("system", ["a", "b"]), {"role": "system", "content": "a\n\nb"}),
    ("a user", Message("user", "hi"), {"role": "user", "content": "hi"}),
    (
        "a value and a refusal",
        Message("user", [ValuePart({"a": 1}), RefusalPart("no")]),
        {"role": "user", "content": '{"a":1}\n\nno'},
    ),
    (
        "images beside the text",
        Message("user", ["What?", PNG, FilePart("image/png", b"\x89PNG")]),
        {"role": "user", "content": "What?", "images": ["iVBORw==", "iVBORw=="]},
    ),
    ("an answer", Message("assistant", ["a", "b"]), {"role": "assistant", "content": "ab"}),
    (
        "an answer's other parts in words",
        Message("assistant", [PNG, FilePart(name="a.pdf", file_id="f"), AudioPart(transcript="hello")]),
        {"role": "assistant", "content": "[image][file a.pdf]hello"},
    ),
    (
        "thinking of its own",
        Message("assistant", "So.", thinking="Hm.", meta=OWN),
        {"role": "assistant", "content": "So.", "thinking": "Hm."},
    ),
    (
        "thinking of another",
        Message("assistant", "So.", thinking="Hm.", signature="s", meta=ELSEWHERE),
        {"role": "assistant", "content": "So."},
    ),
    (
        "thinking in two places",
        Message(
            "assistant",
            ["So.", "Yes."],
            thinking="Hm.Ah.",
            meta=OWN,
            blocks=[
                BlockRef("thinking", 0, 3),
                BlockRef("contents", 0),
                BlockRef("thinking", 3, 6),
                BlockRef("contents", 1),
            ],
        ),
        {"role": "assistant", "content": "So.Yes.", "thinking": "Hm.Ah."},
    ),
]


@pytest.mark.parametrize(("message", "sent"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_message_is_one_string_with_fields_beside_it(message: Message, sent: dict[str, Any]) -> None:
    assert encode(message) == [sent]


def test_a_call_has_its_arguments_as_an_object_and_a_result_names_its_tool() -> None:
    sent = encode(
        Message("assistant", "", thinking="Hm.", tool_calls=[CALL], meta=OWN),
        Message("tool", [ValuePart({"sum": 3}), TextPart("ok"), PNG], id="c1"),
    )
    assert sent == [
        {
            "role": "assistant",
            "content": "",
            "thinking": "Hm.",
            "tool_calls": [{"id": "c1", "function": {"name": "add", "arguments": {"b": 1, "a": {"z": [2]}}}}],
        },
        {
            "role": "tool",
            "content": '{"sum":3}\nok',
            "images": ["iVBORw=="],
            "tool_name": "add",
            "tool_call_id": "c1",
        },
    ]
    assert list(sent[0]["tool_calls"][0]["function"]["arguments"]) == ["b", "a"]


def test_a_call_that_was_cut_short_and_one_of_free_text_are_objects_too() -> None:
    cut = FunctionPart("c1", FunctionCall("f"), raw_arguments='{"a":', error="cut short")
    free = FunctionPart("c2", FunctionCall("sh"), raw_arguments="ls", custom=True)
    calls, first, second = encode(Message("assistant", [], tool_calls=[cut, free]))
    assert [call["function"]["arguments"] for call in calls["tool_calls"]] == [{}, {"input": "ls"}]
    assert (first["content"], first["tool_name"], second["tool_name"]) == (NO_RESULT, "f", "sh")


def test_an_answer_that_says_nothing_is_left_out() -> None:
    assert encode(Message("assistant", [], thinking="Hm."), Message("user", "hi")) == [
        {"role": "user", "content": "hi"}
    ]


UNFIT = [
    ("a sound", AudioPart(b"RIFF"), "no AudioPart"),
    ("a file", FilePart("application/pdf", b"%PDF"), "takes no files"),
    ("an address", ImagePart(ImageUrl("https://example.org/a.png")), "not by its address"),
    ("a call among the contents", CALL, "no FunctionPart"),
]


@pytest.mark.parametrize(("part", "why"), [case[1:] for case in UNFIT], ids=[case[0] for case in UNFIT])
def test_what_has_no_form_is_refused(part: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        encode(Message("user", [part]))
