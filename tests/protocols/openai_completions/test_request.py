"""A request as the body of legacy completions."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, ImagePart
from streamkit.protocols import EncodedRequest, Quirks, Request, ToolSpec, get_protocol

USAGE = {"stream_options": {"include_usage": True}}


def encode(*messages: Message, quirks: Quirks | None = None, **fields: Any) -> EncodedRequest:
    request = Request(model="m", messages=list(messages), provider="acme", **fields)
    return get_protocol("openai-completions").encode(request, quirks or Quirks())


def test_the_least_request() -> None:
    body = {"model": "m", "prompt": "Once upon", "stream": True, **USAGE}
    assert encode(Message("user", "Once upon")) == EncodedRequest("/completions", body)


PARAMETERS: dict[str, Any] = {
    "max_tokens": 8,
    "temperature": 0.5,
    "top_p": 0.9,
    "presence_penalty": 1.0,
    "frequency_penalty": 2.0,
    "stop": ["\n"],
    "n": 2,
    "logprobs": 3,
    "logit_bias": {"50256": -100},
    "user": "u",
    "seed": 7,
}


def test_parameters_keep_their_names() -> None:
    body = encode(Message("user", "a"), **PARAMETERS, top_k=4, extra={"echo": True}).body
    assert body == {"model": "m", "prompt": "a", "stream": True, **USAGE, **PARAMETERS, "top_k": 4, "echo": True}


def test_a_vendors_quirks_are_kept_to() -> None:
    quirks = Quirks(stream_options=False, seed_field="random_seed", unsupported=("top_k",))
    with pytest.warns(UnsupportedParameterWarning, match="acme does not take 'top_k'"):
        body = encode(Message("user", "a"), quirks=quirks, seed=7, top_k=4).body
    assert body == {"model": "m", "prompt": "a", "stream": True, "random_seed": 7}


@pytest.mark.parametrize("prompt", [[1, 2, 3], ["a", "b"]], ids=["tokens", "several prompts"])
def test_a_prompt_of_another_kind_takes_the_place_of_the_messages(prompt: Any) -> None:
    assert encode(extra={"prompt": prompt}).body["prompt"] == prompt


@pytest.mark.parametrize("fields", [{"thinking": "high"}, {"output_schema": {}}, {"service_tier": "auto"}], ids=str)
def test_what_the_api_does_not_know_is_left_out_with_a_warning(fields: dict[str, Any]) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=f"acme does not take '{next(iter(fields))}'"):
        assert encode(Message("user", "a"), **fields).body == encode(Message("user", "a")).body


UNFIT: list[tuple[str, list[Message], dict[str, Any], str]] = [
    ("tools", [Message("user", "a")], {"tools": [ToolSpec(name="f")]}, "know no tools"),
    ("an image", [Message("user", [ImagePart(EmbeddedImage("image/png", b""))])], {}, "take no images"),
    ("a conversation", [Message("user", "a"), Message("assistant", "b")], {}, "one user message"),
]


@pytest.mark.parametrize(("messages", "fields", "why"), [case[1:] for case in UNFIT], ids=[case[0] for case in UNFIT])
def test_what_cannot_be_said_is_refused(messages: list[Message], fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        encode(*messages, **fields)
