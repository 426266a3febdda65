"""A request → the body of an interaction, and the request that goes on with one."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.protocols import Quirks, Request, ToolSpec, get_protocol
from streamkit.protocols.gemini_interactions.request import encode_resume

HI = [Message("user", "hi")]
INPUT = [{"type": "user_input", "content": [{"type": "text", "text": "hi"}]}]
ADD = ToolSpec(name="add", description="Adds.", extra={"defer_loading": True, "cache_control": {}})
BARE = ToolSpec(name="now")


def body(messages: list[Message] = HI, **params: Any) -> dict[str, Any]:
    request = Request(model="m", messages=messages, **params)
    return get_protocol("gemini-interactions").encode(request).body


def test_the_least_body_asks_for_a_stream_and_for_nothing_to_be_kept() -> None:
    encoded = get_protocol("gemini-interactions").encode(Request(model="m", messages=HI))
    assert (encoded.path, encoded.headers, encoded.method) == (
        "/v1beta/interactions",
        {"api-revision": "2026-05-20"},
        "POST",
    )
    assert encoded.body == {"model": "m", "input": INPUT, "stream": True, "store": False}


def test_the_version_stands_in_the_path() -> None:
    for version, path in (("v1", "/v1/interactions"), ("", "/interactions")):
        encoded = get_protocol("gemini-interactions").encode(
            Request(model="m", messages=HI), Quirks(gemini_version=version)
        )
        assert encoded.path == path


FUNCTION = {
    "type": "function",
    "name": "add",
    "description": "Adds.",
    "parameters": {"type": "object", "properties": {}},
    "defer_loading": True,
}
SEARCH = {"type": "google_search"}

FIELDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "sampling",
        {"max_tokens": 9, "temperature": 0.5, "top_p": 0.9, "stop": ["x"], "seed": 7},
        {
            "generation_config": {
                "max_output_tokens": 9,
                "temperature": 0.5,
                "top_p": 0.9,
                "stop_sequences": ["x"],
                "seed": 7,
            }
        },
    ),
    ("tools", {"tools": [ADD, SEARCH]}, {"tools": [FUNCTION, SEARCH]}),
    (
        "a tool choice",
        {"tools": [SEARCH], "tool_choice": "auto"},
        {"tools": [SEARCH], "generation_config": {"tool_choice": "auto"}},
    ),
    (
        "no tool",
        {"tools": [SEARCH], "tool_choice": "none"},
        {"tools": [SEARCH], "generation_config": {"tool_choice": "none"}},
    ),
    (
        "any tool",
        {"tools": [SEARCH], "tool_choice": "required"},
        {"tools": [SEARCH], "generation_config": {"tool_choice": "any"}},
    ),
    (
        "one tool",
        {"tools": [ADD], "tool_choice": "add"},
        {
            "tools": [FUNCTION],
            "generation_config": {"tool_choice": {"allowed_tools": {"mode": "any", "tools": ["add"]}}},
        },
    ),
    (
        "a tool choice of one's own",
        {"tool_choice": {"allowed_tools": {}}},
        {"generation_config": {"tool_choice": {"allowed_tools": {}}}},
    ),
    ("a tool choice without tools", {"tool_choice": "auto"}, {}),
    (
        "thinking",
        {"thinking": "high", "max_tokens": 9},
        {"generation_config": {"max_output_tokens": 9, "thinking_level": "high", "thinking_summaries": "auto"}},
    ),
    (
        "structured output",
        {"output_schema": {"type": "object"}},
        {"response_format": {"type": "text", "mime_type": "application/json", "schema": {"type": "object"}}},
    ),
    ("a service tier", {"service_tier": "flex"}, {"service_tier": "flex"}),
    (
        "fields of one's own",
        {"max_tokens": 9, "extra": {"generation_config": {"top_k": 3}, "labels": {"a": "b"}}},
        {"generation_config": {"max_output_tokens": 9, "top_k": 3}, "labels": {"a": "b"}},
    ),
]


@pytest.mark.parametrize(("params", "fields"), [case[1:] for case in FIELDS], ids=[case[0] for case in FIELDS])
def test_parameters_have_their_fields(params: dict[str, Any], fields: dict[str, Any]) -> None:
    assert body(**params) == {"model": "m", "input": INPUT, "stream": True, "store": False} | fields


KEPT: list[dict[str, Any]] = [{"store": True}, {"background": True}, {"previous_interaction_id": "v1_a"}]


@pytest.mark.parametrize("extra", KEPT, ids=[next(iter(extra)) for extra in KEPT])
def test_what_is_about_stored_answers_lets_the_provider_keep_them(extra: dict[str, Any]) -> None:
    assert body(extra=extra) == {"model": "m", "input": INPUT, "stream": True} | extra


def test_an_agent_takes_the_models_place() -> None:
    sent = body(extra={"agent": "deep-research", "background": True})
    assert sent == {"input": INPUT, "stream": True, "agent": "deep-research", "background": True}


def test_an_answer_that_was_stopped_is_gone_on_with_by_its_token_alone() -> None:
    extra = {"previous_interaction_id": "v1_a", "continuation_token": "t"}
    assert body([Message("user", "")], extra=extra) == {"model": "m", "stream": True} | extra


def test_results_are_sent_to_a_conversation_that_the_provider_keeps() -> None:
    sent = body([Message("tool", ["2"], id="c1")], extra={"previous_interaction_id": "v1_a"})
    assert sent["input"] == [{"type": "function_result", "call_id": "c1", "result": "2"}]


def test_the_instruction_stands_apart() -> None:
    assert body([Message("system", "Be brief."), *HI])["system_instruction"] == "Be brief."


def test_there_must_be_something_to_say() -> None:
    with pytest.raises(ConfigError, match="no message to send"):
        body([Message("system", "Be brief.")])


UNKNOWN: dict[str, Any] = {
    "top_k": 3,
    "presence_penalty": 1.0,
    "frequency_penalty": 1.0,
    "n": 2,
    "logprobs": 1,
    "logit_bias": {"1": 1.0},
    "parallel_tool_calls": False,
    "user": "u",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_the_api_does_not_know_is_left_out_with_a_warning(name: str) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=name):
        sent = body(**{name: UNKNOWN[name]})
    assert sent == body()


def test_a_tool_needs_no_description() -> None:
    assert body(tools=[BARE])["tools"] == [{"type": "function", "name": "now", "parameters": BARE.parameters}]


def test_a_choice_must_be_one_of_the_tools() -> None:
    with pytest.raises(ConfigError, match="tool_choice"):
        body(tools=[BARE], tool_choice="add")


def test_a_stored_answer_is_streamed_again_or_gone_on_with() -> None:
    again = get_protocol("gemini-interactions").encode_resume("v1/a")
    assert (again.path, again.method) == ("/v1beta/interactions/v1%2Fa?stream=true", "GET")
    assert encode_resume("a", "e&1").path == "/v1beta/interactions/a?stream=true&last_event_id=e%261"
    assert encode_resume("a", version="").path == "/interactions/a?stream=true"
    with pytest.raises(ConfigError, match="not stored"):
        encode_resume("")
