"""A request as the body of vLLM's demonstration server."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.protocols import EncodedRequest, Quirks, Request, ToolSpec, get_protocol


def encode(*messages: Message, **fields: Any) -> EncodedRequest:
    messages = messages or (Message("user", "Q:"),)
    request = Request(model="m", messages=list(messages), provider="vllm-generate", **fields)
    return get_protocol("vllm-generate").encode(request, Quirks())


def test_the_least_request_tells_the_parser_its_prompt() -> None:
    body = {"prompt": "Q:", "stream": True}
    assert encode() == EncodedRequest("/generate", body, parser_options={"prompt": "Q:"})


CASES: list[tuple[str, dict[str, Any]]] = [
    ("a limit", {"max_tokens": 8}),
    ("sampling", {"temperature": 0.0, "top_p": 0.9, "top_k": 4, "presence_penalty": 1.0, "frequency_penalty": 2.0}),
    ("an end", {"stop": ["\n"], "seed": 7}),
    ("several answers", {"n": 2}),
]


@pytest.mark.parametrize("fields", [case[1] for case in CASES], ids=[case[0] for case in CASES])
def test_a_parameter_keeps_its_name(fields: dict[str, Any]) -> None:
    assert encode(**fields).body == {"prompt": "Q:", "stream": True, **fields}


@pytest.mark.parametrize(("prompt", "told"), [("mine", {"prompt": "mine"}), ({"prompt_token_ids": [1]}, {})])
def test_a_prompt_of_its_own_takes_the_place_of_the_messages(prompt: Any, told: dict[str, Any]) -> None:
    encoded = encode(Message("system", "unread"), Message("user", "unread"), extra={"prompt": prompt, "min_p": 0.1})
    assert encoded.body == {"prompt": prompt, "stream": True, "min_p": 0.1}
    assert encoded.parser_options == told


@pytest.mark.parametrize("name", ["thinking", "user", "service_tier"])
def test_what_it_does_not_know_is_left_out_with_a_warning(name: str) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=name):
        assert encode(**{name: "low"}) == encode()


def test_tools_and_conversations_are_refused() -> None:
    with pytest.raises(ConfigError, match="chat completions"):
        encode(tools=[ToolSpec(name="f")])
    with pytest.raises(ConfigError, match="template"):
        encode(Message("system", "a"), Message("user", "b"))
