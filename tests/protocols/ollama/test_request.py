"""A request as the body of Ollama's chat or generate."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, ImagePart
from streamkit.protocols import EncodedRequest, Quirks, Request, ToolSpec, get_protocol

ADD = ToolSpec(name="add", description="Adds.", parameters={"type": "object", "properties": {"a": {}}})
SENT_ADD = {
    "type": "function",
    "function": {"name": "add", "description": "Adds.", "parameters": {"type": "object", "properties": {"a": {}}}},
}


def encode(*messages: Message, **fields: Any) -> EncodedRequest:
    request = Request(model="m", messages=list(messages) or [Message("user", "hi")], provider="ollama-chat", **fields)
    return get_protocol("ollama").encode(request, Quirks())


def beside(**fields: Any) -> dict[str, Any]:
    body = encode(**fields).body
    return {name: value for name, value in body.items() if name not in ("model", "messages", "stream")}


def test_the_least_request() -> None:
    assert encode() == EncodedRequest(
        "/api/chat", {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
    )


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "sampling goes into options",
        {
            "max_tokens": 5,
            "temperature": 0.5,
            "top_p": 0.9,
            "top_k": 4,
            "presence_penalty": 1.0,
            "frequency_penalty": 2.0,
            "stop": ["END"],
            "seed": 7,
        },
        {
            "options": {
                "num_predict": 5,
                "temperature": 0.5,
                "top_p": 0.9,
                "top_k": 4,
                "presence_penalty": 1.0,
                "frequency_penalty": 2.0,
                "stop": ["END"],
                "seed": 7,
            }
        },
    ),
    (
        "options of the model join them",
        {"max_tokens": 5, "extra": {"options": {"num_ctx": 8192}, "keep_alive": -1}},
        {"options": {"num_predict": 5, "num_ctx": 8192}, "keep_alive": -1},
    ),
    ("a schema is not wrapped", {"output_schema": SCHEMA}, {"format": SCHEMA}),
    ("log probabilities", {"logprobs": 3}, {"logprobs": True, "top_logprobs": 3}),
    ("those of the chosen tokens", {"logprobs": 0}, {"logprobs": True}),
    ("thinking", {"thinking": True}, {"think": True}),
    ("no thinking", {"thinking": False}, {"think": False}),
    ("thinking off", {"thinking": "off"}, {"think": False}),
    ("the least thinking", {"thinking": "minimal"}, {"think": "low"}),
    ("a level", {"thinking": "xhigh"}, {"think": "high"}),
    ("all of it", {"thinking": "max"}, {"think": "max"}),
    ("a budget", {"thinking": 8192}, {"think": "medium"}),
    ("the provider's own form", {"thinking": {"think": "low"}}, {"think": "low"}),
    ("tools", {"tools": [ADD]}, {"tools": [SENT_ADD]}),
    ("a tool as a dict", {"tools": [{"type": "x"}]}, {"tools": [{"type": "x"}]}),
    ("a free choice", {"tools": [ADD], "tool_choice": "auto"}, {"tools": [SENT_ADD]}),
    ("no choice", {"tools": [ADD], "tool_choice": "none"}, {}),
    ("one answer", {"n": 1}, {}),
]


@pytest.mark.parametrize(("fields", "sent"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_parameter_has_its_place(fields: dict[str, Any], sent: dict[str, Any]) -> None:
    assert beside(**fields) == sent


DROPPED: list[tuple[str, dict[str, Any], str]] = [
    ("several answers", {"n": 2}, "'n'"),
    ("a user", {"user": "u"}, "'user'"),
    ("biases", {"logit_bias": {"1": 1.0}}, "'logit_bias'"),
    ("a tier", {"service_tier": "auto"}, "'service_tier'"),
    ("one call at a time", {"parallel_tool_calls": False}, "'parallel_tool_calls'"),
]


@pytest.mark.parametrize(("fields", "name"), [case[1:] for case in DROPPED], ids=[case[0] for case in DROPPED])
def test_what_the_api_does_not_know_is_left_out_with_a_warning(fields: dict[str, Any], name: str) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=f"ollama-chat does not take {name}"):
        assert beside(**fields) == {}


@pytest.mark.parametrize("choice", ["required", "add", {"type": "function"}], ids=str)
def test_a_call_cannot_be_forced(choice: Any) -> None:
    with pytest.warns(UnsupportedParameterWarning, match="chooses for itself"):
        assert beside(tools=[ADD], tool_choice=choice) == {"tools": [SENT_ADD]}


def test_an_unknown_choice_and_a_request_without_messages_are_refused() -> None:
    with pytest.raises(ConfigError, match="tool_choice 'sub'"):
        encode(tools=[ADD], tool_choice="sub")
    with pytest.raises(ConfigError, match="no message"):
        encode(Message("assistant", []))


GENERATE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("a raw prompt", {"raw": True}, {"prompt": "def f(", "raw": True}),
    ("a gap to fill", {"suffix": "return x", "system": "s"}, {"prompt": "def f(", "suffix": "return x", "system": "s"}),
]


@pytest.mark.parametrize(("extra", "sent"), [case[1:] for case in GENERATE], ids=[case[0] for case in GENERATE])
def test_a_field_that_only_generate_has_leads_there(extra: dict[str, Any], sent: dict[str, Any]) -> None:
    encoded = encode(Message("user", "def f("), extra=extra, max_tokens=9)
    assert encoded.path == "/api/generate"
    assert encoded.body == {"model": "m", "stream": True, "options": {"num_predict": 9}, **sent}


def test_generate_takes_images_and_neither_tools_nor_a_conversation() -> None:
    picture = ImagePart(EmbeddedImage("image/png", b"\x89PNG"))
    body = encode(Message("user", ["What?", picture]), extra={"raw": False}).body
    assert (body["prompt"], body["images"]) == ("What?", ["iVBORw=="])
    with pytest.raises(ConfigError, match="knows no tools"):
        encode(extra={"raw": True}, tools=[ADD])
    with pytest.raises(ConfigError, match="one user message"):
        encode(Message("user", "a"), Message("assistant", "b"), extra={"raw": True})
