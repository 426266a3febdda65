"""A request as the body of DashScope's text and multimodal generation."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.parts import ImagePart, ImageUrl, TextPart
from streamkit.protocols import EncodedRequest, Quirks, Request, ToolSpec, get_protocol

ADD = ToolSpec(name="add", description="Adds.", parameters={"type": "object", "properties": {"a": {}}})
SENT_ADD = {
    "type": "function",
    "function": {"name": "add", "description": "Adds.", "parameters": {"type": "object", "properties": {"a": {}}}},
}
TEXT = "/services/aigc/text-generation/generation"
MULTIMODAL = "/services/aigc/multimodal-generation/generation"


def encode(quirks: Quirks | None = None, **fields: Any) -> EncodedRequest:
    request = Request(model="m", provider="dashscope", **{"messages": [Message("user", "hi")], **fields})
    return get_protocol("dashscope").encode(request, quirks or Quirks())


def beside(**fields: Any) -> dict[str, Any]:
    """The parameters that are not always there."""
    parameters = encode(**fields).body["parameters"]
    return {name: value for name, value in parameters.items() if name not in ("result_format", "incremental_output")}


def test_who_asks_for_all_so_far_in_each_record_gets_a_parser_of_that_mode() -> None:
    encoded = encode(extra={"parameters": {"incremental_output": False}})
    assert encoded.body["parameters"]["incremental_output"] is False
    assert encoded.parser_options == {"mode": "cumulative"}
    assert encode(extra={"parameters": {"incremental_output": True}}).parser_options == {}


def test_the_least_request_asks_for_increments() -> None:
    assert encode() == EncodedRequest(
        TEXT,
        {
            "model": "m",
            "input": {"messages": [{"role": "user", "content": "hi"}]},
            "parameters": {"result_format": "message", "incremental_output": True},
        },
        {"X-DashScope-SSE": "enable", "Accept": "text/event-stream"},
    )


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    *(
        (name, {name: value}, {name: value})
        for name, value in {
            "max_tokens": 5,
            "temperature": 0.5,
            "top_p": 0.9,
            "top_k": 4,
            "presence_penalty": 0.1,
            "stop": ["END"],
            "seed": 7,
            "n": 2,
        }.items()
    ),
    ("log probabilities", {"logprobs": 0}, {"logprobs": True}),
    ("and those of alternatives", {"logprobs": 3}, {"logprobs": True, "top_logprobs": 3}),
    ("thinking off", {"thinking": "off"}, {"enable_thinking": False}),
    ("thinking on", {"thinking": True}, {"enable_thinking": True}),
    ("a level of thinking", {"thinking": "low"}, {"enable_thinking": True, "thinking_budget": 2048}),
    ("a budget of thinking", {"thinking": 5000}, {"enable_thinking": True, "thinking_budget": 5000}),
    ("thinking in its own form", {"thinking": {"enable_thinking": True}}, {"enable_thinking": True}),
    ("tools", {"tools": [ADD]}, {"tools": [SENT_ADD]}),
    ("a tool of its own", {"tools": [{"type": "x"}]}, {"tools": [{"type": "x"}]}),
    ("a choice of none", {"tools": [ADD], "tool_choice": "none"}, {"tools": [SENT_ADD], "tool_choice": "none"}),
    (
        "a call that must be",
        {"tools": [ADD], "tool_choice": "required"},
        {"tools": [SENT_ADD], "tool_choice": "required"},
    ),
    (
        "the call that must be",
        {"tools": [ADD], "tool_choice": "add"},
        {"tools": [SENT_ADD], "tool_choice": {"type": "function", "function": {"name": "add"}}},
    ),
    ("a choice in its own form", {"tool_choice": {"type": "x"}}, {"tool_choice": {"type": "x"}}),
    (
        "one call at a time",
        {"tools": [ADD], "parallel_tool_calls": False},
        {"tools": [SENT_ADD], "parallel_tool_calls": False},
    ),
    ("one call at a time without tools", {"parallel_tool_calls": False}, {}),
    (
        "an answer in a schema",
        {"output_schema": SCHEMA, "output_name": "sum"},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "sum", "schema": SCHEMA}}},
    ),
    ("its own parameters", {"extra": {"parameters": {"enable_search": True}}}, {"enable_search": True}),
]


@pytest.mark.parametrize(("fields", "parameters"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_wish_becomes_a_parameter(fields: dict[str, Any], parameters: dict[str, Any]) -> None:
    assert beside(**fields) == parameters


@pytest.mark.parametrize(
    ("name", "value"), [("frequency_penalty", 0.1), ("logit_bias", {"1": 2.0}), ("user", "u"), ("service_tier", "flex")]
)
def test_what_it_does_not_know_is_left_out_with_a_warning(name: str, value: Any) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=name):
        assert beside(**{name: value}) == {}


def test_its_own_fields_go_through() -> None:
    assert encode(extra={"input": {"prompt": "p"}, "debug": {}}).body["input"] == {
        "messages": [{"role": "user", "content": "hi"}],
        "prompt": "p",
    }


def test_what_can_be_seen_goes_to_the_multimodal_path() -> None:
    image = Message("user", [TextPart("what?"), ImagePart(ImageUrl("https://a.example/1.png"))])
    encoded = encode(messages=[Message("system", "Look."), image])
    assert encoded.path == MULTIMODAL
    assert encoded.body["input"]["messages"] == [
        {"role": "system", "content": [{"text": "Look."}]},
        {"role": "user", "content": [{"text": "what?"}, {"image": "https://a.example/1.png"}]},
    ]


def test_a_multimodal_model_gets_all_there() -> None:
    encoded = encode(Quirks(multimodal=True))
    assert encoded.path == MULTIMODAL
    assert encoded.body["input"]["messages"] == [{"role": "user", "content": [{"text": "hi"}]}]


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("no message", {"messages": []}, "no message"),
    ("an unknown tool", {"tools": [ADD], "tool_choice": "sub"}, "sub"),
    ("an unknown level", {"thinking": "a lot"}, "a lot"),
]


@pytest.mark.parametrize(("fields", "says"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_what_cannot_be_said_is_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        encode(**fields)
