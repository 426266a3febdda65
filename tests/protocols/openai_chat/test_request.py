"""Requests in the form of chat completions."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.protocols import Quirks, Request, ToolSpec
from streamkit.protocols.openai_chat.request import encode_request
from streamkit.providers import get_provider

ADD = ToolSpec(name="add", description="Adds.", parameters={"type": "object"})
ADD_TOOL = {"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": {"type": "object"}}}
OPEN = {"type": "object", "properties": {"a": {"type": "string"}}}
CLOSED = OPEN | {"required": ["a"], "additionalProperties": False}


def encode(quirks: Quirks | None = None, **params: Any) -> dict[str, Any]:
    """The body beside what every body has."""
    request = Request(model="m", messages=[Message("user", "hi")], **params)
    encoded = encode_request(request, quirks or Quirks())
    assert (encoded.path, encoded.headers) == ("/chat/completions", {})
    body = dict(encoded.body)
    assert body.pop("model") == "m"
    assert body.pop("messages") == [{"role": "user", "content": "hi"}]
    return body


def test_a_bare_request_streams_and_asks_for_usage() -> None:
    assert encode() == {"stream": True, "stream_options": {"include_usage": True}}
    assert encode(Quirks(stream_options=False)) == {"stream": True}


CASES: list[tuple[str, Quirks, dict[str, Any], dict[str, Any]]] = [
    ("max tokens", Quirks(), {"max_tokens": 9}, {"max_completion_tokens": 9}),
    ("max tokens by the old name", Quirks(max_tokens_field="max_tokens"), {"max_tokens": 9}, {"max_tokens": 9}),
    (
        "sampling",
        Quirks(),
        {"temperature": 0.0, "top_p": 0.9, "top_k": 5, "presence_penalty": 1.0, "frequency_penalty": -1.0},
        {"temperature": 0.0, "top_p": 0.9, "top_k": 5, "presence_penalty": 1.0, "frequency_penalty": -1.0},
    ),
    ("stop", Quirks(), {"stop": ["a", "b"]}, {"stop": ["a", "b"]}),
    ("seed", Quirks(), {"seed": 0}, {"seed": 0}),
    ("seed by another name", Quirks(seed_field="random_seed"), {"seed": 7}, {"random_seed": 7}),
    ("several answers", Quirks(), {"n": 2}, {"n": 2}),
    ("log probabilities of the chosen", Quirks(), {"logprobs": 0}, {"logprobs": True}),
    ("log probabilities of others", Quirks(), {"logprobs": 3}, {"logprobs": True, "top_logprobs": 3}),
    ("logit bias", Quirks(), {"logit_bias": {"1": -100.0}}, {"logit_bias": {"1": -100.0}}),
    ("user and tier", Quirks(), {"user": "u", "service_tier": "flex"}, {"user": "u", "service_tier": "flex"}),
    ("a temperature within its range", Quirks(temperatures=(0.0, 1.0)), {"temperature": 0.5}, {"temperature": 0.5}),
    ("fields that a vendor wants", Quirks(fields={"split": True}), {}, {"split": True}),
    ("fields that the caller says otherwise", Quirks(fields={"split": True}), {"extra": {"split": 0}}, {"split": 0}),
    (
        "a tool that says whether it is strict, where none may",
        Quirks(strict_tools=False),
        {"tools": [ToolSpec(name="f", strict=False)]},
        {
            "tools": [
                {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
            ]
        },
    ),
    (
        "a type beside anyOf where it is refused",
        Quirks(union_types=False),
        {"tools": [ToolSpec(name="f", parameters={"type": "object", "anyOf": [{}]})]},
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"anyOf": [{"type": "object"}]}}}]},
    ),
    ("no tools for a choice of none", Quirks(tool_choices=()), {"tools": [ADD], "tool_choice": "none"}, {}),
    (
        "a schema as the value of its format",
        Quirks(schema_as_value=True),
        {"output_schema": OPEN},
        {"response_format": {"type": "json_object", "value": OPEN}},
    ),
    ("thinking", Quirks(), {"thinking": "low"}, {"reasoning_effort": "low"}),
    ("a tool", Quirks(), {"tools": [ADD]}, {"tools": [ADD_TOOL]}),
    (
        "a bare tool",
        Quirks(),
        {"tools": [ToolSpec(name="f", strict=True)]},
        {
            "tools": [
                {
                    "type": "function",
                    "function": {"name": "f", "parameters": {"type": "object", "properties": {}}, "strict": True},
                }
            ]
        },
    ),
    ("a tool of the provider's own", Quirks(), {"tools": [{"type": "x"}]}, {"tools": [{"type": "x"}]}),
    ("auto", Quirks(), {"tools": [ADD], "tool_choice": "auto"}, {"tools": [ADD_TOOL], "tool_choice": "auto"}),
    (
        "required",
        Quirks(),
        {"tools": [ADD], "tool_choice": "required"},
        {"tools": [ADD_TOOL], "tool_choice": "required"},
    ),
    (
        "required by another word",
        Quirks(required_word="any"),
        {"tools": [ADD], "tool_choice": "required"},
        {"tools": [ADD_TOOL], "tool_choice": "any"},
    ),
    (
        "one tool",
        Quirks(),
        {"tools": [ADD], "tool_choice": "add"},
        {"tools": [ADD_TOOL], "tool_choice": {"type": "function", "function": {"name": "add"}}},
    ),
    (
        "a choice of the provider's own",
        Quirks(),
        {"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}}},
        {"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}}},
    ),
    (
        "one call at a time",
        Quirks(),
        {"tools": [ADD], "parallel_tool_calls": False},
        {"tools": [ADD_TOOL], "parallel_tool_calls": False},
    ),
    ("a choice where there are no tools", Quirks(), {"tool_choice": "auto", "parallel_tool_calls": False}, {}),
    (
        "a closed schema",
        Quirks(),
        {"output_schema": CLOSED, "output_name": "card"},
        {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "card", "schema": CLOSED, "strict": True},
            }
        },
    ),
    (
        "an open schema",
        Quirks(),
        {"output_schema": OPEN},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": OPEN}}},
    ),
    ("fields as they are", Quirks(), {"extra": {"verbosity": "low"}}, {"verbosity": "low"}),
    ("fields that win", Quirks(), {"temperature": 1.0, "extra": {"temperature": 0.5}}, {"temperature": 0.5}),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_parameter_has_its_field(case: tuple[str, Quirks, dict[str, Any], dict[str, Any]]) -> None:
    _, quirks, params, expected = case
    assert encode(quirks, **params) == encode(quirks) | expected


def test_options_of_the_stream_are_added_to_ours() -> None:
    body = encode(extra={"stream_options": {"include_obfuscation": False}})
    assert body["stream_options"] == {"include_usage": True, "include_obfuscation": False}


def test_a_cache_mark_on_a_tool_goes_to_those_who_take_it() -> None:
    tool = ToolSpec(name="f", extra={"cache_control": {"type": "ephemeral"}, "x": 1})
    assert encode(tools=[tool])["tools"][0].keys() == {"type", "function", "x"}
    marked = encode(Quirks(cache_control=True), tools=[tool])["tools"][0]
    assert marked["cache_control"] == {"type": "ephemeral"}


def test_a_schema_that_cannot_be_enforced_asks_for_json_with_a_warning() -> None:
    with pytest.warns(UnsupportedParameterWarning, match="put the schema in the instruction"):
        body = encode(Quirks(json_schema=False), output_schema=CLOSED)
    assert body["response_format"] == {"type": "json_object"}


DROPPED = [
    ("openai", "top_k", 5),
    ("azure", "top_k", 5),
    ("groq", "logprobs", 0),
    ("groq", "n", 2),
    ("mistral", "user", "u"),
]


@pytest.mark.parametrize("case", DROPPED, ids=[f"{case[0]} {case[1]}" for case in DROPPED])
def test_what_a_vendor_refuses_is_left_out_with_a_warning(case: tuple[str, str, Any]) -> None:
    vendor, name, value = case
    quirks = get_provider(vendor).quirks
    with pytest.warns(UnsupportedParameterWarning, match=f"{vendor} does not take '{name}'"):
        body = encode(quirks, provider=vendor, **{name: value})
    assert body == encode(quirks)


def test_no_message_is_a_config_error() -> None:
    for messages in ([], [Message("assistant", [])]):
        with pytest.raises(ConfigError, match="there is no message to send"):
            encode_request(Request(model="m", messages=messages), Quirks())


def test_a_temperature_out_of_range_becomes_the_nearest_with_a_warning() -> None:
    for wanted, taken in ((2.0, 1.0), (0.0, 0.1)):
        with pytest.warns(UnsupportedParameterWarning, match=f"'temperature': {wanted} became {taken}"):
            assert encode(Quirks(temperatures=(0.1, 1.0)), temperature=wanted)["temperature"] == taken


def test_path_and_fields_may_have_other_names() -> None:
    quirks = Quirks(
        model_field="model_id", stream_field=False, stream_options=False, chat_path="/chat_stream?version=1"
    )
    request = Request(model="m", messages=[Message("user", "hi")], extra={"project_id": "p"})
    encoded = encode_request(request, quirks)
    assert encoded.path == "/chat_stream?version=1"
    messages = [{"role": "user", "content": "hi"}]
    assert encoded.body == {"model_id": "m", "messages": messages, "project_id": "p"}
