from __future__ import annotations

import anyio
import pytest

from streamkit.client import Client
from streamkit.errors import TransportError
from streamkit.testing import Answer, ReplayServer, Reply
from streamkit.transport import pools
from streamkit.transport.pools import SIZE, Pools


async def test_no_client_has_more_streams_than_its_size() -> None:
    made = Pools()
    taken = [made.take() for _ in range(2 * SIZE + 1)]
    assert len(set(taken)) == 3
    assert max(map(taken.count, taken)) == SIZE
    await made.aclose()
    assert all(http.is_closed for http in taken)


async def test_the_first_client_with_room_is_used_again() -> None:
    made = Pools()
    first, *others = [made.take() for _ in range(SIZE + 1)]
    assert others[-1] is not first
    made.give_back(first)
    assert made.take() is first
    assert made.take() is others[-1]
    await made.aclose()
    made.give_back(first)
    assert made.take() is not first
    await made.aclose()


async def test_streams_share_clients_and_give_back_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "SIZE", 3)
    async with ReplayServer(Reply(body=Answer(["Hi."]), pace_s=0.005)) as server:
        async with Client("openai/m", api_key="k", base_url=server.url) as client:
            async with anyio.create_task_group() as tasks:
                for _ in range(8):
                    tasks.start_soon(client.send, "Hello")
            (made,) = client._own.values()
            assert list(made._streams.values()) == [0, 0, 0]
            with anyio.move_on_after(0.05):
                async with client.stream("Hello"):
                    assert list(made._streams.values()) == [1, 0, 0]
                    await anyio.sleep_forever()
            assert list(made._streams.values()) == [0, 0, 0]
        assert made._streams == {}


async def test_a_place_is_given_back_where_no_stream_began() -> None:
    async with Client("openai/m", api_key="k", base_url="http://127.0.0.1:1") as client:
        with pytest.raises(TransportError):
            await client.send("Hello")
        (made,) = client._own.values()
        assert list(made._streams.values()) == [0]
