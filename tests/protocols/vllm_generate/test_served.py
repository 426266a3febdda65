"""vLLM's demonstration server over real HTTP: the prompt that was sent is taken off the answer."""

from __future__ import annotations

import json

import pytest

from streamkit.client import Client
from streamkit.errors import TruncatedStream
from streamkit.testing import Answer, ReplayServer
from streamkit.testing.replies import Received, Reply


def reply(request: Received, ends: str = "whole") -> Reply:
    prompt = request.json["prompt"]
    lines = [json.dumps({"text": [prompt + text]}).encode() + b"\n" for text in ("", "Hello", "Hello there")]
    return Reply(body=lines, headers={}, ends=ends)


async def test_a_prompt_goes_in_and_text_comes_out() -> None:
    async with ReplayServer(reply) as server:
        async with Client("vllm-generate/m", base_url=server.url) as client:
            async with client.stream("Say hello:", max_tokens=8) as stream:
                pieces = [delta.text async for delta in stream if hasattr(delta, "text")]
    assert "".join(pieces) == stream.output.message.text == "Hello there"
    (request,) = server.requests
    assert request.path == "/generate"
    assert request.json == {"prompt": "Say hello:", "stream": True, "max_tokens": 8}


async def test_an_answer_can_be_scripted() -> None:
    async with ReplayServer([Answer(["Hello"])]) as server:
        async with Client("vllm-generate/m", base_url=server.url) as client:
            assert (await client.send("")).message.text == "Hello"


async def test_a_connection_that_drops_is_an_error_with_what_came() -> None:
    async with ReplayServer(lambda request: reply(request, "drops")) as server:
        async with Client("vllm-generate/m", base_url=server.url) as client:
            with pytest.raises(TruncatedStream, match="broke off") as caught:
                await client.send("Say hello:")
    assert caught.value.partial is not None
    assert caught.value.partial.message.text == "Hello there"
