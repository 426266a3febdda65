"""A request as the body of Cohere's chat."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.protocols import EncodedRequest, Quirks, Request, ToolSpec, get_protocol

ADD = ToolSpec(name="add", description="Adds.", parameters={"type": "object", "properties": {"a": {}}})
SUB = ToolSpec(name="sub", strict=True)
SENT_ADD = {
    "type": "function",
    "function": {"name": "add", "description": "Adds.", "parameters": {"type": "object", "properties": {"a": {}}}},
}
SENT_SUB = {"type": "function", "function": {"name": "sub", "parameters": {"type": "object", "properties": {}}}}


def encode(**fields: Any) -> EncodedRequest:
    request = Request(model="m", provider="cohere", **{"messages": [Message("user", "hi")], **fields})
    return get_protocol("cohere").encode(request, Quirks())


def beside(**fields: Any) -> dict[str, Any]:
    body = encode(**fields).body
    return {name: value for name, value in body.items() if name not in ("model", "messages", "stream")}


def test_the_least_request() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
    assert encode() == EncodedRequest("/v2/chat", body)


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "sampling",
        {
            "max_tokens": 5,
            "temperature": 0.5,
            "top_p": 0.9,
            "top_k": 4,
            "presence_penalty": 0.1,
            "frequency_penalty": 0.2,
            "stop": ["END"],
            "seed": 7,
        },
        {
            "max_tokens": 5,
            "temperature": 0.5,
            "p": 0.9,
            "k": 4,
            "presence_penalty": 0.1,
            "frequency_penalty": 0.2,
            "stop_sequences": ["END"],
            "seed": 7,
        },
    ),
    ("a schema", {"output_schema": SCHEMA}, {"response_format": {"type": "json_object", "json_schema": SCHEMA}}),
    ("log probabilities", {"logprobs": 3}, {"logprobs": True}),
    ("thinking", {"thinking": True}, {"thinking": {"type": "enabled"}}),
    ("thinking off", {"thinking": "off"}, {"thinking": {"type": "disabled"}}),
    ("no budget", {"thinking": 0}, {"thinking": {"type": "disabled"}}),
    ("a budget", {"thinking": 3000}, {"thinking": {"type": "enabled", "token_budget": 3000}}),
    ("a level", {"thinking": "low"}, {"thinking": {"type": "enabled", "token_budget": 2048}}),
    ("the provider's own form", {"thinking": {"type": "x"}}, {"thinking": {"type": "x"}}),
    ("tools", {"tools": [ADD, {"type": "x"}]}, {"tools": [SENT_ADD, {"type": "x"}]}),
    ("strict tools", {"tools": [ADD, SUB]}, {"tools": [SENT_ADD, SENT_SUB], "strict_tools": True}),
    ("a free choice is left out", {"tools": [ADD], "tool_choice": "auto"}, {"tools": [SENT_ADD]}),
    (
        "a call that must be",
        {"tools": [ADD], "tool_choice": "required"},
        {"tools": [SENT_ADD], "tool_choice": "REQUIRED"},
    ),
    ("no call", {"tools": [ADD], "tool_choice": "none"}, {"tools": [SENT_ADD], "tool_choice": "NONE"}),
    ("a named tool", {"tools": [ADD, SUB], "tool_choice": "add"}, {"tools": [SENT_ADD], "tool_choice": "REQUIRED"}),
    (
        "a named tool that is a dict",
        {"tools": [ADD, SENT_SUB], "tool_choice": "sub"},
        {"tools": [SENT_SUB], "tool_choice": "REQUIRED"},
    ),
    (
        "a choice in a form of its own",
        {"tools": [ADD], "tool_choice": {"type": "x"}},
        {"tools": [SENT_ADD], "tool_choice": {"type": "x"}},
    ),
    ("documents", {"extra": {"documents": ["a"], "safety_mode": "OFF"}}, {"documents": ["a"], "safety_mode": "OFF"}),
]


@pytest.mark.parametrize(("fields", "sent"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_parameter_has_its_name(fields: dict[str, Any], sent: dict[str, Any]) -> None:
    assert beside(**fields) == sent


@pytest.mark.parametrize(
    "fields",
    [{"n": 2}, {"logit_bias": {}}, {"user": "u"}, {"parallel_tool_calls": True}, {"service_tier": "auto"}],
    ids=lambda fields: next(iter(fields)),
)
def test_what_the_api_does_not_know_is_left_out_with_a_warning(fields: dict[str, Any]) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=f"cohere does not take '{next(iter(fields))}'"):
        assert beside(**fields) == {}


UNFIT: list[tuple[str, dict[str, Any], str]] = [
    ("an unknown tool", {"tools": [ADD], "tool_choice": "sub"}, "tool_choice 'sub'"),
    ("nothing to say", {"messages": []}, "no message"),
]


@pytest.mark.parametrize(("fields", "why"), [case[1:] for case in UNFIT], ids=[case[0] for case in UNFIT])
def test_what_cannot_be_said_is_refused(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        encode(**fields)
