"""A request as a call of a Gradio app, which is answered in two steps."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.client import Client
from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.protocols import EncodedRequest, Quirks, Request, ToolSpec, get_protocol
from streamkit.providers import Provider


def encode(*messages: Message, **fields: Any) -> EncodedRequest:
    request = Request(model="chat", messages=list(messages or [Message("user", "hi")]), provider="acme", **fields)
    return get_protocol("gradio").encode(request, Quirks())


def test_the_function_is_called_with_the_message() -> None:
    assert encode() == EncodedRequest("/call/chat", {"data": ["hi"]}, two_steps=True)


def test_a_function_with_other_inputs_is_given_them() -> None:
    encoded = encode(Message("system", "unread"), Message("user", "unread"), extra={"data": ["hi", [], 0.5]})
    assert (encoded.path, encoded.body) == ("/call/chat", {"data": ["hi", [], 0.5]})


def test_a_place_in_a_queue_is_asked_for_by_the_number_of_the_function() -> None:
    encoded = encode(extra={"fn_index": 3, "session_hash": "s"})
    assert (encoded.path, encoded.body) == ("/queue/join", {"data": ["hi"], "fn_index": 3, "session_hash": "s"})


@pytest.mark.parametrize("field", [{"max_tokens": 8}, {"temperature": 0.5}, {"thinking": "low"}], ids=str)
def test_what_an_app_has_no_place_for_is_left_out_with_a_warning(field: dict[str, Any]) -> None:
    with pytest.warns(UnsupportedParameterWarning, match=next(iter(field))):
        assert encode(**field) == encode()


def test_tools_and_conversations_are_refused() -> None:
    with pytest.raises(ConfigError, match="no tools"):
        encode(tools=[ToolSpec(name="f")])
    with pytest.raises(ConfigError, match="one user message"):
        encode(Message("system", "a"), Message("user", "b"))


async def test_the_client_says_that_it_does_not_take_two_steps() -> None:
    row = Provider(name="acme", protocol="gradio", base_url="http://localhost:7860/gradio_api")
    client = Client("chat", provider=row)
    with pytest.raises(ConfigError, match=r"gradio .* does not fetch: POST the body to /call/chat yourself"):
        client.stream("hi")
