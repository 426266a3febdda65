"""The clouds' doors to Claude: the official SDK and our client ask at the same place and hear the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from streamkit.client import Client
from streamkit.testing import Answer, Call, ReplayServer, Thinking
from tests.sdk.sdks import import_sdk

pytestmark = pytest.mark.sdk

ANSWER = Answer([Thinking("Hm.", "c2ln"), "It is — ☃ ", Call("add", {"a": 1}, "toolu_1")])


def bedrock(sdk: Any, url: str) -> Any:
    import_sdk("botocore")
    return sdk.AsyncAnthropicBedrock(api_key="key", base_url=url, aws_region="us-east-1", max_retries=0)


def vertex(sdk: Any, url: str) -> Any:
    where = {"project_id": "p-1", "region": "us-east5"}
    return sdk.AsyncAnthropicVertex(access_token="key", base_url=url, max_retries=0, **where)


# The colon of a model may stand in a path as it is, which ours encodes as AWS's own SDK does.
DOORS: list[tuple[str, Callable[[Any, str], Any], str]] = [
    ("bedrock-anthropic", bedrock, "us.anthropic.claude-haiku-4-5"),
    ("vertex-anthropic", vertex, "claude-haiku-4-5@20251001"),
]


@pytest.mark.parametrize(("vendor", "door", "model"), DOORS, ids=[case[0] for case in DOORS])
async def test_the_sdk_and_our_client_ask_at_the_same_place_and_hear_the_same(
    vendor: str, door: Callable[[Any, str], Any], model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_VERTEX_PROJECT_ID", "p-1")
    monkeypatch.setenv("CLOUD_ML_REGION", "us-east5")
    asked: dict[str, Any] = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 100}
    async with ReplayServer(ANSWER) as server:
        async with (
            door(import_sdk("anthropic"), server.url) as sdk,
            sdk.messages.stream(model=model, **asked) as events,
        ):
            theirs = await events.get_final_message()
        async with Client(f"{vendor}/{model}", api_key="key", base_url=server.url) as client:
            ours = await client.send("Hi", max_tokens=100)
    thinking, text, call = theirs.content
    assert (thinking.thinking, thinking.signature, text.text) == (
        ours.message.thinking,
        ours.message.signature,
        ours.message.text,
    )
    assert (call.id, call.name, call.input) == ("toolu_1", "add", {"a": 1})
    assert theirs.usage.output_tokens == ours.usage.output_tokens
    first, second = server.requests
    assert first.path == second.path
    assert first.headers["authorization"] == second.headers["authorization"] == "Bearer key"
    assert set(first.json) == set(second.json)
