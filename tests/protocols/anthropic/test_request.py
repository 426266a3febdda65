"""Requests in the form of Anthropic messages."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.protocols import Quirks, Request, ToolSpec
from streamkit.protocols.anthropic.request import DEFAULT_MAX_TOKENS, encode_request
from streamkit.protocols.thinking import BUDGETS

HI = [Message("user", "hi")]
ADD = ToolSpec(name="add", description="Adds.", parameters={"type": "object"})
ADD_TOOL = {"name": "add", "description": "Adds.", "input_schema": {"type": "object"}}
SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}
SINGLE = {"disable_parallel_tool_use": True}


def encode(quirks: Quirks | None = None, **params: Any) -> dict[str, Any]:
    return encode_request(Request(model="m", messages=HI, **params), quirks or Quirks()).body


BARE = {
    "model": "m",
    "max_tokens": DEFAULT_MAX_TOKENS,
    "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
    "stream": True,
}


def test_a_bare_request_has_a_limit_and_streams() -> None:
    encoded = encode_request(Request(model="m", messages=HI), Quirks())
    assert encoded.path == "/v1/messages"
    assert encoded.headers == {"anthropic-version": "2023-06-01"}
    assert encoded.body == BARE


CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("max tokens", {"max_tokens": 9}, {"max_tokens": 9}),
    ("only warming the cache", {"max_tokens": 0}, {"max_tokens": 0}),
    ("sampling", {"temperature": 0.0, "top_p": 0.9, "top_k": 5}, {"temperature": 0.0, "top_p": 0.9, "top_k": 5}),
    ("stop", {"stop": ["a"]}, {"stop_sequences": ["a"]}),
    ("one answer", {"n": 1}, {}),
    ("user", {"user": "u"}, {"metadata": {"user_id": "u"}}),
    ("tier", {"service_tier": "standard_only"}, {"service_tier": "standard_only"}),
    ("a tool", {"tools": [ADD]}, {"tools": [ADD_TOOL]}),
    (
        "a tool with extras",
        {"tools": [ToolSpec(name="f", parameters={}, strict=True, extra={"cache_control": {"type": "ephemeral"}})]},
        {
            "tools": [
                {
                    "name": "f",
                    "input_schema": {"type": "object"},
                    "strict": True,
                    "cache_control": {"type": "ephemeral"},
                }
            ]
        },
    ),
    (
        "a tool of the provider's own",
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}], "tool_choice": "web_search"},
        {
            "tools": [{"type": "web_search_20250305", "name": "web_search"}],
            "tool_choice": {"type": "tool", "name": "web_search"},
        },
    ),
    ("auto", {"tools": [ADD], "tool_choice": "auto"}, {"tools": [ADD_TOOL], "tool_choice": {"type": "auto"}}),
    ("none", {"tools": [ADD], "tool_choice": "none"}, {"tools": [ADD_TOOL], "tool_choice": {"type": "none"}}),
    ("required", {"tools": [ADD], "tool_choice": "required"}, {"tools": [ADD_TOOL], "tool_choice": {"type": "any"}}),
    (
        "one tool",
        {"tools": [ADD], "tool_choice": "add"},
        {"tools": [ADD_TOOL], "tool_choice": {"type": "tool", "name": "add"}},
    ),
    (
        "one tool, one call",
        {"tools": [ADD], "tool_choice": "add", "parallel_tool_calls": False},
        {"tools": [ADD_TOOL], "tool_choice": {"type": "tool", "name": "add", **SINGLE}},
    ),
    (
        "one call at a time",
        {"tools": [ADD], "parallel_tool_calls": False},
        {"tools": [ADD_TOOL], "tool_choice": {"type": "auto", **SINGLE}},
    ),
    (
        "one call at a time where there is none",
        {"tools": [ADD], "tool_choice": "none", "parallel_tool_calls": False},
        {"tools": [ADD_TOOL], "tool_choice": {"type": "none"}},
    ),
    ("several calls", {"tools": [ADD], "parallel_tool_calls": True}, {"tools": [ADD_TOOL]}),
    ("a choice where there are no tools", {"tool_choice": "auto", "parallel_tool_calls": False}, {}),
    (
        "a choice of the provider's own",
        {"tool_choice": {"type": "any", "x": 1}},
        {"tool_choice": {"type": "any", "x": 1}},
    ),
    (
        "a schema",
        {"output_schema": SCHEMA},
        {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
    ),
    (
        "a schema and an effort",
        {"output_schema": SCHEMA, "extra": {"output_config": {"effort": "low"}}},
        {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}, "effort": "low"}},
    ),
    ("fields as they are", {"extra": {"speed": "fast", "max_tokens": 5}}, {"speed": "fast", "max_tokens": 5}),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_parameter_has_its_field(case: tuple[str, dict[str, Any], dict[str, Any]]) -> None:
    _, params, expected = case
    assert encode(**params) == BARE | expected


def budget(tokens: int) -> dict[str, Any]:
    return {"thinking": {"type": "enabled", "budget_tokens": tokens}}


HIGH = BUDGETS["high"]
THINKING: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("off", {"thinking": "off"}, {"thinking": {"type": "disabled"}}),
    ("a level is beside the answer", {"thinking": "high"}, budget(HIGH) | {"max_tokens": HIGH + DEFAULT_MAX_TOKENS}),
    ("a budget", {"thinking": 3000}, budget(3000) | {"max_tokens": 3000 + DEFAULT_MAX_TOKENS}),
    ("less than the least", {"thinking": 5, "max_tokens": 9000}, budget(1024) | {"max_tokens": 9000}),
    ("within the limit", {"thinking": "high", "max_tokens": HIGH + 1}, budget(HIGH) | {"max_tokens": HIGH + 1}),
    ("not within the limit", {"thinking": "high", "max_tokens": HIGH}, budget(HIGH) | {"max_tokens": 2 * HIGH}),
    ("a small limit is the answer's", {"thinking": 2000, "max_tokens": 100}, budget(2000) | {"max_tokens": 2100}),
    ("adaptive", {"thinking": {"type": "adaptive"}}, {"thinking": {"type": "adaptive"}}),
    (
        "its own form with a budget",
        {"thinking": {"type": "enabled", "budget_tokens": 2000, "display": "omitted"}, "max_tokens": 100},
        {"thinking": {"type": "enabled", "budget_tokens": 2000, "display": "omitted"}, "max_tokens": 2100},
    ),
]


@pytest.mark.parametrize("case", THINKING, ids=[case[0] for case in THINKING])
def test_thinking_leaves_room_for_the_answer(case: tuple[str, dict[str, Any], dict[str, Any]]) -> None:
    assert encode(**case[1]) == BARE | case[2]


ADAPTIVE = [("minimal", "low"), ("low", "low"), ("high", "high"), ("max", "max")]


@pytest.mark.parametrize("case", ADAPTIVE, ids=[case[0] for case in ADAPTIVE])
def test_a_level_is_an_effort_where_thinking_is_adaptive(case: tuple[str, str]) -> None:
    level, effort = case
    body = encode(Quirks(adaptive_thinking=True), thinking=level, output_schema=SCHEMA)
    assert body["thinking"] == {"type": "adaptive"}
    assert body["output_config"] == {"effort": effort, "format": {"type": "json_schema", "schema": SCHEMA}}
    assert body["max_tokens"] == DEFAULT_MAX_TOKENS


def test_the_system_prompt_stands_apart() -> None:
    request = Request(model="m", messages=[Message("system", "Be brief."), *HI])
    assert encode_request(request, Quirks()).body == BARE | {"system": "Be brief."}


UNKNOWN = [
    ("seed", 1),
    ("n", 2),
    ("logprobs", 0),
    ("logit_bias", {"1": 1.0}),
    ("presence_penalty", 0.5),
    ("frequency_penalty", 0.5),
]


@pytest.mark.parametrize("case", UNKNOWN, ids=[case[0] for case in UNKNOWN])
def test_what_the_api_does_not_know_is_left_out_with_a_warning(case: tuple[str, Any]) -> None:
    name, value = case
    with pytest.warns(UnsupportedParameterWarning, match=f"anthropic does not take '{name}'"):
        assert encode(provider="anthropic", **{name: value}) == BARE


@pytest.mark.parametrize("version", ["2026-10-21", "2027-01-01", "vertex-2026-10-21"])
def test_the_newer_api_gets_no_sampling_parameters(version: str) -> None:
    request = Request(model="m", messages=HI, temperature=1.0, top_p=1.0, top_k=5)
    with pytest.warns(UnsupportedParameterWarning) as caught:
        encoded = encode_request(request, Quirks(anthropic_version=version))
    assert encoded.body == BARE
    assert encoded.headers == {"anthropic-version": version}
    assert [str(warning.message).split("'")[1] for warning in caught] == ["temperature", "top_p", "top_k"]


def test_an_older_version_of_another_platform_keeps_them() -> None:
    assert encode(Quirks(anthropic_version="bedrock-2023-05-31"), temperature=1.0) == BARE | {"temperature": 1.0}


def test_no_message_is_a_config_error() -> None:
    for messages in ([], [Message("system", "Be brief.")], [Message("user", " ")]):
        with pytest.raises(ConfigError, match="there is no message to send"):
            encode_request(Request(model="m", messages=messages), Quirks())
