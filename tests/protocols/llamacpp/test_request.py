"""A request as the body of llama.cpp's native completion."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, ImagePart, ImageUrl
from streamkit.protocols import EncodedRequest, Quirks, Request, ToolSpec, get_protocol

PNG = ImagePart(EmbeddedImage("image/png", b"\x89PNG"))


def encode(*messages: Message, **fields: Any) -> EncodedRequest:
    request = Request(model="m", messages=list(messages), provider="llamacpp-completion", **fields)
    return get_protocol("llamacpp").encode(request, Quirks())


def beside(**fields: Any) -> dict[str, Any]:
    body = encode(Message("user", "Q:"), **fields).body
    return {name: value for name, value in body.items() if name not in ("model", "prompt", "stream")}


def test_the_least_request() -> None:
    body = {"model": "m", "prompt": "Q: 1+1?\nA:", "stream": True}
    assert encode(Message("user", "Q: 1+1?\nA:")) == EncodedRequest("/completion", body)


CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("a limit", {"max_tokens": 8}, {"n_predict": 8}),
    (
        "sampling",
        {"temperature": 0.5, "top_p": 0.9, "top_k": 4, "presence_penalty": 1.0, "frequency_penalty": 2.0},
        {"temperature": 0.5, "top_p": 0.9, "top_k": 4, "presence_penalty": 1.0, "frequency_penalty": 2.0},
    ),
    ("an end", {"stop": ["\n"], "seed": 7}, {"stop": ["\n"], "seed": 7}),
    ("several answers", {"n": 2}, {"n_cmpl": 2}),
    ("a schema", {"output_schema": {"type": "object"}}, {"json_schema": {"type": "object"}}),
    ("log probabilities", {"logprobs": 3}, {"n_probs": 3}),
    ("those of the chosen tokens", {"logprobs": 0}, {"n_probs": 1}),
    ("biases", {"logit_bias": {"15043": 1.0, "Hello": -0.5}}, {"logit_bias": [[15043, 1.0], ["Hello", -0.5]]}),
    ("its own fields", {"extra": {"min_p": 0.1, "grammar": "root ::= x"}}, {"min_p": 0.1, "grammar": "root ::= x"}),
]


@pytest.mark.parametrize(("fields", "sent"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_parameter_has_its_name(fields: dict[str, Any], sent: dict[str, Any]) -> None:
    assert beside(**fields) == sent


def test_images_stand_where_they_are_in_the_prompt() -> None:
    url = ImagePart(ImageUrl("data:image/png;base64,iVBORw=="))
    assert encode(Message("user", ["Look: ", PNG, " and ", url, " Same?"])).body["prompt"] == {
        "prompt_string": "Look: <__media__> and <__media__> Same?",
        "multimodal_data": ["iVBORw==", "iVBORw=="],
    }
    with pytest.raises(ConfigError, match="not by its address"):
        encode(Message("user", [ImagePart(ImageUrl("https://example.org/a.png"))]))


@pytest.mark.parametrize("prompt", [[1, 2, 3], ["a", "b"]], ids=["tokens", "several prompts"])
def test_a_prompt_of_another_kind_takes_the_place_of_the_messages(prompt: Any) -> None:
    assert encode(extra={"prompt": prompt}).body == {"model": "m", "stream": True, "prompt": prompt}


DROPPED: list[tuple[str, dict[str, Any], str]] = [
    ("thinking", {"thinking": "high"}, "'thinking'"),
    ("a user", {"user": "u"}, "'user'"),
    ("a tier", {"service_tier": "auto"}, "'service_tier'"),
]


@pytest.mark.parametrize(("fields", "name"), [case[1:] for case in DROPPED], ids=[case[0] for case in DROPPED])
def test_what_the_api_does_not_know_is_left_out_with_a_warning(fields: dict[str, Any], name: str) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=f"llamacpp-completion does not take {name}"):
        assert beside(**fields) == {}


def test_tools_and_conversations_are_refused() -> None:
    with pytest.raises(ConfigError, match="knows no tools"):
        beside(tools=[ToolSpec(name="f")])
    with pytest.raises(ConfigError, match="the model's own template"):
        encode(Message("system", "Be brief."), Message("user", "hi"))
