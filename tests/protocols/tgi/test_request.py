"""A request as the body of TGI's native generation."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.parts import ImagePart, ImageUrl
from streamkit.protocols import EncodedRequest, Quirks, Request, ToolSpec, get_protocol


def encode(*messages: Message, **fields: Any) -> EncodedRequest:
    request = Request(model="m", messages=list(messages or [Message("user", "Q:")]), provider="tgi-generate", **fields)
    return get_protocol("tgi").encode(request, Quirks())


def test_the_least_request() -> None:
    assert encode() == EncodedRequest("/generate_stream", {"inputs": "Q:", "parameters": {"details": True}})


CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("a limit", {"max_tokens": 8}, {"max_new_tokens": 8}),
    (
        "sampling",
        {"temperature": 0.5, "top_p": 0.9, "top_k": 4, "frequency_penalty": 0.1, "seed": 7, "stop": ["\n"]},
        {"temperature": 0.5, "top_p": 0.9, "top_k": 4, "frequency_penalty": 0.1, "seed": 7, "stop": ["\n"]},
    ),
    ("what it refuses and does anyway", {"temperature": 0, "top_p": 1.0}, {}),
    ("log probabilities", {"logprobs": 0}, {"top_n_tokens": 1}),
    ("more of them", {"logprobs": 3}, {"top_n_tokens": 3}),
    ("a schema", {"output_schema": {"type": "object"}}, {"grammar": {"type": "json", "value": {"type": "object"}}}),
    ("its own", {"extra": {"parameters": {"repetition_penalty": 1.1}}}, {"repetition_penalty": 1.1}),
]


@pytest.mark.parametrize(("fields", "parameters"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_parameter_has_its_name(fields: dict[str, Any], parameters: dict[str, Any]) -> None:
    assert encode(**fields).body == {"inputs": "Q:", "parameters": {"details": True, **parameters}}


def test_inputs_of_its_own_take_the_place_of_the_messages() -> None:
    body = encode(Message("system", "unread"), Message("user", "unread"), extra={"inputs": "mine"}).body
    assert body == {"inputs": "mine", "parameters": {"details": True}}


@pytest.mark.parametrize("name", ["thinking", "user", "service_tier", "presence_penalty"])
def test_what_it_does_not_know_is_left_out_with_a_warning(name: str) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=name):
        assert encode(**{name: "low"}).body == encode().body


REFUSED: list[tuple[str, Any, str]] = [
    ("tools", lambda: encode(tools=[ToolSpec(name="f")]), "chat completions"),
    ("a conversation", lambda: encode(Message("system", "a"), Message("user", "b")), "template"),
    ("an image", lambda: encode(Message("user", [ImagePart(ImageUrl("https://a.example/1.png"))])), "no images"),
]


@pytest.mark.parametrize(("ask", "words"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_it_cannot_say_is_refused(ask: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        ask()
