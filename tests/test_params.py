from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.custom import BashExecution, CustomContent, custom_message
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.params import build_request, encode_body
from streamkit.parts import EmbeddedImage, ImagePart, TextPart
from streamkit.protocols import ToolSpec
from streamkit.tools import tool


def weather(city: str) -> str:
    """Say how the weather is."""
    return city


SPEC = ToolSpec(name="weather", description="Say how the weather is.")
USER = Message("user", [TextPart("Hello")])
USER_JSON = {"role": "user", "contents": [{"type": "text", "text": "Hello"}]}

MESSAGES: list[tuple[str, Any, list[Message]]] = [
    ("a string", "Hello", [USER]),
    ("a message", USER, [USER]),
    ("a dict", USER_JSON, [USER]),
    ("a list", ["Hello", USER, USER_JSON], [USER, USER, USER]),
    ("a generator", (text for text in ("Hello", "Hello")), [USER, USER]),
    ("a custom message", ["Hello", custom_message(CustomContent("note", "Hello"))], [USER, USER]),
    (
        "bytes inside a dict",
        {
            "role": "user",
            "contents": [{"type": "image", "image": {"type": "embedded", "mime_type": "a/b", "data": b"x"}}],
        },
        [Message("user", [ImagePart(EmbeddedImage("a/b", b"x"))])],
    ),
]


@pytest.mark.parametrize(("given", "expected"), [case[1:] for case in MESSAGES], ids=[case[0] for case in MESSAGES])
def test_messages_are_taken_in_any_form(given: Any, expected: list[Message]) -> None:
    assert build_request("m", given, None, {}).messages == expected


def test_a_conversation_of_which_the_model_sees_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="no messages to send"):
        build_request("m", custom_message(BashExecution("env", exclude_from_context=True)), None, {})


def test_params_are_fields_by_name_and_the_others_go_into_the_body() -> None:
    request = build_request(
        "m",
        "Hello",
        None,
        {"temperature": 0.5, "top_p": None, "logit_bias": {"1": 2}, "top_a": 0.1, "metadata": None, "extra": {"k": 1}},
        provider="acme",
    )
    assert (request.model, request.provider) == ("m", "acme")
    assert (request.temperature, request.top_p, request.logit_bias) == (0.5, None, {"1": 2})
    assert request.extra == {"top_a": 0.1, "metadata": None, "k": 1}


@pytest.mark.parametrize("given", ["END", ["END"]])
def test_stop_may_be_one_string(given: str | list[str]) -> None:
    assert build_request("m", "Hello", None, {"stop": given}).stop == ["END"]


def test_a_model_among_the_params_overrides() -> None:
    assert build_request("m", "Hello", None, {"model": "other"}).model == "other"


def test_tools_are_taken_in_any_form() -> None:
    own = {"type": "web_search"}
    tools = build_request("m", "Hello", [weather, tool(weather), SPEC, own], {}).tools
    assert tools[0] == tools[1] == tool(weather).spec
    assert tools[2:] == [SPEC, own]


REFUSED: list[tuple[str, Any, Any, str]] = [
    ("no messages", [], None, "no messages"),
    ("a number", ["Hello", 5], None, "message 1 is no message: "),
    ("a number alone", 5, None, "a text, a message or a list of them, not int"),
    ("nothing at all", None, None, "a text, a message or a list of them, not NoneType"),
    ("a message of an unknown role", Message("robot"), None, "message 0 is no message: .*role.*not 'robot'"),
    ("a dict without a role", [{"contents": []}], None, "message 0 is no message: .*role"),
    ("an unknown role", [{"role": "robot", "contents": []}], None, "message 0 is no message: .*role"),
    ("a value that is no JSON", [{"role": "user", "contents": [object()]}], None, "message 0 is no message: "),
    ("a tool that is none", "Hello", [5], "5 is no tool"),
]


@pytest.mark.parametrize(
    ("messages", "tools", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_what_is_no_message_or_tool_is_refused(messages: Any, tools: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        build_request("m", messages, tools, {})


def test_the_body_is_compact_json() -> None:
    assert encode_body({"a": [1, "é", {"b": None}]}) == '{"a":[1,"é",{"b":null}]}'.encode()


def test_lone_surrogates_in_the_body_do_not_stop_it() -> None:
    body = encode_body({"a": ["\ud83d", {"\ude00": "\ud83d\ude00", 2: ()}, 1]})
    assert msgspec.json.decode(body) == {"a": ["�", {"�": "😀", "2": []}, 1]}


def deep() -> Any:
    value: Any = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize("value", [object(), {1j: 2}, deep()], ids=["object", "complex key", "deep"])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(ConfigError, match="the request holds a value that is no JSON"):
        encode_body({"a": value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_tokens", "many"), ("temperature", "hot"), ("stop", [1]), ("thinking", [1]), ("seed", 0.5), ("n", True)],
)
def test_a_field_of_another_type_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=f"^{name} cannot be "):
        build_request("m", "hi", None, {name: value})


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("temprature", "did you mean 'temperature'"),
        ("maxtokens", "did you mean 'max_tokens'"),
        ("tool_choices", "did you mean 'tool_choice'"),
        ("stream", "every request asks for a stream"),
        ("messages", "the first argument"),
        ("tool", "pass tools"),
        ("timeout", "take total_timeout_s"),
        ("max_retries", "take retry"),
        ("retries", "take retry"),
    ],
)
def test_a_misspelt_parameter_is_refused_and_not_sent(name: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        build_request("m", "hi", None, {name: 1})


@pytest.mark.parametrize(
    "name",
    ["max_completion_tokens", "top_logprobs", "stop_sequences", "reasoning_effort", "metadata", "response_format"]
    + ["verbosity", "top_a", "min_p", "repeat_penalty", "prompt_cache_key", "user_id", "tool_config"]
    + ["system", "prompt"],
)
def test_a_field_that_only_a_vendor_has_goes_into_the_body(name: str) -> None:
    assert build_request("m", "hi", None, {name: 1}).extra == {name: 1}


def test_extra_holds_any_name() -> None:
    assert build_request("m", "hi", None, {"extra": {"temprature": 1}}).extra == {"temprature": 1}
