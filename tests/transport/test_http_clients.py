from __future__ import annotations

import sys

import anyio
import pytest

from streamkit.client import Client
from streamkit.errors import ConfigError
from streamkit.testing import Answer, ReplayServer
from streamkit.transport.http_clients import KINDS, load_libraries, new_http_client

ANSWER = Answer(["It is sunny in Oslo."])


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, anyio_backend_name: str) -> str:
    if request.param == "aiohttp" and anyio_backend_name == "trio":
        pytest.skip(reason="aiohttp runs on asyncio alone")
    return str(request.param)


async def test_a_client_of_each_kind_is_made_by_its_name(kind: str) -> None:
    async with ReplayServer(ANSWER) as server:
        async with Client("openai/m", api_key="k", base_url=server.url, http_client=kind) as client:
            for _ in range(2):
                assert (await client.send("How is it?")).message.text == "It is sunny in Oslo."
            assert server.connections == 1
        with anyio.fail_after(1):
            while server.connections:  # noqa: ASYNC110 - the server has no event for it
                await anyio.sleep(0.001)


async def test_a_client_of_each_kind_has_no_limit_of_connections(kind: str) -> None:
    async with ReplayServer(ANSWER, pace_s=0.05) as server, new_http_client(kind) as http:
        async with Client("openai/m", api_key="k", base_url=server.url, http_client=http) as client:
            async with anyio.create_task_group() as tasks:
                for _ in range(120):
                    tasks.start_soon(client.send, "How is it?")
                with anyio.fail_after(10):
                    while server.connections < 120:  # noqa: ASYNC110 - the server has no event for it
                        await anyio.sleep(0.001)


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_aiohttp_is_refused_on_trio(anyio_backend: str) -> None:
    client = Client("openai/m", api_key="k", http_client="aiohttp")
    with pytest.raises(ConfigError, match="asyncio alone"):
        await client.send("How is it?")


@pytest.mark.parametrize("kind", ["requests", "", "HTTPX"])
def test_an_unknown_kind_is_named(kind: str) -> None:
    with pytest.raises(ConfigError, match=f"no http client {kind!r}; known are httpx, httpx2, aiohttp, http2"):
        Client("openai/m", api_key="k", http_client=kind)


@pytest.mark.parametrize(("kind", "library"), [(kind, library) for kind, library in KINDS.items() if library])
def test_a_kind_that_is_not_installed_names_its_extra(kind: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ConfigError, match=rf"needs the extra `{kind}`: pip install '\.\[{kind}\]'"):
        load_libraries(kind)
