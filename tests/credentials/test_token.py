"""Tokens that a function gives: asked for each time, whatever kind of function, and shown nowhere."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from streamkit.agent import Agent, AgentBuilder
from streamkit.client import Client
from streamkit.errors import AuthenticationError, ConfigError
from streamkit.testing import Answer, ReplayServer, Reply
from tests.exposure import shown

TOKEN = "ey-token-0123456789abcdef"


class Rotating:
    """A source of tokens that counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def plain(self) -> str:
        self.asked += 1
        return f" {TOKEN}-{self.asked}\n"

    async def waiting(self) -> str:
        await anyio.lowlevel.checkpoint()
        return self.plain()

    def indirect(self) -> Any:
        return self.waiting()

    async def __call__(self) -> str:
        return await self.waiting()


KINDS: list[tuple[str, Callable[[Rotating], Any]]] = [
    ("plain", lambda tokens: tokens.plain),
    ("async", lambda tokens: tokens.waiting),
    ("that returns an awaitable", lambda tokens: tokens.indirect),
    ("partial", lambda tokens: partial(tokens.waiting)),
    ("object", lambda tokens: tokens),
]


@pytest.mark.parametrize("kind", [case[1] for case in KINDS], ids=[case[0] for case in KINDS])
async def test_a_function_is_asked_before_each_request_and_not_before(kind: Callable[[Rotating], Any]) -> None:
    tokens = Rotating()
    async with ReplayServer(Answer(["Hi"])) as server:
        async with Client("openai/gpt-5", api_key=kind(tokens), base_url=server.url) as client:
            assert tokens.asked == 0
            await client.send("Hello")
            await client.send("Hello")
    assert [request.headers["authorization"] for request in server.requests] == [
        f"Bearer {TOKEN}-1",
        f"Bearer {TOKEN}-2",
    ]


async def test_a_function_that_may_block_runs_in_a_thread_and_is_abandoned_with_its_request() -> None:
    begun, over = threading.Event(), threading.Event()

    def slow() -> str:
        begun.set()
        over.wait(10)
        return TOKEN

    async with ReplayServer(Answer(["Hi"])) as server:
        async with Client("openai/gpt-5", api_key=slow, base_url=server.url) as client:
            with anyio.move_on_after(0.05) as scope:
                await client.send("Hello")
    over.set()
    assert scope.cancelled_caught
    assert begun.is_set()
    assert server.requests == []


async def test_an_agent_takes_a_function_too() -> None:
    tokens = Rotating()
    async with ReplayServer(Answer(["Hi"])) as server:
        for agent in (
            Agent("openai/gpt-5", api_key=tokens.waiting, base_url=server.url),
            await AgentBuilder("openai/gpt-5").api_key(tokens.plain).base_url(server.url).build(),
        ):
            async for _ in agent.run("Hello"):
                pass
            assert TOKEN not in f"{agent!r} {vars(agent)}"
    assert [request.headers["authorization"][-1] for request in server.requests] == ["1", "2"]


# Where a token goes that a function gave: in the header of the key, but at Azure, which knows tokens by another one.
HEADERS = [
    ("openai", "openai/gpt-5", "authorization", f"Bearer {TOKEN}", ()),
    ("anthropic", "anthropic/claude-haiku-4-5", "x-api-key", TOKEN, ("authorization",)),
    ("azure", "azure/gpt-5", "authorization", f"Bearer {TOKEN}", ("api-key",)),
]


@pytest.mark.parametrize(
    ("model", "header", "value", "absent"), [case[1:] for case in HEADERS], ids=[case[0] for case in HEADERS]
)
async def test_a_token_goes_where_the_vendor_looks_for_it(
    model: str, header: str, value: str, absent: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "a-key-that-the-function-replaces")
    async with ReplayServer(Answer(["Hi"])) as server:
        async with Client(model, api_key=lambda: TOKEN, base_url=server.url) as client:
            await client.send("Hello", max_tokens=5)
    sent = server.requests[0].headers
    assert sent[header] == value
    assert not set(absent) & set(sent)


async def test_a_header_of_the_callers_wins_over_a_token() -> None:
    async with ReplayServer(Answer(["Hi"])) as server:
        headers = {"Authorization": "Token mine"}
        async with Client("openai/gpt-5", api_key=lambda: TOKEN, base_url=server.url, headers=headers) as client:
            await client.send("Hello")
    assert server.requests[0].headers["authorization"] == "Token mine"


UNFIT: list[tuple[str, Any, str]] = [
    ("nothing", None, "is no string but NoneType"),
    ("bytes", TOKEN.encode(), "is no string but bytes"),
    ("empty", "", "is empty"),
    ("blank", " \n", "is empty"),
    ("line end", f"{TOKEN}\nx-evil: 1", "holds a line end"),
    ("other script", f"{TOKEN}ключ", "holds a character that no HTTP header can"),
]


@pytest.mark.parametrize(("token", "message"), [case[1:] for case in UNFIT], ids=[case[0] for case in UNFIT])
async def test_a_token_that_cannot_be_sent_is_a_config_error_that_does_not_show_it(token: Any, message: str) -> None:
    async with ReplayServer(Answer(["Hi"])) as server:
        async with Client("openai/gpt-5", api_key=lambda: token, base_url=server.url) as client:
            with pytest.raises(
                ConfigError, match=rf"the token for openai, as api_key\(\) returned it, {message}"
            ) as bad:
                await client.send("Hello")
    assert server.requests == []
    assert TOKEN not in shown(bad.value)


async def test_what_the_function_raises_is_raised_and_the_client_goes_on() -> None:
    answers = iter([LookupError("the vault is sealed"), TOKEN])

    async def token() -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async with ReplayServer(Answer(["Hi"])) as server:
        async with Client("openai/gpt-5", api_key=token, base_url=server.url) as client:
            with pytest.raises(LookupError, match="sealed"):
                await client.send("Hello")
            assert (await client.send("Hello")).message.text == "Hi"


ECHOES = [
    ("before the stream", Reply(status=401, body=f'{{"error":{{"message":"bad {TOKEN}"}}}}'.encode())),
    ("inside the stream", Reply(body=f'data: {{"error":{{"message":"bad {TOKEN}","code":401}}}}\n\n'.encode())),
]


@pytest.mark.parametrize("reply", [case[1] for case in ECHOES], ids=[case[0] for case in ECHOES])
async def test_a_token_that_the_server_echoes_is_taken_out_of_the_error(reply: Reply) -> None:
    async with ReplayServer(reply) as server:
        async with Client("openai/gpt-5", api_key=lambda: TOKEN, base_url=server.url) as client:
            with pytest.raises(AuthenticationError) as caught:
                await client.send("Hello")
            assert TOKEN not in f"{client!r} {vars(client)}"
    assert "[redacted]" in str(caught.value)
    assert TOKEN not in shown(caught.value)


def test_what_is_neither_a_key_nor_a_function_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="api_key must be a string, or a function that returns one, not int"):
        Client("openai/gpt-5", api_key=7)
