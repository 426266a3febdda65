"""Messages → steps: every role, what goes back to its origin, results, conversations that the provider keeps."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.accumulator import accumulate
from streamkit.blocks import BlockRef
from streamkit.errors import ConfigError, HistoryWarning
from streamkit.messages import Message, Meta, Origin
from streamkit.parts import (
    CitationPart,
    EmbeddedImage,
    FunctionCall,
    FunctionPart,
    ImagePart,
    RawPart,
    TextPart,
    ValuePart,
)
from streamkit.protocols import Quirks, get_protocol
from streamkit.protocols.gemini_interactions.messages import encode_input

Step = dict[str, Any]

HERE = Meta(Origin("gemini-interactions", "acme", "m"))
PNG = ImagePart(EmbeddedImage("image/png", b"\x00"))
PICTURE = {"type": "image", "data": "AA==", "mime_type": "image/png"}


def steps(*messages: Message, provider: str = "acme", **options: Any) -> list[Step]:
    return encode_input(messages, Quirks(), provider, **options)[1]


def said(text: str, **fields: Any) -> Step:
    return {"type": "text", "text": text, **fields}


def call(id: str = "c1", name: str = "add", **arguments: Any) -> FunctionPart:
    return FunctionPart(id, FunctionCall(name, arguments))


def called(id: str = "c1", name: str = "add", **arguments: Any) -> Step:
    return {"type": "function_call", "id": id, "name": name, "arguments": arguments}


def test_each_role_has_its_place() -> None:
    instruction, sent = encode_input(
        [
            Message("system", ["Be brief."]),
            Message("user", ["What is ", "this?", PNG]),
            Message("assistant", ["A picture."], tool_calls=[call(a=1)]),
            Message("tool", ["2"], id="c1"),
            Message("system", ["And polite."]),
            Message("user", [""]),
        ],
        Quirks(),
    )
    assert instruction == "Be brief.\n\nAnd polite."
    assert sent == [
        {"type": "user_input", "content": [said("What is "), said("this?"), PICTURE]},
        {"type": "model_output", "content": [said("A picture.")]},
        called(a=1),
        {"type": "function_result", "call_id": "c1", "result": "2", "name": "add"},
    ]


def test_a_system_message_is_text() -> None:
    with pytest.raises(ConfigError, match="text only"):
        steps(Message("system", [PNG]))


RESULTS: list[tuple[str, Message, Step]] = [
    ("a text", Message("tool", ["a", "b"], id="c1"), {"result": "a\nb"}),
    ("an object", Message("tool", [ValuePart({"sum": 3})], id="c1"), {"result": {"sum": 3}}),
    ("another value", Message("tool", [ValuePart([1])], id="c1"), {"result": "[1]"}),
    ("a string", Message("tool", [ValuePart("a")], id="c1"), {"result": "a"}),
    ("nothing", Message("tool", [], id="c1"), {"result": ""}),
    ("an image", Message("tool", ["a", PNG], id="c1"), {"result": [said("a"), PICTURE]}),
    (
        "an error",
        Message("tool", ["no"], id="c1", meta=Meta(is_error=True)),
        {"result": "no", "is_error": True},
    ),
]


@pytest.mark.parametrize(("result", "fields"), [case[1:] for case in RESULTS], ids=[case[0] for case in RESULTS])
def test_a_result_says_what_came_of_a_call(result: Message, fields: Step) -> None:
    sent = steps(Message("user", "hi"), Message("assistant", tool_calls=[call()]), result)
    assert sent[-1] == {"type": "function_result", "call_id": "c1", "name": "add"} | fields


def test_the_history_is_fitted() -> None:
    with pytest.warns(HistoryWarning):
        sent = steps(
            Message("tool", ["stray"], id="c0"),
            Message("assistant", tool_calls=[call("c1"), call("c2")]),
            Message("user", "Go on."),
            Message("tool", ["2"], id="c2"),
        )
    assert [step["type"] for step in sent] == [
        *("function_call", "function_call", "function_result", "function_result", "user_input")
    ]
    assert sent[2]["is_error"]
    assert [step["call_id"] for step in sent[2:4]] == ["c1", "c2"]


def test_results_go_on_with_a_conversation_that_the_provider_keeps() -> None:
    result = Message("tool", ["2"], id="c1", meta=Meta(name="add"))
    assert steps(result, Message("user", "Go on."), continues=True) == [
        {"type": "function_result", "call_id": "c1", "result": "2", "name": "add"},
        {"type": "user_input", "content": [said("Go on.")]},
    ]


ANSWER = Message(
    "assistant",
    [TextPart("It rains."), CitationPart({"type": "url_citation", "url": "u"}), RawPart({"type": "dream"}), PNG],
    thinking="Hm.",
    tool_calls=[call(a=1)],
    blocks=[
        BlockRef("thinking", 0, 3, signature="c2ln", extra={"summary": [{"type": "image", "uri": "files/1"}]}),
        BlockRef("contents", 0),
        BlockRef("contents", 1),
        BlockRef("contents", 2),
        BlockRef("contents", 3, extra={"resolution": "low"}),
        BlockRef("tool_calls", 0, signature="c2c="),
    ],
    meta=HERE,
)
RESULT = {"type": "function_result", "call_id": "c1", "result": "No result: the call was interrupted."} | {
    "name": "add",
    "is_error": True,
}


def test_an_answer_goes_back_to_its_origin_as_it_came() -> None:
    assert steps(ANSWER) == [
        {"type": "thought", "signature": "c2ln", "summary": [said("Hm."), {"type": "image", "uri": "files/1"}]},
        {"type": "model_output", "content": [said("It rains.", annotations=[{"type": "url_citation", "url": "u"}])]},
        {"type": "dream"},
        {"type": "model_output", "content": [PICTURE | {"resolution": "low"}]},
        called(a=1) | {"signature": "c2c="},
        RESULT,
    ]


def test_another_provider_gets_nothing_that_only_the_origin_can_read() -> None:
    assert steps(ANSWER, provider="elsewhere") == [
        {"type": "model_output", "content": [said("It rains."), PICTURE]},
        called(a=1),
        RESULT,
    ]


NOTHING = [
    ("an empty answer", Message("assistant", [""])),
    ("a thought of nothing", Message("assistant", blocks=[BlockRef("thinking")], meta=HERE)),
    ("what is opaque", Message("assistant", blocks=[BlockRef("opaque", data={"type": "thinking"})], meta=HERE)),
    ("a source without a text", Message("assistant", [CitationPart({"url": "u"})], meta=HERE)),
    ("what is no step", Message("assistant", [RawPart("x"), RawPart({"x": 1})], meta=HERE)),
]


@pytest.mark.parametrize("message", [case[1] for case in NOTHING], ids=[case[0] for case in NOTHING])
def test_what_says_nothing_is_left_out(message: Message) -> None:
    assert steps(message) == []


def test_a_content_that_is_not_known_goes_back_in_its_place() -> None:
    message = Message("assistant", ["a", RawPart({"type": "video", "uri": "u", "x": 1})], meta=HERE)
    assert steps(message) == [{"type": "model_output", "content": [said("a"), {"type": "video", "uri": "u", "x": 1}]}]


def test_a_custom_tools_input_is_an_argument() -> None:
    custom = FunctionPart("c1", FunctionCall("sh"), raw_arguments="ls", custom=True)
    assert steps(Message("assistant", tool_calls=[custom]))[0] == called(name="sh", input="ls")


def recorded_steps(body: bytes) -> list[Step]:
    """The steps of a recorded answer as they are to be sent back, read straight from its events."""
    found: dict[int, Step] = {}
    pieces: dict[int, str] = {}
    lines = (line.removeprefix("data: ") for line in body.decode().splitlines() if line.startswith(("data: {", "{")))
    for event in map(json.loads, lines):
        at, delta = event.get("index"), event.get("delta", {})
        if event["event_type"] == "step.start":
            found[at] = event["step"]
        elif delta.get("type") == "text":
            contents = found[at].setdefault("content", [{"type": "text", "text": ""}])
            contents[0]["text"] += delta["text"]
        elif delta.get("type") == "text_annotation_delta":
            found[at]["content"][0].setdefault("annotations", []).extend(delta["annotations"])
        elif delta.get("type") == "arguments_delta":
            pieces[at] = pieces.get(at, "") + delta["arguments"]
        else:
            found[at] = found.get(at, {}) | {name: value for name, value in delta.items() if name != "type"}
    for at, text in pieces.items():
        found[at]["arguments"] = json.loads(text)
    for step in found.values():
        if step.get("type") == "function_call" and not step.get("signature"):
            step.pop("signature", None)
    return [step for step in found.values() if "type" in step]


@pytest.mark.recordings(lambda recording: recording.protocol == "gemini-interactions")
def test_a_recorded_answer_goes_back_as_it_came(recording: Any) -> None:
    parser = get_protocol("gemini-interactions").parser(provider="google", framing=recording.framing)
    message = accumulate(parser.feed(recording.body) + parser.finish()).message
    sent = [step for step in steps(message, provider="google") if step["type"] != "function_result"]
    assert sent == recorded_steps(recording.body)
