"""The checkers of what an API accepts: each fault, put into a body that is accepted, is found."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, FilePart, FunctionCall, FunctionPart, ImagePart, ValuePart
from streamkit.protocols import Request, ToolSpec, get_protocol
from tests.laws.acceptance import CHECKERS, check

PNG = ImagePart(EmbeddedImage("image/png", b"\x89PNG\r\n\x1a\n"))
PAPER = FilePart("application/pdf", b"%PDF-1.7", name="a.pdf")
CALLS = [FunctionPart("c1", FunctionCall("f", {"a": 1})), FunctionPart("c2", FunctionCall("g"))]


def accepted(protocol: str) -> dict[str, Any]:
    shown = [PNG, PAPER] if protocol in ("anthropic", "bedrock-converse") else [PNG]
    talk = [
        Message("system", ["Be brief."]),
        Message("user", ["Look:", *shown]),
        Message("assistant", ["I call."], tool_calls=CALLS),
        Message("tool", [ValuePart({"b": 2})], id="c1"),
        Message("tool", ["no"], id="c2"),
        Message("user", ["And?"]),
        Message("assistant", ["Done."]),
        Message("user", ["Thanks."]),
    ]
    tools = [ToolSpec(name="f"), ToolSpec(name="g")]
    return get_protocol(protocol).encode(Request(model="m", messages=talk, tools=tools)).body


CHAT, INPUT, DASH = ["messages"], ["input"], ["input", "messages"]
# The dialect, the fault, where it is put (None takes the thing there away), and what the checker says of it.
FAULTS: list[tuple[str, str, list[Any], Any, str]] = [
    ("openai-chat", "a result is missing", [*CHAT, 3], None, "not answered"),
    ("openai-chat", "a result of no call", [*CHAT, 3, "tool_call_id"], "c9", "answers no call"),
    ("openai-chat", "an id twice", [*CHAT, 2, "tool_calls", 1, "id"], "c1", "came before"),
    ("openai-chat", "arguments as an object", [*CHAT, 2, "tool_calls", 0, "function", "arguments"], {}, "arguments"),
    ("openai-chat", "an unknown field", [*CHAT, 2, "reasoning_content"], "x", "unknown fields"),
    ("openai-chat", "an answer of nothing", [*CHAT, 6, "content"], "", "says nothing"),
    ("openai-chat", "no calls", [*CHAT, 6, "tool_calls"], [], "empty list of calls"),
    ("openai-chat", "an image by plain HTTP", [*CHAT, 1, "content", 1, "image_url", "url"], "http://x", "no address"),
    ("openai-chat", "a role", [*CHAT, 5, "role"], "human", "no such role"),
    ("openai-responses", "a result is missing", [*INPUT, 5], None, "not answered"),
    ("openai-responses", "parts of an answer", [*INPUT, 2, "content"], [{"type": "input_text", "text": "a"}], "parts"),
    ("openai-responses", "a long id", [*INPUT, 3, "call_id"], "c" * 65, "id of a call is refused"),
    ("openai-responses", "thinking nobody kept", [*INPUT, 2], {"type": "reasoning", "summary": []}, "nobody kept"),
    ("anthropic", "two turns of one role", [*CHAT, 3, "role"], "user", "one role"),
    ("anthropic", "a blank text", [*CHAT, 4, "content", 0, "text"], " ", "blank text"),
    ("anthropic", "the model begins", [*CHAT, 0], None, "does not begin"),
    ("anthropic", "an id of other signs", [*CHAT, 1, "content", 1, "id"], "f:0", "results are not|refused"),
    (
        "anthropic",
        "a text before the result",
        [*CHAT, 2, "content", 0],
        {"type": "text", "text": "a"},
        "results are not",
    ),
    (
        "anthropic",
        "unsigned thinking",
        [*CHAT, 3, "content", 0],
        {"type": "thinking", "signature": ""},
        "not signed|last",
    ),
    ("anthropic", "no limit", ["max_tokens"], "many", "no limit"),
    ("anthropic", "a file without data", [*CHAT, 0, "content", 2, "source", "data"], "", "without data"),
    (
        "gemini",
        "results in another order",
        ["contents", 2, "parts", 0, "functionResponse", "id"],
        "c2",
        "in their order",
    ),
    ("gemini", "an empty text", ["contents", 3, "parts", 0, "text"], "", "empty text"),
    ("gemini", "a part of two kinds", ["contents", 3, "parts", 0, "inlineData"], {}, "several kinds"),
    ("gemini", "a result that is text", ["contents", 2, "parts", 0, "functionResponse", "response"], "x", "no object"),
    ("gemini-interactions", "a result is missing", [*INPUT, 4], None, "not answered"),
    ("gemini-interactions", "an empty step", [*INPUT, 6, "content"], [], "says nothing"),
    ("bedrock-converse", "a blank text", [*CHAT, 3, "content", 0, "text"], " ", "blank text"),
    ("bedrock-converse", "no tools", ["toolConfig", "tools"], [], "without tools"),
    (
        "bedrock-converse",
        "an id of other signs",
        [*CHAT, 1, "content", 1, "toolUse", "toolUseId"],
        "f:0",
        "results|refused",
    ),
    ("bedrock-converse", "a name of a file", [*CHAT, 0, "content", 2, "document", "name"], "a.pdf", "document's name"),
    ("bedrock-converse", "arguments as text", [*CHAT, 1, "content", 1, "toolUse", "input"], "{}", "no object"),
    ("cohere", "a result is missing", [*CHAT, 3], None, "not answered"),
    ("cohere", "an empty plan", [*CHAT, 2, "tool_plan"], "", "empty plan"),
    ("cohere", "a result of an image", [*CHAT, 4, "content"], [{"type": "image_url"}], "no form"),
    ("ollama", "arguments as text", [*CHAT, 2, "tool_calls", 0, "function", "arguments"], "{}", "no object"),
    ("ollama", "an image with its type", [*CHAT, 1, "images", 0], "data:image/png;base64,iVBO", "bare base64"),
    ("ollama", "a list of parts", [*CHAT, 1, "content"], [], "no string"),
    ("ollama", "a result of another tool", [*CHAT, 3, "tool_name"], "g", "another tool"),
    ("dashscope", "a text among lists", [*DASH, 7, "content"], "x", "a text here"),
    ("dashscope", "an image in an answer", [*DASH, 6, "content", 0], {"image": "https://x"}, "no kind"),
]


@pytest.mark.parametrize("case", FAULTS, ids=[f"{case[0]}: {case[1]}" for case in FAULTS])
def test_a_body_with_a_fault_is_refused(case: tuple[str, str, list[Any], Any, str]) -> None:
    protocol, _, path, value, reason = case
    body = copy.deepcopy(accepted(protocol))
    place: Any = body
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    with pytest.raises(AssertionError, match=reason):
        check(body, protocol)


@pytest.mark.parametrize("protocol", CHECKERS)
def test_a_body_without_a_fault_is_accepted(protocol: str) -> None:
    check(accepted(protocol), protocol)


def test_every_checker_is_put_to_the_test() -> None:
    assert {case[0] for case in FAULTS} == set(CHECKERS)
