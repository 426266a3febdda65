"""Messages as the contents of a request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.accumulator import accumulate
from streamkit.errors import ConfigError
from streamkit.messages import Message, Meta, Origin
from streamkit.parts import (
    CitationPart,
    EmbeddedImage,
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
from streamkit.protocols import Quirks, get_protocol
from streamkit.protocols.gemini.messages import UNSIGNED, encode_contents
from streamkit.protocols.history import NO_RESULT

GEMINI = Meta(Origin("gemini", "gemini"))
OTHER = Meta(Origin("anthropic", "anthropic"))
HI = Message("user", [TextPart("hi")])
IMAGE = ImagePart(EmbeddedImage("image/png", b"\x01\x02"))
INLINE = {"inlineData": {"mimeType": "image/png", "data": "AQI="}}


def ask(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def told(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def said(text: str, **fields: Any) -> dict[str, Any]:
    return {"text": text, **fields}


def calls(*names: str, meta: Meta | None = None, **fields: Any) -> Message:
    made = [FunctionPart(f"id_{name}", FunctionCall(name, {"a": 1})) for name in names]
    return Message("assistant", tool_calls=made, meta=meta, **fields)


def called(name: str, **fields: Any) -> dict[str, Any]:
    return {"functionCall": {"id": f"id_{name}", "name": name, "args": {"a": 1}}, **fields}


def result(name: str, *parts: Any, **meta: Any) -> Message:
    return Message("tool", list(parts), id=f"id_{name}", meta=Meta(**meta) if meta else None)


def answered(name: str, response: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": f"id_{name}", "name": name, "response": response}}


# name, messages, contents
CASES: list[tuple[str, list[Message], list[dict[str, Any]]]] = [
    ("a question", [HI], [ask(said("hi"))]),
    ("neighbours of one role", [HI, HI], [ask(said("hi"), said("hi"))]),
    ("an empty message", [HI, Message("user", [TextPart("")])], [ask(said("hi"))]),
    (
        "an answer",
        [HI, Message("assistant", [TextPart("yes"), TextPart(""), CitationPart("c"), RefusalPart("no")]), HI],
        [ask(said("hi")), told(said("yes"), said("no")), ask(said("hi"))],
    ),
    (
        "the model first",
        [Message("assistant", [TextPart("yes")])],
        [ask(said("(The conversation begins with the assistant.)")), told(said("yes"))],
    ),
    (
        "calls of another model and their results, in one content",
        [HI, calls("f", "g", meta=OTHER), result("g", ValuePart([1])), result("f", ValuePart({"b": 2}))],
        [
            ask(said("hi")),
            told(called("f", thoughtSignature=UNSIGNED), called("g")),
            ask(answered("f", {"b": 2}), answered("g", {"output": [1]})),
        ],
    ),
    (
        "calls of nobody known",
        [HI, calls("f"), result("f", TextPart("a"), TextPart("b"))],
        [ask(said("hi")), told(called("f", thoughtSignature=UNSIGNED)), ask(answered("f", {"output": "a\nb"}))],
    ),
    (
        "calls of Gemini that signed nothing",
        [HI, calls("f", meta=GEMINI), result("f", ValuePart({"b": 1}), is_error=True)],
        [ask(said("hi")), told(called("f")), ask(answered("f", {"error": {"b": 1}}))],
    ),
    (
        "an image from a tool follows all results",
        [HI, calls("f", "g", meta=GEMINI), result("f", IMAGE), result("g", TextPart("a")), HI],
        [
            ask(said("hi")),
            told(called("f"), called("g")),
            ask(answered("f", {"output": ""}), answered("g", {"output": "a"}), INLINE, said("hi")),
        ],
    ),
    (
        "a call that nothing answered",
        [HI, calls("f", meta=GEMINI)],
        [ask(said("hi")), told(called("f")), ask(answered("f", {"error": NO_RESULT}))],
    ),
    (
        "what Gemini wrote goes back to it",
        [
            Message(
                "assistant",
                [
                    ServerToolPart("call", "a", "b", {"executableCode": {"code": "1"}, "thoughtSignature": "s"}),
                    RawPart({"x": 1}),
                    IMAGE,
                ],
                thinking="Hm",
                signature="c2ln",
                meta=GEMINI,
            )
        ],
        [
            ask(said("(The conversation begins with the assistant.)")),
            told(
                said("Hm", thought=True, thoughtSignature="c2ln"),
                {"executableCode": {"code": "1"}, "thoughtSignature": "s"},
                {"x": 1},
                INLINE,
            ),
        ],
    ),
    (
        "what another wrote stays there",
        [
            HI,
            Message(
                "assistant",
                [ServerToolPart("call", "a", "b", {"x": 1}), RawPart({"x": 1}), ImagePart(ImageUrl("https://a/b"))],
                thinking="Hm",
                signature="c2ln",
                meta=OTHER,
            ),
        ],
        [ask(said("hi")), told(said("[image https://a/b]"))],
    ),
]


@pytest.mark.parametrize(("messages", "contents"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_messages_become_contents(messages: list[Message], contents: list[dict[str, Any]]) -> None:
    assert encode_contents(messages, Quirks(), "gemini") == (None, contents)


def test_every_system_message_is_part_of_the_instruction() -> None:
    messages = [Message("system", [TextPart("a")]), HI, Message("system", [TextPart("b")])]
    assert encode_contents(messages, Quirks()) == ({"parts": [said("a"), said("b")]}, [ask(said("hi"))])


def test_an_instruction_holds_text_only() -> None:
    with pytest.raises(ConfigError, match="text only"):
        encode_contents([Message("system", [IMAGE]), HI], Quirks())


def test_free_input_of_a_custom_tool_is_an_argument() -> None:
    call = FunctionPart("x", FunctionCall("f"), raw_arguments="ls", custom=True)
    _, contents = encode_contents([HI, Message("assistant", tool_calls=[call], meta=GEMINI)], Quirks())
    assert contents[1]["parts"][0]["functionCall"]["args"] == {"input": "ls"}


REPLAYED: list[tuple[str, list[dict[str, Any]]]] = [
    (
        "a signed call",
        [{"functionCall": {"name": "f", "args": {"b": [1, None], "a": "é"}}, "thoughtSignature": "+/8="}],
    ),
    (
        "parallel calls with ids, the first signed",
        [
            {"functionCall": {"id": "x", "name": "f", "args": {}}, "thoughtSignature": "+/8="},
            {"functionCall": {"id": "y", "name": "f", "args": {}}},
        ],
    ),
    (
        "signatures on thoughts, text and nothing",
        [
            {"text": "Hm", "thought": True},
            {"text": "so", "thought": True, "thoughtSignature": "YQ=="},
            {"text": "Well "},
            {"text": "yes", "thoughtSignature": "Yg=="},
            {"thoughtSignature": "Yw=="},
            {"text": "", "thoughtSignature": "ZA=="},
        ],
    ),
    (
        "server tools, images and drafts",
        [
            {"toolCall": {"toolType": "A", "id": "i"}, "thoughtSignature": "YQ=="},
            {"toolResponse": {"toolType": "A", "id": "i", "response": {"x": [1]}}, "thoughtSignature": "Yg=="},
            {"executableCode": {"language": "PYTHON", "code": "1"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
            {**INLINE, "thought": True},
            {**INLINE, "thoughtSignature": "Yw=="},
            {"hologram": [1]},
        ],
    ),
]


@pytest.mark.parametrize("parts", [case[1] for case in REPLAYED], ids=[case[0] for case in REPLAYED])
def test_an_answer_goes_back_part_by_part_as_it_came(parts: list[dict[str, Any]]) -> None:
    records = [{"candidates": [{"content": {"parts": [part]}}]} for part in parts]
    records.append({"candidates": [{"finishReason": "STOP"}]})
    body = "".join(f"data: {json.dumps(record)}\r\n\r\n" for record in records).encode()
    parser = get_protocol("gemini").parser(provider="gemini")
    message = accumulate(parser.feed(body) + parser.finish()).message
    again = json.loads(json.dumps(parts))
    assert encode_contents([HI, message], Quirks(), "gemini")[1][1] == told(*again)
    foreign = encode_contents([HI, message], Quirks(), "vertex")[1][1:]
    assert "thought" not in json.dumps(foreign).replace(UNSIGNED, "").replace("thoughtSignature", "", 1)


def test_an_id_that_was_made_here_goes_neither_back_with_the_call_nor_with_its_result() -> None:
    body = b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}]}\n\n'
    parser = get_protocol("gemini").parser(provider="gemini")
    message = accumulate(parser.feed(body) + parser.finish()).message
    assert message.tool_calls is not None
    result = Message("tool", [ValuePart(1)], id=message.tool_calls[0].id)
    assert encode_contents([HI, message, result], Quirks(), "gemini")[1][1:] == [
        told({"functionCall": {"name": "f", "args": {}}}),
        ask({"functionResponse": {"name": "f", "response": {"output": 1}}}),
    ]


MODELS = [
    ("the same", "gemini-2.5-flash", False),
    ("the same with its version", "gemini-2.5-flash-preview-09-2025", False),
    ("the same by a path", "models/gemini-2.5-flash", False),
    ("another", "gemini-3-pro", True),
    ("not said", "", False),
]


@pytest.mark.parametrize(("model", "stands_in"), [case[1:] for case in MODELS], ids=[case[0] for case in MODELS])
def test_an_unsigned_call_of_another_model_of_googles_gets_what_stands_for_a_signature(
    model: str, stands_in: bool
) -> None:
    call = FunctionPart("c", FunctionCall("f"))
    message = Message("assistant", [], "hm", [call], meta=Meta(Origin("gemini", "gemini", "gemini-2.5-flash")))
    _, contents = encode_contents([HI, message], Quirks(), "gemini", model)
    assert (contents[1]["parts"][1].get("thoughtSignature") == UNSIGNED) is stands_in
