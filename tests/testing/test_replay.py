import anyio
import httpx
import pytest

from streamkit.testing.answers import Answer
from streamkit.testing.chunking import bytewise
from streamkit.testing.replay import ReplayTransport
from streamkit.testing.replies import Reply, error_reply
from streamkit.testing.scripts import render

URL = "http://replay.test/v1/messages?beta=true"


async def test_a_body_is_read_in_the_pieces_of_its_reply():
    body = render(Answer(["hello"]), "anthropic")
    async with httpx.AsyncClient(transport=ReplayTransport(body, cut=bytewise)) as client:
        async with client.stream("POST", URL) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            assert [piece async for piece in response.aiter_raw()] == bytewise(body)


async def test_an_answer_is_rendered_in_the_dialect_of_the_path():
    transport = ReplayTransport(Answer(["hello"]), piece=2)
    async with httpx.AsyncClient(transport=transport) as client:
        assert (await client.post(URL)).content == render(Answer(["hello"]), "anthropic", piece=2)
        chat = await client.post("http://replay.test/chat/completions")
        assert chat.content == render(Answer(["hello"]), piece=2)


async def test_requests_are_kept():
    transport = ReplayTransport([b"a", error_reply(429, "slow")])
    async with httpx.AsyncClient(transport=transport) as client:
        await client.post(URL, json={"n": 1}, headers={"X-Api-Key": "k"})
        assert (await client.post(URL)).status_code == 429
    first = transport.requests[0]
    assert (first.method, first.path, first.json, first.headers["x-api-key"]) == (
        "POST",
        "/v1/messages?beta=true",
        {"n": 1},
        "k",
    )


async def test_open_streams_are_counted_until_read_or_closed():
    transport = ReplayTransport(b"abc", cut=bytewise)
    async with httpx.AsyncClient(transport=transport) as client:
        async with client.stream("POST", URL):
            assert transport.open_streams == 1
        assert transport.open_streams == 0
        await client.post(URL)
        assert transport.open_streams == 0


async def test_a_dropped_body_fails_as_a_dropped_connection_does():
    transport = ReplayTransport(Reply(body=b"abc", ends="drops"))
    async with httpx.AsyncClient(transport=transport) as client:
        async with client.stream("POST", URL) as response:
            pieces = response.aiter_raw()
            assert await anext(pieces) == b"abc"
            with pytest.raises(httpx.RemoteProtocolError, match="peer closed connection"):
                await anext(pieces)
    assert transport.open_streams == 0


async def test_a_body_may_hang_until_the_reader_leaves():
    transport = ReplayTransport(Reply(body=b"abc", ends="hangs"))
    async with httpx.AsyncClient(transport=transport) as client:
        with anyio.move_on_after(0.05) as scope:
            await client.post(URL)
    assert scope.cancelled_caught
    assert transport.open_streams == 0


async def test_pieces_come_at_the_pace_asked_for():
    transport = ReplayTransport(b"abcd", cut=bytewise, pace_s=0.02, delay_s=0.03)
    async with httpx.AsyncClient(transport=transport) as client:
        start = anyio.current_time()
        await client.post(URL)
        assert anyio.current_time() - start >= 0.03 + 3 * 0.02 - 0.001
