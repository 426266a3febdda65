"""Bodies against the request types of the official SDKs: nobody says more exactly what the APIs take.

Runs where these are installed; they are not among the test dependencies: pip install openai anthropic groq mistralai
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from streamkit.blocks import BlockRef
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
    RefusalPart,
    ServerToolPart,
    ValuePart,
)
from streamkit.protocols import Quirks, Request, ToolSpec
from streamkit.protocols.anthropic.request import encode_request as encode_anthropic
from streamkit.protocols.openai_chat.request import encode_request as encode_openai
from streamkit.protocols.openai_responses.request import encode_request as encode_responses
from streamkit.providers import get_provider

PNG = EmbeddedImage("image/png", b"\x89PNG")
ADD = ToolSpec(name="add", description="Adds.", parameters={"type": "object", "properties": {"a": {"type": "number"}}})
CALLS = [
    FunctionPart("call_1", FunctionCall("add", {"a": 1})),
    FunctionPart("functions.add:1", FunctionCall("add"), raw_arguments='{"a":', error="the call was cut short"),
]

TALK = [
    Message("system", ["Be brief."]),
    Message("user", ["What is this?", ImagePart(PNG), ImagePart(ImageUrl("https://example.org/a.png"))]),
    Message("assistant", ["A picture."], thinking="Look.", signature="c2ln", tool_calls=CALLS),
    Message("tool", [ValuePart({"sum": 1})], id="call_1"),
    Message("tool", [ImagePart(PNG)], id="functions.add:1", meta=Meta(is_error=True)),
    Message("user", [FilePart("application/pdf", b"%PDF-1.7", name="a.pdf"), FilePart(file_id="file_1")]),
    Message("assistant", [RefusalPart("No.")]),
    Message("user", ["Why?"], meta=Meta(name="ann")),
]
SPEECH = [
    Message("user", [AudioPart(b"RIFF", format="wav")]),
    Message("assistant", [AudioPart(b"", "Hello.", id="audio_1")]),
    Message("user", "Go on."),
    Message("assistant", [], tool_calls=[FunctionPart("c1", FunctionCall("sh"), raw_arguments="ls", custom=True)]),
    Message("tool", "a.txt", id="c1"),
]
SEARCHED = [
    Message("user", "Who won?"),
    Message(
        "assistant",
        [
            ServerToolPart(
                "call",
                "srvtoolu_1",
                "web_search",
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
            ),
            ServerToolPart(
                "result",
                "srvtoolu_1",
                "web_search",
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            ),
            {"type": "text", "text": "Ann."},
            CitationPart(
                {
                    "type": "web_search_result_location",
                    "cited_text": "x",
                    "encrypted_index": "e",
                    "title": None,
                    "url": "u",
                }
            ),
        ],
        thinking="Search.",
        blocks=[
            BlockRef("opaque", data={"type": "redacted_thinking", "data": "ZGF0YQ=="}),
            BlockRef("contents", 0),
            BlockRef("contents", 1),
            BlockRef("thinking", 0, 7, signature="c2ln"),
            BlockRef("contents", 2, extra={"cache_control": {"type": "ephemeral"}}),
            BlockRef("contents", 3),
        ],
        meta=Meta(Origin("anthropic")),
    ),
    Message("user", "Sure?"),
]

COMMON: dict[str, Any] = {
    "tools": [ADD],
    "tool_choice": "add",
    "parallel_tool_calls": False,
    "max_tokens": 100,
    "stop": ["END"],
    "thinking": "high",
    "output_schema": {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    "user": "u1",
    "service_tier": "auto",
}
OPENAI_ONLY: dict[str, Any] = {"seed": 7, "n": 2, "logprobs": 3, "logit_bias": {"50256": -100}, "presence_penalty": 0.5}

OPENAI_CASES = [
    ("a conversation with everything", "openai", TALK, COMMON | OPENAI_ONLY | {"temperature": 1.0, "top_p": 0.9}),
    (
        "speech and custom tools",
        "openai",
        SPEECH,
        {"tools": [{"type": "custom", "custom": {"name": "sh"}}], "tool_choice": "sh"},
    ),
    ("another provider's answer", "openai", SEARCHED, {}),
    ("thinking off", "openai", TALK, {"thinking": "off"}),
    ("groq", "groq", TALK[:5], COMMON | {"thinking": "max", "seed": 7}),
    ("mistral", "mistral", [*TALK[:5], *TALK[6:]], {**COMMON, "user": None, "seed": 7, "n": 2, "top_k": 5}),
]
SDK_TYPES = {
    "openai": ("openai.types.chat.completion_create_params", "CompletionCreateParamsStreaming"),
    "groq": ("groq.types.chat.completion_create_params", "CompletionCreateParams"),
    "mistral": ("mistralai.client.models", "ChatCompletionStreamRequest"),
}
RESPONSES_CASES = [
    ("a conversation with everything", TALK, COMMON | {"stop": None, "logprobs": 3, "temperature": 1.0, "top_p": 0.9}),
    ("custom tools", SPEECH[2:], {"tools": [{"type": "custom", "name": "sh"}], "tool_choice": "sh"}),
    ("another provider's answer", SEARCHED, {"thinking": "off"}),
]
ANTHROPIC_CASES = [
    # Without sampling parameters: the SDK knows only the version of the API that refuses them.
    ("a conversation with everything", Quirks(), TALK, COMMON),
    ("its own search", Quirks(inline_system=True), [*SEARCHED, Message("system", "Now in French.")], {}),
    ("adaptive thinking", Quirks(adaptive_thinking=True), SEARCHED, COMMON | {"tool_choice": "none"}),
    ("thinking off", Quirks(), SEARCHED, COMMON | {"thinking": "off", "tool_choice": None}),
]


@pytest.mark.parametrize("case", OPENAI_CASES, ids=[case[0] for case in OPENAI_CASES])
def test_a_chat_body_is_of_the_sdks_type(case: tuple[str, str, list[Message], dict[str, Any]]) -> None:
    _, provider, messages, params = case
    body = encode_openai(Request(model="m", messages=messages, **params), get_provider(provider).quirks).body
    assert_of_type(body, *SDK_TYPES[provider])


@pytest.mark.parametrize("case", RESPONSES_CASES, ids=[case[0] for case in RESPONSES_CASES])
def test_a_body_of_responses_is_of_the_sdks_type(case: tuple[str, list[Message], dict[str, Any]]) -> None:
    _, messages, params = case
    row = get_provider("openai-responses")
    body = encode_responses(Request(model="m", messages=messages, **params), row.quirks).body
    assert_of_type(body, "openai.types.responses.response_create_params", "ResponseCreateParamsStreaming")


@pytest.mark.parametrize("case", ANTHROPIC_CASES, ids=[case[0] for case in ANTHROPIC_CASES])
def test_an_anthropic_body_is_of_the_sdks_type(case: tuple[str, Quirks, list[Message], dict[str, Any]]) -> None:
    _, quirks, messages, params = case
    body = encode_anthropic(Request(model="m", messages=messages, **params), quirks).body
    assert_of_type(body, "anthropic.types.message_create_params", "MessageCreateParamsStreaming")
    for message in body["messages"]:  # of these the type above takes the forms of answers too, which allow any key
        for block in message["content"]:
            assert_of_type(block, "anthropic.types.content_block_param", "ContentBlockParam")


BROKEN = [
    ("arguments that are no string", ["messages", 2, "tool_calls", 0, "function", "arguments"], {"a": 1}),
    ("an unknown part", ["messages", 1, "content", 0, "type"], "texts"),
    ("an unknown field", ["reasoning"], {"effort": "high"}),
]


@pytest.mark.parametrize("case", BROKEN, ids=[case[0] for case in BROKEN])
def test_a_body_that_is_wrong_is_not_of_the_type(case: tuple[str, list[Any], Any]) -> None:
    _, path, value = case
    body: Any = encode_openai(Request(model="m", messages=TALK), get_provider("openai").quirks).body
    place = body
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    pydantic = pytest.importorskip("pydantic", reason="the official SDKs are not installed")
    with pytest.raises((AssertionError, pydantic.ValidationError)):
        assert_of_type(body, *SDK_TYPES["openai"])


def assert_of_type(body: dict[str, Any], module: str, name: str) -> None:
    """Check `body` against a TypedDict of an SDK: pydantic leaves out the keys that it does not know."""
    pydantic = pytest.importorskip("pydantic", reason="the official SDKs are not installed")
    pytest.importorskip(module.partition(".")[0], reason=f"{module.partition('.')[0]} is not installed")
    kind = getattr(importlib.import_module(module), name)
    adapter = pydantic.TypeAdapter(kind)  # must outlive the lazy lists in what it returns
    assert dict(walk(adapter.validate_python(body))) == dict(walk(body))


def walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf with its path; pydantic checks what an SDK calls iterable only when it is read."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(exclude_unset=True)
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, f"{path}.{key}")
    elif hasattr(value, "__iter__") and not isinstance(value, (str, bytes)):
        for at, item in enumerate(value):
            yield from walk(item, f"{path}[{at}]")
    else:
        yield path, value
