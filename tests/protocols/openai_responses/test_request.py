from __future__ import annotations

import warnings
from typing import Any

import pytest

from streamkit.accumulator import accumulate
from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.protocols import Quirks, Request, ToolSpec, get_protocol
from streamkit.protocols.openai_responses.request import encode_request, encode_resume

HI = [Message("user", "hi")]
CLOSED = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
ADD = ToolSpec(name="add", description="Adds.", extra={"cache_control": {}, "x": 1})
FUNCTION = {
    "type": "function",
    "name": "add",
    "description": "Adds.",
    "parameters": {"type": "object", "properties": {}},
    "strict": False,
    "x": 1,
}
CUSTOM = {"type": "custom", "name": "sh"}
ENCRYPTED = "reasoning.encrypted_content"
LOGPROBS = "message.output_text.logprobs"


def body(**fields: Any) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoded = encode_request(Request(**{"model": "m", "messages": HI, **fields}), Quirks())
    assert encoded.path == "/responses"
    return encoded.body


BASE = {"model": "m", "input": [{"role": "user", "content": "hi"}], "stream": True, "store": False}
CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("nothing", {}, {}),
    ("a limit", {"max_tokens": 9}, {"max_output_tokens": 9}),
    ("sampling", {"temperature": 0.0, "top_p": 0.5}, {"temperature": 0.0, "top_p": 0.5}),
    ("tools", {"tools": [ADD, CUSTOM, {"type": "web_search"}]}, {"tools": [FUNCTION, CUSTOM, {"type": "web_search"}]}),
    (
        "a strict tool",
        {"tools": [ToolSpec(name="f", strict=True, parameters=CLOSED)]},
        {"tools": [{"type": "function", "name": "f", "parameters": CLOSED, "strict": True}]},
    ),
    ("a choice by word", {"tools": [ADD], "tool_choice": "required"}, {"tools": [FUNCTION], "tool_choice": "required"}),
    ("a choice without tools", {"tool_choice": "auto"}, {}),
    (
        "a choice by name",
        {"tools": [ADD], "tool_choice": "add"},
        {"tools": [FUNCTION], "tool_choice": {"type": "function", "name": "add"}},
    ),
    (
        "a choice of a custom tool",
        {"tools": [CUSTOM], "tool_choice": "sh"},
        {"tools": [CUSTOM], "tool_choice": {"type": "custom", "name": "sh"}},
    ),
    ("a choice of the provider's", {"tool_choice": {"type": "web_search"}}, {"tool_choice": {"type": "web_search"}}),
    (
        "calls one by one",
        {"tools": [ADD], "parallel_tool_calls": False},
        {"tools": [FUNCTION], "parallel_tool_calls": False},
    ),
    ("calls one by one without tools", {"parallel_tool_calls": False}, {}),
    ("thinking", {"thinking": "low"}, {"reasoning": {"effort": "low", "summary": "auto"}, "include": [ENCRYPTED]}),
    ("log probabilities", {"logprobs": 2}, {"include": [LOGPROBS], "top_logprobs": 2}),
    ("both", {"thinking": {}, "logprobs": 0}, {"reasoning": {}, "include": [ENCRYPTED, LOGPROBS], "top_logprobs": 0}),
    (
        "a schema",
        {"output_schema": CLOSED},
        {"text": {"format": {"type": "json_schema", "name": "answer", "schema": CLOSED, "strict": True}}},
    ),
    (
        "an open schema",
        {"output_schema": {"type": "object"}, "output_name": "x"},
        {"text": {"format": {"type": "json_schema", "name": "x", "schema": {"type": "object"}}}},
    ),
    (
        "a schema and a verbosity",
        {"output_schema": CLOSED, "extra": {"text": {"verbosity": "low"}}},
        {
            "text": {
                "format": {"type": "json_schema", "name": "answer", "schema": CLOSED, "strict": True},
                "verbosity": "low",
            }
        },
    ),
    ("who asks", {"user": "u", "service_tier": "flex"}, {"safety_identifier": "u", "service_tier": "flex"}),
    ("one answer", {"n": 1}, {}),
    ("further fields", {"extra": {"truncation": "auto"}}, {"truncation": "auto"}),
]


@pytest.mark.parametrize(("fields", "more"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_request_becomes_a_body(fields: dict[str, Any], more: dict[str, Any]) -> None:
    assert body(**fields) == BASE | more


@pytest.mark.parametrize(
    "extra",
    [{"store": True}, {"background": True}, {"previous_response_id": "r"}, {"conversation": {"id": "c"}}],
    ids=str,
)
def test_nothing_is_stored_unless_something_is_about_that(extra: dict[str, Any]) -> None:
    expected = {name: value for name, value in BASE.items() if name != "store"} | extra
    assert body(extra=extra) == expected
    assert body(extra={"store": False}) == BASE


def test_what_is_stored_goes_back_by_its_id() -> None:
    parser = get_protocol("openai-responses").parser()
    items = (
        b'{"type":"reasoning","id":"rs","summary":[]},{"type":"message","content":[{"type":"output_text","text":"a"}]}'
    )
    deltas = parser.feed(b'{"object":"response","status":"completed","output":[' + items + b"]}") + parser.finish()
    messages = [*HI, accumulate(deltas).message, *HI]
    assert len(body(messages=messages)["input"]) == 3
    assert body(messages=messages, extra={"store": True})["input"][1] == {
        "type": "reasoning",
        "id": "rs",
        "summary": [],
    }


@pytest.mark.parametrize(
    "fields",
    [{"stop": ["a"]}, {"seed": 1}, {"n": 2}, {"top_k": 1}, {"logit_bias": {}}, {"presence_penalty": 0.1}],
    ids=str,
)
def test_what_the_api_does_not_know_is_left_out_with_a_warning(fields: dict[str, Any]) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=next(iter(fields))):
        assert encode_request(Request(model="m", messages=HI, **fields), Quirks()).body == BASE


def test_a_vendor_may_know_less() -> None:
    with pytest.warns(UnsupportedParameterWarning, match="top_p"):
        encoded = encode_request(Request(model="m", messages=HI, top_p=0.5), Quirks(unsupported=("top_p",)))
    assert encoded.body == BASE


@pytest.mark.parametrize(
    ("fields", "says"),
    [({"messages": []}, "no message"), ({"tool_choice": "sub", "tools": [ADD]}, "sub"), ({"thinking": "hard"}, "hard")],
)
def test_what_cannot_be_said_is_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        body(**fields)


def test_a_response_is_gone_on_with_by_its_id_and_the_last_number() -> None:
    encoded = encode_resume("resp_1", 41)
    assert (encoded.path, encoded.body) == ("/responses/resp_1?stream=true&starting_after=41", {})
    assert encode_resume("a/b").path == "/responses/a%2Fb?stream=true"
    assert encode_resume("a", 0).path.endswith("&starting_after=0")
    with pytest.raises(ConfigError, match="id"):
        encode_resume("")
