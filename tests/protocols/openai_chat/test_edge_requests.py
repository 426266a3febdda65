"""What else a request of chat completions may have: fields by keyword, tools and choices of every form, messages."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.blocks import BlockRef
from streamkit.messages import Message, Meta, as_message
from streamkit.params import build_request
from streamkit.parts import (
    AudioPart,
    EmbeddedImage,
    FilePart,
    FunctionCall,
    FunctionPart,
    ImagePart,
    ImageUrl,
    RefusalPart,
    TextPart,
)
from streamkit.protocols import Quirks, Request, get_protocol

CUSTOM = {"type": "custom", "custom": {"name": "sh", "format": {"type": "grammar", "grammar": {"syntax": "lark"}}}}
FUNCTION = {"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}
ALLOWED = {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [{"type": "function"}]}}
NESTED = {"type": "json_schema", "json_schema": {"name": "city", "schema": {"type": "object"}}}

# What a caller asks for by keyword, and what of it the body holds where that is not the same.
ASKED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("sound out", {"modalities": ["text", "audio"], "audio": {"voice": "ash", "format": "pcm16"}}, {}),
    ("a prediction", {"prediction": {"type": "content", "content": "x"}}, {}),
    ("a search", {"web_search_options": {"search_context_size": "low"}}, {}),
    ("how wordy", {"verbosity": "low"}, {}),
    ("what is stored", {"store": True, "metadata": {"a": "b"}}, {}),
    ("whose it is", {"safety_identifier": "u", "prompt_cache_key": "k", "user": "u"}, {}),
    ("how the cache is kept", {"prompt_cache_options": {"retention": "24h"}}, {}),
    ("a tier", {"service_tier": "flex"}, {}),
    (
        "no padding",
        {"stream_options": {"include_obfuscation": False}},
        {"stream_options": {"include_usage": True, "include_obfuscation": False}},
    ),
    ("only the chosen tokens", {"logprobs": 0}, {"logprobs": True}),
    ("alternatives", {"logprobs": 5}, {"logprobs": True, "top_logprobs": 5}),
    ("several answers", {"n": 3}, {}),
    ("sampling", {"temperature": 0.0, "top_p": 1.0, "presence_penalty": -2.0, "frequency_penalty": 2.0, "seed": 7}, {}),
    ("bias", {"logit_bias": {"50256": -100.0}}, {}),
    ("stop words", {"stop": "x"}, {"stop": ["x"]}),
    ("effort", {"thinking": "xhigh"}, {"reasoning_effort": "xhigh"}),
    ("any JSON", {"response_format": {"type": "json_object"}}, {}),
    ("a schema", {"output_schema": {"type": "object"}, "output_name": "city"}, {"response_format": NESTED}),
    (
        "a tool of text",
        {"tools": [CUSTOM], "tool_choice": "sh"},
        {"tools": [CUSTOM], "tool_choice": {"type": "custom", "custom": {"name": "sh"}}},
    ),
    (
        "a function by name",
        {"tools": [FUNCTION], "tool_choice": "add"},
        {"tool_choice": {"type": "function", "function": {"name": "add"}}},
    ),
    ("some of the tools", {"tools": [FUNCTION], "tool_choice": ALLOWED}, {"tool_choice": ALLOWED}),
    ("one call at a time", {"tools": [FUNCTION], "parallel_tool_calls": False}, {"parallel_tool_calls": False}),
    ("the legacy form", {"functions": [{"name": "add"}], "function_call": "auto"}, {}),
]


@pytest.mark.parametrize(("params", "held"), [case[1:] for case in ASKED], ids=[case[0] for case in ASKED])
def test_what_is_asked_for_by_keyword_is_in_the_body(params: dict[str, Any], held: dict[str, Any]) -> None:
    params = dict(params)
    request = build_request("m", "q", params.pop("tools", None), params)
    body = get_protocol("openai-chat").encode(request).body
    for name, value in (held or params).items():
        assert body[name] == value
    assert "top_logprobs" not in body or request.logprobs


CALL = FunctionPart("call_a", FunctionCall("add", {"a": 1}))
EMPTY = FunctionPart("call_b", FunctionCall("now", {}))
CUT = FunctionPart("call_c", FunctionCall("add"), raw_arguments='{"a', error="cut")
BREAK = {"type": "explicit"}
SOUND = {"input_audio": {"data": "AAE=", "format": "mp3"}, "type": "input_audio"}


def call(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


# A message, and how the dialect has it.
SENT: list[tuple[str, Message, dict[str, Any]]] = [
    (
        "several texts of a user",
        Message("user", [TextPart("a"), TextPart("b")]),
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
    ),
    (
        "a name",
        Message("user", [TextPart("a")], meta=Meta(name="An na")),
        {"role": "user", "content": "a", "name": "An_na"},
    ),
    (
        "an image by address",
        Message("user", [ImagePart(ImageUrl("https://i.test/a.png", "original"))]),
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "https://i.test/a.png", "detail": "original"}}],
        },
    ),
    (
        "an image by bytes",
        Message("user", [ImagePart(EmbeddedImage("image/png", b"\x00\x01"))]),
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAE="}}]},
    ),
    ("sound", Message("user", [AudioPart(b"\x00\x01", format="mp3")]), {"role": "user", "content": [SOUND]}),
    (
        "a file by id",
        Message("user", [FilePart(file_id="f")]),
        {"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]},
    ),
    (
        "a file by bytes",
        Message("user", [FilePart(name="a.pdf", data=b"\x00\x01")]),
        {
            "role": "user",
            "content": [
                {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAE="}}
            ],
        },
    ),
    (
        "a mark for the cache",
        Message("user", [TextPart("a")], blocks=[BlockRef("contents", 0, extra={"prompt_cache_breakpoint": BREAK})]),
        {"role": "user", "content": [{"type": "text", "text": "a", "prompt_cache_breakpoint": BREAK}]},
    ),
    ("a refusal", Message("assistant", [RefusalPart("No.")]), {"role": "assistant", "content": None, "refusal": "No."}),
    (
        "sound that was said",
        Message("assistant", [AudioPart(b"", "Hi", id="au")]),
        {"role": "assistant", "content": None, "audio": {"id": "au"}},
    ),
]


@pytest.mark.parametrize(("message", "form"), [case[1:] for case in SENT], ids=[case[0] for case in SENT])
def test_a_message_is_in_the_form_of_the_dialect(message: Message, form: dict[str, Any]) -> None:
    body = get_protocol("openai-chat").encode(Request(model="m", messages=[as_message("q"), message])).body
    assert body["messages"][1] == form


def test_calls_are_text_and_each_result_follows_at_once() -> None:
    history = [
        as_message("q"),
        Message("assistant", [], tool_calls=[CALL, EMPTY, CUT]),
        Message("tool", [TextPart("now")], id="call_b"),
        as_message("meanwhile"),
        Message("tool", [TextPart("2")], id="call_a"),
    ]
    said, *answers, meanwhile = (
        get_protocol("openai-chat").encode(Request(model="m", messages=history)).body["messages"][1:]
    )
    calls = [call("call_a", "add", '{"a":1}'), call("call_b", "now", "{}"), call("call_c", "add", "{}")]
    assert said == {"role": "assistant", "content": None, "tool_calls": calls}
    assert [answer["tool_call_id"] for answer in answers] == ["call_a", "call_b", "call_c"]
    assert [answer["content"] for answer in answers[:2]] == ["2", "now"]
    assert meanwhile == {"role": "user", "content": "meanwhile"}


def test_what_a_vendor_refuses_is_a_quirk_of_its_row() -> None:
    quirks = Quirks(max_tokens_field="max_tokens", stream_options=False, seed_field="random_seed", required_word="any")
    asked = build_request("m", "q", [FUNCTION], {"max_tokens": 9, "seed": 7, "tool_choice": "required"})
    body = get_protocol("openai-chat").encode(asked, quirks).body
    assert (body["max_tokens"], body["random_seed"], body["tool_choice"]) == (9, 7, "any")
    assert not body.keys() & {"max_completion_tokens", "seed", "stream_options"}
