"""Prompt in, text out, over real HTTP."""

from __future__ import annotations

import pytest

from streamkit.client import Client
from streamkit.deltas import TextDelta
from streamkit.testing import Answer, ReplayServer

MODELS = [
    ("llamacpp-completion/m", "", "/completion", {"n_predict": 5}),
    (
        "openai-completions/m",
        "/v1",
        "/v1/completions",
        {"max_tokens": 5, "stream_options": {"include_usage": True}},
    ),
]


@pytest.mark.parametrize(("model", "base", "path", "fields"), MODELS, ids=[case[0] for case in MODELS])
async def test_a_text_goes_on(model: str, base: str, path: str, fields: dict[str, object]) -> None:
    answer = Answer([" Paris."], finish="length")
    async with ReplayServer(answer, piece=3) as server:
        async with Client(model, api_key="none", base_url=server.url + base) as client:
            async with client.stream("The capital of France is", max_tokens=5) as stream:
                pieces = [delta.text async for delta in stream if isinstance(delta, TextDelta)]
    assert "".join(pieces) == stream.output.message.text == " Paris."
    assert stream.output.finish_reason is not None
    assert stream.output.finish_reason.type == "length"
    assert stream.output.usage == answer.usage
    (request,) = server.requests
    assert request.path == path
    assert request.json == {"model": "m", "prompt": "The capital of France is", "stream": True, **fields}
