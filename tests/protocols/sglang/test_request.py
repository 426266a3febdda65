"""A request as the body of SGLang's native generation."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, ImagePart, ImageUrl
from streamkit.protocols import EncodedRequest, Quirks, Request, ToolSpec, get_protocol


def encode(*messages: Message, **fields: Any) -> EncodedRequest:
    request = Request(
        model="m", messages=list(messages or [Message("user", "Q:")]), provider="sglang-generate", **fields
    )
    return get_protocol("sglang").encode(request, Quirks())


def beside(**fields: Any) -> dict[str, Any]:
    body = encode(**fields).body
    return {name: value for name, value in body.items() if name not in ("text", "stream")}


def test_the_least_request() -> None:
    assert encode() == EncodedRequest("/generate", {"text": "Q:", "sampling_params": {}, "stream": True})


CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("a limit", {"max_tokens": 8}, {"max_new_tokens": 8}),
    (
        "sampling",
        {"temperature": 0.5, "top_p": 0.9, "top_k": 4, "presence_penalty": 1.0, "frequency_penalty": 2.0},
        {"temperature": 0.5, "top_p": 0.9, "top_k": 4, "presence_penalty": 1.0, "frequency_penalty": 2.0},
    ),
    ("an end", {"stop": ["\n"], "seed": 7}, {"stop": ["\n"], "sampling_seed": 7}),
    ("several answers", {"n": 2}, {"n": 2}),
    ("biases", {"logit_bias": {"5": -1.0}}, {"logit_bias": {"5": -1.0}}),
    ("a schema", {"output_schema": {"type": "object"}}, {"json_schema": '{"type":"object"}'}),
    ("its own", {"extra": {"sampling_params": {"min_p": 0.1}}}, {"min_p": 0.1}),
]


@pytest.mark.parametrize(("fields", "sampling"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_parameter_of_sampling_has_its_name(fields: dict[str, Any], sampling: dict[str, Any]) -> None:
    assert beside(**fields) == {"sampling_params": sampling}


def test_log_probabilities_are_asked_for_with_their_text() -> None:
    assert beside(logprobs=3) == {
        "sampling_params": {},
        "return_logprob": True,
        "top_logprobs_num": 3,
        "return_text_in_logprobs": True,
    }


def test_images_stand_where_they_are_in_the_prompt() -> None:
    images = ImagePart(EmbeddedImage("image/png", b"\x01")), ImagePart(ImageUrl("https://a.example/1.png"))
    body = encode(Message("user", ["Look: ", images[0], " and ", images[1], "?"])).body
    assert body["text"] == "Look: <image> and <image>?"
    assert body["image_data"] == ["data:image/png;base64,AQ==", "https://a.example/1.png"]


@pytest.mark.parametrize("prompt", [{"text": ["a", "b"]}, {"input_ids": [1, 2]}, {"input_embeds": [[0.5]]}])
def test_a_prompt_of_its_own_takes_the_place_of_the_messages(prompt: dict[str, Any]) -> None:
    body = encode(Message("system", "unread"), Message("user", "unread"), extra=prompt).body
    assert body == {"sampling_params": {}, "stream": True} | prompt


@pytest.mark.parametrize("name", ["thinking", "user", "service_tier", "parallel_tool_calls"])
def test_what_it_does_not_know_is_left_out_with_a_warning(name: str) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=name):
        assert beside(**{name: "low"}) == {"sampling_params": {}}


def test_tools_and_conversations_are_refused() -> None:
    with pytest.raises(ConfigError, match="chat completions"):
        encode(tools=[ToolSpec(name="f")])
    with pytest.raises(ConfigError, match="template"):
        encode(Message("system", "a"), Message("user", "b"))
