"""Messages in the form of Cohere's chat."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.blocks import BlockRef
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
from streamkit.protocols.cohere.messages import encode_messages

PNG = ImagePart(EmbeddedImage("image/png", b"\x89PNG"))
SENT_PNG = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
CALL = FunctionPart("c1", FunctionCall("add", {"b": 1, "a": 2}))
SENT_CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"b":1,"a":2}'}}
OWN = Meta(Origin("cohere", "cohere"))
ELSEWHERE = Meta(Origin("anthropic", "anthropic", "claude"))
PLAN = RawPart({"type": "tool_plan", "tool_plan": "I add."})


def encode(*messages: Message) -> list[dict[str, Any]]:
    return encode_messages(messages, Quirks(), "cohere")


CASES: list[tuple[str, Message, dict[str, Any]]] = [
    ("a system prompt", Message("system", "Be brief."), {"role": "system", "content": "Be brief."}),
    ("a user", Message("user", "hi"), {"role": "user", "content": "hi"}),
    (
        "texts and images",
        Message("user", ["a", PNG, FilePart("image/png", b"\x89PNG"), ImagePart(ImageUrl("https://e.org/a", "low"))]),
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "a"},
                SENT_PNG,
                SENT_PNG,
                {"type": "image_url", "image_url": {"url": "https://e.org/a", "detail": "low"}},
            ],
        },
    ),
    (
        "a part of its own form",
        Message("user", [RawPart({"type": "x"})]),
        {"role": "user", "content": [{"type": "x"}]},
    ),
    (
        "thinking of its own",
        Message("assistant", "So.", thinking="Hm.", meta=OWN),
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "So."}],
        },
    ),
    (
        "thinking and citations of another",
        Message("assistant", ["So.", CitationPart({"url": "u"})], thinking="Hm.", signature="s", meta=ELSEWHERE),
        {"role": "assistant", "content": "So."},
    ),
    (
        "citations of its own",
        Message("assistant", ["So.", CitationPart({"start": 0, "end": 2})], meta=OWN),
        {"role": "assistant", "content": "So.", "citations": [{"start": 0, "end": 2}]},
    ),
    (
        "other parts in words",
        Message("assistant", [PNG, FilePart(file_id="f"), AudioPart(transcript="hello"), RefusalPart("no")]),
        {
            "role": "assistant",
            "content": [{"type": "text", "text": text} for text in ("[image]", "[file]", "hello", "no")],
        },
    ),
]


@pytest.mark.parametrize(("message", "sent"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_message_has_its_form(message: Message, sent: dict[str, Any]) -> None:
    assert encode(message) == [sent]


CALLERS: list[tuple[str, Message, dict[str, Any]]] = [
    ("a call", Message("assistant", [], tool_calls=[CALL]), {}),
    ("a plan as a part", Message("assistant", [PLAN], tool_calls=[CALL], meta=OWN), {"tool_plan": "I add."}),
    (
        "a plan as thinking, beside thinking",
        Message(
            "assistant",
            [],
            thinking="Hm.I add.",
            tool_calls=[CALL],
            meta=OWN,
            blocks=[
                BlockRef("thinking", 0, 3),
                BlockRef("thinking", 3, 9, extra={"tool_plan": True}),
                BlockRef("tool_calls", 0),
            ],
        ),
        {"tool_plan": "I add.", "content": [{"type": "thinking", "thinking": "Hm."}]},
    ),
    (
        "what another said before",
        Message("assistant", "I add.", tool_calls=[CALL], meta=ELSEWHERE),
        {"tool_plan": "I add."},
    ),
    ("a plan of another", Message("assistant", [PLAN], tool_calls=[CALL], meta=ELSEWHERE), {}),
    (
        "text beside a plan",
        Message("assistant", [PLAN, TextPart("So.")], tool_calls=[CALL], meta=OWN),
        {"tool_plan": "I add.", "content": "So."},
    ),
]


@pytest.mark.parametrize(("message", "fields"), [case[1:] for case in CALLERS], ids=[case[0] for case in CALLERS])
def test_calls_have_a_plan_in_a_field_of_its_own(message: Message, fields: dict[str, Any]) -> None:
    sent, result = encode(message, Message("tool", "3", id="c1"))
    assert sent == {"role": "assistant", **fields, "tool_calls": [SENT_CALL]}
    assert result == {"role": "tool", "tool_call_id": "c1", "content": "3"}


RESULTS: list[tuple[str, list[Any], Any, list[dict[str, Any]]]] = [
    ("a text", ["3"], "3", []),
    ("a number", [ValuePart(3)], "3", []),
    ("an object is a document", [ValuePart({"sum": 3})], [{"type": "document", "document": {"data": {"sum": 3}}}], []),
    ("an object and a text", [ValuePart({"sum": 3}), "ok"], '{"sum":3}\nok', []),
    ("nothing", [], "", []),
    (
        "an image",
        [PNG],
        "The result follows as an attachment.",
        [{"role": "user", "content": [{"type": "text", "text": "The attachments of the tool results:"}, SENT_PNG]}],
    ),
]


@pytest.mark.parametrize(
    ("contents", "content", "after"), [case[1:] for case in RESULTS], ids=[case[0] for case in RESULTS]
)
def test_a_result_is_a_text_or_documents(contents: list[Any], content: Any, after: list[dict[str, Any]]) -> None:
    sent = encode(Message("assistant", [], tool_calls=[CALL]), Message("tool", contents, id="c1"))
    assert sent[1:] == [{"role": "tool", "tool_call_id": "c1", "content": content}, *after]


def test_a_call_of_free_text_is_an_object() -> None:
    free = FunctionPart("c2", FunctionCall("sh"), raw_arguments="ls", custom=True)
    sent, _ = encode(Message("assistant", [], tool_calls=[free]))
    assert sent["tool_calls"][0]["function"]["arguments"] == '{"input":"ls"}'


def test_an_answer_that_says_nothing_is_left_out() -> None:
    assert encode(Message("assistant", [], thinking="Hm.", meta=OWN), Message("user", "hi"))[0]["role"] == "user"


UNFIT: list[tuple[str, Message, str]] = [
    ("an image in a system prompt", Message("system", [PNG]), "system message holds text only"),
    ("a file", Message("user", [FilePart("application/pdf", b"%PDF")]), "no FilePart"),
    ("a sound", Message("user", [AudioPart(b"RIFF")]), "no AudioPart"),
]


@pytest.mark.parametrize(("message", "why"), [case[1:] for case in UNFIT], ids=[case[0] for case in UNFIT])
def test_what_has_no_form_is_refused(message: Message, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        encode(message)
