"""A request as the body of a FastChat worker's stream."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.protocols import EncodedRequest, Quirks, Request, ToolSpec, get_protocol

LEAST = {"model": "vicuna", "echo": False, "prompt": "Q:"}


def encode(*messages: Message, **fields: Any) -> EncodedRequest:
    request = Request(model="vicuna", messages=list(messages or [Message("user", "Q:")]), provider="fastchat", **fields)
    return get_protocol("fastchat").encode(request, Quirks())


def test_the_least_request() -> None:
    assert encode() == EncodedRequest("/worker_generate_stream", LEAST)


CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("a limit", {"max_tokens": 8}, {"max_new_tokens": 8}),
    (
        "sampling",
        {"temperature": 0.0, "top_p": 0.9, "top_k": 4, "presence_penalty": 1.0, "frequency_penalty": 2.0},
        {"temperature": 0.0, "top_p": 0.9, "top_k": 4, "presence_penalty": 1.0, "frequency_penalty": 2.0},
    ),
    ("an end", {"stop": ["###"]}, {"stop": ["###"]}),
    ("its own", {"extra": {"stop_token_ids": [2], "echo": True}}, {"stop_token_ids": [2], "echo": True}),
]


@pytest.mark.parametrize(("fields", "sent"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_parameter_has_its_name(fields: dict[str, Any], sent: dict[str, Any]) -> None:
    assert encode(**fields).body == LEAST | sent


def test_a_prompt_of_its_own_takes_the_place_of_the_messages() -> None:
    body = encode(Message("system", "unread"), Message("user", "unread"), extra={"prompt": "mine"}).body
    assert body == LEAST | {"prompt": "mine"}


@pytest.mark.parametrize("name", ["thinking", "user", "service_tier"])
def test_what_it_does_not_know_is_left_out_with_a_warning(name: str) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=name):
        assert encode(**{name: "low"}).body == LEAST


def test_tools_and_conversations_are_refused() -> None:
    with pytest.raises(ConfigError, match="chat completions"):
        encode(tools=[ToolSpec(name="f")])
    with pytest.raises(ConfigError, match="template"):
        encode(Message("system", "a"), Message("user", "b"))
