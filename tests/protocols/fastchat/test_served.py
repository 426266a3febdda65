"""A FastChat worker over real HTTP."""

from __future__ import annotations

from streamkit.client import Client
from streamkit.testing import Answer, ReplayServer


async def test_a_prompt_goes_in_and_text_comes_out() -> None:
    async with ReplayServer([Answer(["Hello there"])]) as server:
        async with Client("fastchat/vicuna", base_url=server.url) as client:
            async with client.stream("Say hello:", max_tokens=8) as stream:
                pieces = [delta.text async for delta in stream if hasattr(delta, "text")]
    assert "".join(pieces) == stream.output.message.text == "Hello there"
    (request,) = server.requests
    assert request.path == "/worker_generate_stream"
    assert request.json == {"model": "vicuna", "echo": False, "prompt": "Say hello:", "max_new_tokens": 8}
