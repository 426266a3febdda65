"""Every error that a real llama.cpp server makes, in both of its dialects, as the client raises it."""

from __future__ import annotations

import anyio
import msgspec
import pytest

from streamkit.agent import Agent
from streamkit.deltas import TextDelta
from streamkit.errors import (
    APIError,
    AuthenticationError,
    ContextOverflow,
    InvalidRequest,
    NotFound,
    Overloaded,
    TransportError,
)
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, ImagePart

pytestmark = pytest.mark.live

DIALECTS = ("openai-chat", "anthropic")
LONG = "The king went over the hill. " * 12

IMAGE = Message("user", ["What is this?", ImagePart(EmbeddedImage("image/png", b"\x89PNG\r\n\x1a\n"))])
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
# What it takes no notice of where it does not know the field, so that one dialect has no such error.
CHAT = ("openai-chat",)

# name, dialects, message, parameters, class, status, what it says
REFUSED = [
    ("too long", DIALECTS, "word " * 2500, {}, ContextOverflow, 400, "exceeds the available context size"),
    ("an image", DIALECTS, IMAGE, {}, InvalidRequest, 500, "image input is not supported"),
    ("a temperature", DIALECTS, "Hi.", {"temperature": "hot"}, InvalidRequest, 400, "must be number, but is string"),
    ("a limit", DIALECTS, "Hi.", {"max_tokens": -5}, InvalidRequest, 400, "Field 'max_tokens'"),
    ("messages", DIALECTS, "Hi.", {"messages": [{"role": 5, "content": "x"}]}, InvalidRequest, 500, "parse messages"),
    ("many answers", CHAT, "Hi.", {"n": 9}, InvalidRequest, 400, "Field 'n'"),
    ("a tool", CHAT, "Hi.", {"tools": [{"type": "x"}]}, InvalidRequest, 500, "Unsupported tool type"),
    ("a choice", CHAT, "Hi.", {"tools": [TOOL], "tool_choice": "x"}, InvalidRequest, 400, "Invalid tool_choice"),
    ("a grammar", CHAT, "Hi.", {"grammar": "root ::= ("}, InvalidRequest, 400, "parse grammar"),
    ("a schema", CHAT, "Hi.", {"output_schema": {"type": "x"}}, InvalidRequest, 400, "unrecognized type x"),
    ("a format", CHAT, "Hi.", {"response_format": {"type": "x"}}, InvalidRequest, 400, "response_format type"),
    ("a part", CHAT, "Hi.", {"messages": [{"role": "user", "content": [{"type": "x"}]}]}, InvalidRequest, 400, "type"),
]


@pytest.mark.parametrize(
    ("dialect", "message", "params", "kind", "status", "says"),
    [(dialect, *case[2:]) for case in REFUSED for dialect in case[1]],
    ids=[f"{case[0]}-{dialect}" for case in REFUSED for dialect in case[1]],
)
async def test_what_it_refuses_is_an_error_of_its_class(connect, message, params, kind, status, says):
    async with connect() as client:
        past_our_checks = ("messages", "tool_choice", "temperature")
        extra = {name: params[name] for name in past_our_checks if name in params}
        given = {name: value for name, value in params.items() if name not in extra}
        stream = client.stream(message, extra=extra, **{"max_tokens": 4, **given})
        with pytest.raises(kind, match=says) as caught:
            async with stream:
                pytest.fail("it is refused before the stream")
        assert (caught.value.status, caught.value.retryable, caught.value.provider) == (status, False, "llamacpp")
        error = msgspec.json.decode(caught.value.body)["error"]
        assert (caught.value.message, caught.value.type) == (error["message"], error["type"])
        assert (await client.send("Hi.", max_tokens=2)).message.text  # the connection and the server are as before


async def test_an_overflow_has_its_counts_and_leaves_the_conversation_as_it_was(connect):
    async with connect() as client:
        agent = Agent(client=client, history=[Message("user", "Hi."), Message("assistant", "Hello.")])
        with pytest.raises(ContextOverflow) as caught:
            async for _ in agent.run("word " * 2500):
                pytest.fail("nothing comes")
    error = msgspec.json.decode(caught.value.body)["error"]
    assert error["n_prompt_tokens"] > 2500 and error["n_ctx"] == 2048
    assert [message.text for message in agent.history] == ["Hi.", "Hello."]


@pytest.mark.parametrize("key", ["wrong", None])
async def test_a_wrong_key_and_none_are_refused(connect, monkeypatch, key):
    monkeypatch.delenv("LLAMA_API_KEY", raising=False)
    async with connect(api_key=key) as client:
        with pytest.raises(AuthenticationError, match="Invalid API Key") as caught:
            await client.send("Hi.", max_tokens=2)
    assert (caught.value.status, caught.value.retryable, caught.value.type) == (401, False, "authentication_error")


async def test_a_path_that_it_does_not_have_is_not_found(connect):
    async with connect(path="/v9") as client:
        with pytest.raises(NotFound, match="File Not Found") as caught:
            await client.send("Hi.", max_tokens=2)
    assert (caught.value.status, caught.value.retryable, caught.value.type) == (404, False, "not_found_error")


async def test_while_it_loads_the_model_it_asks_to_be_asked_again(start, connect, dialect):
    with start(ready=False) as server:
        async with connect(server=server) as client:
            error = None
            while not isinstance(error, APIError):
                try:
                    await client.send("Hi.", max_tokens=2)
                    pytest.fail("the model was loaded before a request came through")
                except (APIError, TransportError) as failure:  # of the connection, while it does not listen yet
                    error = failure
            assert (type(error), error.retryable) == (Overloaded, True)
            assert (error.message, error.status, error.type) == ("Loading model", 503, "unavailable_error")
            server.wait()
            assert (await client.send("Hi.", max_tokens=2)).message.text


@pytest.fixture(scope="module")
def cramped(start):
    """A server of which two answers share a context of 256 tokens."""
    with start(n_ctx=256, n_parallel=2, kv_unified=True) as server:
        yield server


async def test_two_answers_that_do_not_fit_together_end_by_an_error_in_the_stream(connect, cramped):
    errors = []

    async def ask() -> None:
        text = ""
        try:
            async with client.stream(f"Tell me a long story. {LONG}", temperature=0) as stream:
                async for delta in stream:
                    text += delta.text if isinstance(delta, TextDelta) else ""
        except APIError as error:
            assert error.partial.message.text == text != ""
            errors.append(error)

    async with connect(server=cramped) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            tasks.start_soon(ask)
        for error in errors:
            assert isinstance(error, ContextOverflow)
            assert (error.message, error.status) == ("Context size has been exceeded.", 200)
        assert errors
        assert (await client.send("Hi.", max_tokens=2)).message.text


@pytest.mark.parametrize("dialect", ["openai-chat"])  # the other takes no notice of `ignore_eos`
async def test_an_answer_that_fills_the_context_ends_by_length(connect, cramped):
    async with connect(server=cramped) as client:
        output = await client.send(f"Tell me a story. {LONG}", temperature=0, ignore_eos=True)
    assert output.finish_reason.type == "length"
    assert output.usage.total_tokens == 256
    assert output.message.text
