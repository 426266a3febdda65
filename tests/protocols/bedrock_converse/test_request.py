"""A request as the body of ConverseStream."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.parts import FunctionCall, FunctionPart
from streamkit.protocols import EncodedRequest, Quirks, Request, ToolSpec, get_protocol

ADD = ToolSpec(name="add", description="Adds.", parameters={"properties": {"a": {}}}, strict=True)
SENT = {
    "toolSpec": {
        "name": "add",
        "description": "Adds.",
        "inputSchema": {"json": {"type": "object", "properties": {"a": {}}}},
        "strict": True,
    }
}
CALLED = [
    Message("user", "hi"),
    Message("assistant", [], tool_calls=[FunctionPart("t", FunctionCall("old"))]),
    Message("tool", "1", id="t"),
]
OLD = {"toolSpec": {"name": "old", "inputSchema": {"json": {"type": "object", "properties": {}}}}}


PLAIN = Quirks()


def encode(quirks: Quirks = PLAIN, **fields: Any) -> EncodedRequest:
    request = Request(**{"model": "m", "provider": "bedrock", "messages": [Message("user", "hi")], **fields})
    return get_protocol("bedrock-converse").encode(request, quirks)


def beside(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in encode(**fields).body.items() if name != "messages"}


def test_the_least_request() -> None:
    assert encode() == EncodedRequest(
        "/model/m/converse-stream",
        {"messages": [{"role": "user", "content": [{"text": "hi"}]}]},
        {"accept": "application/vnd.amazon.eventstream"},
    )


PATHS = [
    ("anthropic.claude-3-sonnet-20240229-v1:0", "/model/anthropic.claude-3-sonnet-20240229-v1%3A0/converse-stream"),
    (
        "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.x-v1:0",
        "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.x-v1%3A0/converse-stream",
    ),
]


@pytest.mark.parametrize(("model", "path"), PATHS, ids=["an id", "an ARN"])
def test_the_model_is_quoted_in_the_path(model: str, path: str) -> None:
    assert encode(model=model).path == path


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
BUDGET = {"thinking": {"type": "enabled", "budget_tokens": 2048}}
CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "sampling",
        {"max_tokens": 5, "temperature": 0.5, "top_p": 0.9, "stop": ["END"], "top_k": 4},
        {
            "inferenceConfig": {"maxTokens": 5, "temperature": 0.5, "topP": 0.9, "stopSequences": ["END"]},
            "additionalModelRequestFields": {"top_k": 4},
        },
    ),
    ("a system prompt", {"messages": [Message("system", "s"), Message("user", "hi")]}, {"system": [{"text": "s"}]}),
    ("a tool", {"tools": [ADD]}, {"toolConfig": {"tools": [SENT]}}),
    (
        "a tool with a cache point, and one in the provider's own form",
        {"tools": [ToolSpec(name="t", extra={"cache_control": {"type": "ephemeral"}}), {"systemTool": {"name": "s"}}]},
        {
            "toolConfig": {
                "tools": [
                    {"toolSpec": {"name": "t", "inputSchema": {"json": {"type": "object", "properties": {}}}}},
                    {"cachePoint": {"type": "default"}},
                    {"systemTool": {"name": "s"}},
                ]
            }
        },
    ),
    (
        "a choice left to it",
        {"tools": [ADD], "tool_choice": "auto"},
        {"toolConfig": {"tools": [SENT], "toolChoice": {"auto": {}}}},
    ),
    (
        "a call required",
        {"tools": [ADD], "tool_choice": "required"},
        {"toolConfig": {"tools": [SENT], "toolChoice": {"any": {}}}},
    ),
    (
        "one tool required",
        {"tools": [ADD], "tool_choice": "add"},
        {"toolConfig": {"tools": [SENT], "toolChoice": {"tool": {"name": "add"}}}},
    ),
    (
        "a choice in its own form",
        {"tools": [ADD], "tool_choice": {"any": {}}},
        {"toolConfig": {"tools": [SENT], "toolChoice": {"any": {}}}},
    ),
    ("no call wanted", {"tools": [ADD], "tool_choice": "none"}, {}),
    ("a choice without tools", {"tool_choice": "auto"}, {}),
    ("a history with calls and no tools", {"messages": CALLED}, {"toolConfig": {"tools": [OLD]}}),
    ("a history with calls and other tools", {"messages": CALLED, "tools": [ADD]}, {"toolConfig": {"tools": [SENT]}}),
    ("a level of thinking", {"thinking": "low"}, {"additionalModelRequestFields": BUDGET}),
    ("a budget of thinking", {"thinking": 2048}, {"additionalModelRequestFields": BUDGET}),
    ("no thinking", {"thinking": "off"}, {"additionalModelRequestFields": {"thinking": {"type": "disabled"}}}),
    (
        "thinking in the form of another family",
        {"thinking": {"reasoningConfig": {"type": "enabled"}}, "top_k": 3},
        {"additionalModelRequestFields": {"top_k": 3, "reasoningConfig": {"type": "enabled"}}},
    ),
    (
        "a limit within the budget",
        {"thinking": 2048, "max_tokens": 100},
        {"inferenceConfig": {"maxTokens": 2148}, "additionalModelRequestFields": BUDGET},
    ),
    (
        "a limit above the budget",
        {"thinking": 2048, "max_tokens": 4000},
        {"inferenceConfig": {"maxTokens": 4000}, "additionalModelRequestFields": BUDGET},
    ),
    (
        "thinking at a level, by the row",
        {"thinking": "minimal", "quirks": Quirks(adaptive_thinking=True)},
        {"additionalModelRequestFields": {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}},
    ),
    (
        "a schema",
        {"output_schema": SCHEMA, "output_name": "n"},
        {
            "outputConfig": {
                "textFormat": {
                    "type": "json_schema",
                    "structure": {
                        "jsonSchema": {
                            "schema": '{"type":"object","properties":{"a":{"type":"integer"}},'
                            '"additionalProperties":false}',
                            "name": "n",
                        }
                    },
                }
            }
        },
    ),
    ("a service tier", {"service_tier": "flex"}, {"serviceTier": {"type": "flex"}}),
    ("one answer, as ever", {"n": 1}, {}),
    (
        "fields of the provider's own",
        {"max_tokens": 5, "extra": {"inferenceConfig": {"topP": 1}, "guardrailConfig": {"guardrailIdentifier": "g"}}},
        {"inferenceConfig": {"maxTokens": 5, "topP": 1}, "guardrailConfig": {"guardrailIdentifier": "g"}},
    ),
]


@pytest.mark.parametrize(("fields", "sent"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_parameter_is_where_the_api_has_it(fields: dict[str, Any], sent: dict[str, Any]) -> None:
    assert beside(**fields) == sent


UNKNOWN = [
    ("seed", 1),
    ("n", 2),
    ("logprobs", 1),
    ("logit_bias", {"1": 1.0}),
    ("user", "u"),
    ("presence_penalty", 0.1),
    ("frequency_penalty", 0.1),
    ("parallel_tool_calls", False),
]


@pytest.mark.parametrize(("name", "value"), UNKNOWN, ids=[case[0] for case in UNKNOWN])
def test_what_the_api_does_not_know_is_left_out_with_a_warning(name: str, value: Any) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=name):
        assert beside(**{name: value}) == {}


def test_tools_stay_where_calls_were_made_though_none_is_wanted() -> None:
    with pytest.warns(UnsupportedParameterWarning, match="tool_choice"):
        assert beside(messages=CALLED, tools=[ADD], tool_choice="none") == {"toolConfig": {"tools": [SENT]}}


def test_what_cannot_be_said_is_refused() -> None:
    with pytest.raises(ConfigError, match="no message"):
        encode(messages=[Message("system", "s")])
    with pytest.raises(ConfigError, match="tool_choice"):
        encode(tools=[ADD], tool_choice="sub")
    with pytest.raises(ConfigError, match="JSON"):
        encode(output_schema={"type": object()})
