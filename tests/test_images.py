"""The images of a request that are addresses, and what was fetched in their places."""

from __future__ import annotations

import base64
from functools import partial
from typing import Any

import pytest

from streamkit.agent import Agent
from streamkit.blocks import BlockRef
from streamkit.client import Client
from streamkit.errors import ConfigError, ImageFetchError, ImageNotEmbedded, TotalTimeout
from streamkit.images import embed_images, images_to_embed
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, FunctionCall, FunctionPart, ImagePart, ImageUrl, TextPart
from streamkit.protocols import Quirks, Request, get_protocol
from streamkit.testing import Answer, ReplayServer, error_reply
from tests.transport.test_fetching import PNG as FETCHED
from tests.transport.test_fetching import Server, cancel_once_reached, fetcher, never, response

PNG = EmbeddedImage("image/png", b"\x89PNG")


def at(url: str) -> ImagePart:
    return ImagePart(ImageUrl(url))


def asking(*parts: Any) -> Request:
    return Request(
        model="m",
        messages=[
            Message("user", ["What is this?", *parts]),
            Message("assistant", [], tool_calls=[FunctionPart("c", FunctionCall("look"))]),
            Message("tool", [*parts, at("https://example.org/tool.png")], id="c"),
        ],
        provider="acme",
    )


EMBEDDED: list[tuple[str, dict[str, Any], list[str], list[str]]] = [
    (
        "ollama",
        {},
        ["https://example.org/b.png", "http://example.org/a.png", "data:image/png;base64,iVBORw=="],
        ["http://example.org/a.png", "https://example.org/b.png", "https://example.org/tool.png"],
    ),
    (
        "gemini",
        {},
        ["gs://bucket/a.png", "https://generativelanguage.googleapis.com/v1beta/files/a"],
        ["https://example.org/tool.png"],
    ),
    ("bedrock-converse", {}, ["s3://bucket/a.png"], ["https://example.org/tool.png"]),
    ("openai-chat", {}, ["https://example.org/b.png"], []),
    ("openai-chat", {"image_urls": False}, [], ["https://example.org/tool.png"]),
    ("anthropic", {}, ["https://example.org/b.png"], []),
]


@pytest.mark.parametrize("case", EMBEDDED, ids=[f"{case[0]} {case[1]}" for case in EMBEDDED])
def test_those_are_embedded_that_the_provider_takes_by_their_bytes_only(
    case: tuple[str, dict[str, Any], list[str], list[str]],
) -> None:
    protocol, quirks, given, expected = case
    found = images_to_embed(asking(*map(at, given), ImagePart(PNG)), get_protocol(protocol), Quirks(**quirks))
    assert found == expected


def test_what_was_fetched_takes_the_place_of_its_address() -> None:
    request = asking(at("https://example.org/a.png"), at("https://example.org/a.png"), at("https://example.org/b.png"))
    request.messages[0].blocks = [BlockRef("contents", place, extra={"x": place}) for place in range(4)]
    embedded = embed_images(request, {"https://example.org/a.png": PNG})
    assert embedded.messages[0].contents == [
        TextPart("What is this?"),
        ImagePart(PNG),
        ImagePart(PNG),
        at("https://example.org/b.png"),
    ]
    assert [block.extra for block in embedded.messages[0].iter_blocks()] == [{"x": place} for place in range(4)]
    assert embedded.messages[2].contents[0] == ImagePart(PNG)
    assert request.messages[0].contents[1] == at("https://example.org/a.png")


# ---- by the client


def question(url: str) -> Message:
    return Message("user", ["What is this?", at(url)])


def client_of(provider: ReplayServer, model: str = "ollama-chat/llava", **options: Any) -> Client:
    """A client that may fetch from the loopback interface."""
    base_url = provider.url + ("/v1" if model.startswith("openai/") else "")
    client = Client(model, base_url=base_url, api_key="key", **options)
    client._fetcher = fetcher()
    return client


async def test_the_client_fetches_what_its_provider_takes_by_the_bytes_only() -> None:
    web = Server({"/a.png": response()})
    async with web.serving(), ReplayServer(Answer(["A cat."])) as provider, client_of(provider) as client:
        output = await client.send(question(f"https://images.test:{web.port}/a.png"), fetch_images=True)
    assert output.message.text == "A cat."
    assert provider.requests[0].json["messages"][0]["images"] == [base64.b64encode(FETCHED).decode()]
    assert b"key" not in web.asked[0]


