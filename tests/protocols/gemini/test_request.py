"""Requests as bodies of generateContent."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.protocols import Quirks, Request, ToolSpec
from streamkit.protocols.gemini.request import encode_request

HI = [Message("user", "hi")]
CONTENTS = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
ADD = ToolSpec(name="add", description="Adds.", parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
NOW = ToolSpec(name="now", parameters={}, extra={"cache_control": {}, "behavior": "BLOCKING"})
DECLARED = {
    "tools": [
        {
            "functionDeclarations": [
                {"name": "add", "description": "Adds.", "parametersJsonSchema": ADD.parameters},
                {"name": "now", "parametersJsonSchema": {"type": "object"}, "behavior": "BLOCKING"},
            ]
        }
    ]
}
SEARCH = {"googleSearch": {}}


def config(**fields: Any) -> dict[str, Any]:
    return {"toolConfig": {"functionCallingConfig": fields}}


# name, fields, what the body has beside the contents
CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("nothing", {}, {}),
    ("tools", {"tools": [ADD, NOW]}, DECLARED),
    ("a server tool", {"tools": [SEARCH]}, {"tools": [SEARCH]}),
    ("both", {"tools": [SEARCH, ADD, NOW]}, {"tools": [*DECLARED["tools"], SEARCH]}),
    ("auto", {"tools": [ADD, NOW], "tool_choice": "auto"}, DECLARED | config(mode="AUTO")),
    ("none", {"tools": [ADD, NOW], "tool_choice": "none"}, DECLARED | config(mode="NONE")),
    ("required", {"tools": [ADD, NOW], "tool_choice": "required"}, DECLARED | config(mode="ANY")),
    (
        "one tool",
        {"tools": [ADD, NOW], "tool_choice": "now"},
        DECLARED | config(mode="ANY", allowedFunctionNames=["now"]),
    ),
    ("auto without tools", {"tool_choice": "auto"}, {}),
    ("a choice that goes through", {"tool_choice": {"x": 1}}, {"toolConfig": {"x": 1}}),
    (
        "every number",
        {
            "max_tokens": 1,
            "temperature": 0.0,
            "top_p": 0.5,
            "top_k": 2,
            "presence_penalty": 0.1,
            "frequency_penalty": 0.2,
            "stop": ["."],
            "seed": 3,
            "n": 2,
            "logprobs": 4,
        },
        {
            "generationConfig": {
                "maxOutputTokens": 1,
                "temperature": 0.0,
                "topP": 0.5,
                "topK": 2,
                "presencePenalty": 0.1,
                "frequencyPenalty": 0.2,
                "stopSequences": ["."],
                "seed": 3,
                "candidateCount": 2,
                "responseLogprobs": True,
                "logprobs": 4,
            }
        },
    ),
    ("log probabilities of what was chosen", {"logprobs": 0}, {"generationConfig": {"responseLogprobs": True}}),
    ("thinking", {"thinking": "off"}, {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}),
    (
        "a schema",
        {"output_schema": {"type": "object"}},
        {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}}},
    ),
    ("a service tier", {"service_tier": "flex"}, {"serviceTier": "flex"}),
    (
        "other fields",
        {"max_tokens": 1, "extra": {"safetySettings": [], "generationConfig": {"responseModalities": ["IMAGE"]}}},
        {"generationConfig": {"maxOutputTokens": 1, "responseModalities": ["IMAGE"]}, "safetySettings": []},
    ),
]


@pytest.mark.parametrize(("fields", "body"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_request_becomes_a_body(fields: dict[str, Any], body: dict[str, Any]) -> None:
    encoded = encode_request(Request(model="m", messages=HI, **fields), Quirks())
    assert encoded.body == CONTENTS | body
    assert encoded.headers == {}


def test_the_system_message_is_the_instruction() -> None:
    messages = [Message("system", "be brief"), *HI]
    body = encode_request(Request(model="m", messages=messages), Quirks()).body
    assert body == CONTENTS | {"systemInstruction": {"parts": [{"text": "be brief"}]}}


@pytest.mark.parametrize(
    ("model", "version", "path"),
    [
        ("gemini-2.5-pro", "v1beta", "/v1beta/models/gemini-2.5-pro"),
        ("models/gemini-2.5-pro", "v1", "/v1/models/gemini-2.5-pro"),
        ("tunedModels/mine", "v1beta", "/v1beta/tunedModels/mine"),
        ("gemini-2.5-pro@001", "", "/models/gemini-2.5-pro@001"),
        ("a?b#c", "v1beta", "/v1beta/models/a%3Fb%23c"),
    ],
)
def test_the_path_names_the_model(model: str, version: str, path: str) -> None:
    encoded = encode_request(Request(model=model, messages=HI), Quirks(gemini_version=version))
    assert encoded.path == f"{path}:streamGenerateContent?alt=sse"


@pytest.mark.parametrize(
    ("field", "value"), [("logit_bias", {"1": 2.0}), ("parallel_tool_calls", False), ("user", "u")]
)
def test_what_the_api_does_not_know_is_left_out_with_a_warning(field: str, value: Any) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=field):
        encoded = encode_request(Request(model="m", messages=HI, **{field: value}), Quirks())
    assert encoded.body == CONTENTS


@pytest.mark.parametrize("fields", [{"messages": []}, {"messages": HI, "tool_choice": "f"}])
def test_what_cannot_be_said_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        encode_request(Request(model="m", **fields), Quirks())