async def test_nothing_is_fetched_where_the_provider_takes_the_address_or_nobody_asked() -> None:
    web = Server({})
    async with web.serving(), ReplayServer(Answer(["A cat."])) as provider:
        url = f"https://images.test:{web.port}/a.png"
        async with client_of(provider, "openai/gpt-5") as client:
            await client.send(question(url), fetch_images=True)
        async with client_of(provider) as client:
            for asked in ({}, {"fetch_images": False}):
                with pytest.raises(ImageNotEmbedded, match="fetch_images=True has it fetched"):
                    client.stream(question(url), **asked)
    assert web.connected == 0
    assert [request.json["messages"][0]["content"][1] for request in provider.requests] == [
        {"type": "image_url", "image_url": {"url": url}}
    ]
    assert "fetch_images" not in provider.requests[0].json


async def test_what_else_cannot_be_sent_is_known_before_anything_is_fetched() -> None:
    web = Server({})
    async with web.serving(), ReplayServer(Answer(["A cat."])) as provider, client_of(provider) as client:
        with pytest.raises(ConfigError, match="unknown thinking level"):
            client.stream(question(f"https://images.test:{web.port}/a.png"), fetch_images=True, thinking="very")
    assert web.connected == 0


async def test_where_a_fetch_fails_the_provider_is_not_asked() -> None:
    web = Server({"/a.png": response(status="404 Not Found")})
    async with web.serving(), ReplayServer(Answer(["A cat."])) as provider, client_of(provider) as client:
        with pytest.raises(ImageFetchError, match="HTTP 404"):
            await client.send(question(f"https://images.test:{web.port}/a.png"), fetch_images=True)
    assert provider.requests == []
    assert web.connected == 1


async def test_a_client_reaches_only_the_internet_by_itself() -> None:
    async with ReplayServer(Answer(["A cat."])) as provider:
        async with Client("ollama-chat/llava", base_url=provider.url, api_key="key") as client:
            with pytest.raises(ImageFetchError, match="no address of the public internet"):
                await client.send(question("https://localhost/a.png"), fetch_images=True)
    assert provider.requests == []


async def test_a_fetch_belongs_to_its_request_and_ends_with_it() -> None:
    web = Server({"/a.png": never})
    async with web.serving(), ReplayServer(Answer(["A cat."])) as provider, client_of(provider) as client:
        asked = question(f"https://images.test:{web.port}/a.png")
        await cancel_once_reached(web, partial(client.send, fetch_images=True), asked)
    assert provider.requests == []


async def test_a_fallback_that_takes_bytes_only_gets_them_too() -> None:
    web = Server({"/a.png": response()})
    script = [error_reply(503, "overloaded"), Answer(["A cat."])]
    async with web.serving(), ReplayServer(script) as provider, client_of(provider) as local:
        async with client_of(provider, "openai/gpt-5", retry=0, fallback=[local]) as client:
            output = await client.send(question(f"https://images.test:{web.port}/a.png"), fetch_images=True)
    assert output.message.text == "A cat."
    assert provider.requests[1].json["messages"][0]["images"] == [base64.b64encode(FETCHED).decode()]


async def test_another_model_for_one_request_is_still_the_one_that_is_asked() -> None:
    web = Server({"/a.png": response()})
    async with web.serving(), ReplayServer(Answer(["A cat."])) as provider, client_of(provider) as client:
        asked = question(f"https://images.test:{web.port}/a.png")
        await client.send(asked, fetch_images=True, model="other")
    assert provider.requests[0].json["model"] == "other"


async def test_the_limit_of_the_whole_holds_for_a_fetch_too() -> None:
    web = Server({"/a.png": never})
    async with web.serving(), ReplayServer(Answer(["A cat."])) as provider:
        async with client_of(provider, total_timeout_s=0.05) as client:
            with pytest.raises(TotalTimeout):
                await client.send(question(f"https://images.test:{web.port}/a.png"), fetch_images=True)
    assert provider.requests == []


async def test_the_history_of_an_agent_keeps_the_address() -> None:
    web = Server({"/a.png": response()})
    async with web.serving(), ReplayServer(Answer(["A cat."])) as provider, client_of(provider) as client:
        agent = Agent("ollama-chat/llava", client=client, fetch_images=True)
        asked = question(f"https://images.test:{web.port}/a.png")
        outputs = [output async for output in agent.run(asked)]
        assert outputs[-1].message.text == "A cat."
        assert agent.history[0] == asked
        web.answers["/a.png"] = response(status="404 Not Found")
        with pytest.raises(ImageFetchError):
            async for _ in agent.run("And now?"):
                pass
        assert [message.role for message in agent.history] == ["user", "assistant"]
