import anyio
import h11
import httpx
import pytest

from streamkit.testing.answers import Answer
from streamkit.testing.chunking import bytewise
from streamkit.testing.mutations import split_frames
from streamkit.testing.replies import Reply, error_reply
from streamkit.testing.scripts import render
from streamkit.testing.server import ReplayServer

ANSWER = Answer(["Hello, world, this is a longer text."])


async def eventually(condition):
    with anyio.fail_after(2):
        while not condition():  # noqa: ASYNC110 - the server has no events to wait for
            await anyio.sleep(0.005)


@pytest.fixture
async def client():
    async with httpx.AsyncClient(timeout=5, trust_env=False) as client:
        yield client


async def test_both_dialects_are_served_under_one_url(client):
    async with ReplayServer(ANSWER, piece=3) as server:
        chat = await client.post(f"{server.url}/chat/completions")
        messages = await client.post(f"{server.url}/v1/messages")
    assert chat.content == render(ANSWER, "openai-chat", piece=3)
    assert messages.content == render(ANSWER, "anthropic", piece=3)
    assert chat.headers["transfer-encoding"] == "chunked"


async def test_requests_are_kept_and_a_connection_serves_many(client):
    async with ReplayServer([b"a", b"b"]) as server:
        await client.post(f"{server.url}/x?y=1", json={"n": 1}, headers={"X-Api-Key": "k"})
        await client.post(f"{server.url}/x", content=b"z" * 300_000)
        assert server.connections == 1
        await eventually(lambda: server.served == 2)
    first, second = server.requests
    assert (first.method, first.path, first.json, first.headers["x-api-key"]) == ("POST", "/x?y=1", {"n": 1}, "k")
    assert second.body == b"z" * 300_000


async def test_errors_have_their_status_and_headers(client):
    async with ReplayServer(error_reply(529, "full", "overloaded_error", headers={"retry-after": "3"})) as server:
        response = await client.post(f"{server.url}/v1/messages")
    assert (response.status_code, response.headers["retry-after"]) == (529, "3")
    assert response.json()["error"]["type"] == "overloaded_error"


async def test_pieces_come_one_by_one_at_the_pace_asked_for(client):
    body = render(ANSWER)
    frames = split_frames(body)
    async with ReplayServer(body, pace_s=0.01) as server:
        start = anyio.current_time()
        async with client.stream("POST", server.url) as response:
            pieces = [piece async for piece in response.aiter_raw()]
        elapsed = anyio.current_time() - start
    assert pieces == frames
    assert (len(frames) - 1) * 0.01 - 0.001 <= elapsed


async def test_a_body_cut_into_bytes_arrives_whole(client):
    async with ReplayServer(ANSWER, cut=bytewise) as server:
        assert (await client.post(server.url)).content == render(ANSWER)


async def test_a_dropped_connection_is_seen_as_one(client):
    async with ReplayServer(Reply(body=ANSWER, ends="drops")) as server:
        with pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"):
            await client.post(server.url)
        await eventually(lambda: server.connections == 0)
        assert server.served == 0


@pytest.mark.parametrize(
    "reply",
    [Reply(body=ANSWER, ends="hangs"), Reply(body=ANSWER, delay_s=60), Reply(body=ANSWER, pace_s=60)],
    ids=["no end", "no head", "no next piece"],
)
async def test_a_client_that_goes_away_ends_its_reply(client, reply):
    async with ReplayServer(reply) as server:
        with anyio.move_on_after(0.1) as scope:
            await client.post(server.url)
        assert scope.cancelled_caught
        await eventually(lambda: server.connections == 0)
        assert len(server.requests) == 1


async def test_many_clients_are_served_at_once(client):
    async with ReplayServer(ANSWER, pace_s=0.005) as server, anyio.create_task_group() as tasks:
        bodies = []

        async def get():
            bodies.append((await client.post(server.url)).content)

        for _ in range(20):
            tasks.start_soon(get)
        await eventually(lambda: server.connections == 20)
    assert bodies == [render(ANSWER)] * 20


async def test_the_end_of_the_block_ends_the_server_in_the_middle_of_a_reply(client):
    async with anyio.create_task_group() as tasks:

        async def ask(url):
            with pytest.raises(httpx.HTTPError):
                await client.post(url)

        async with ReplayServer(Reply(body=ANSWER, ends="hangs")) as server:
            tasks.start_soon(ask, server.url)
            await eventually(lambda: server.requests)
    assert server.connections == 0
    with pytest.raises(httpx.ConnectError):
        await client.post(server.url)


async def test_an_error_in_the_block_passes_as_it_is():
    with pytest.raises(ValueError, match="mine"):
        async with ReplayServer(ANSWER):
            raise ValueError("mine")


async def test_cancelling_the_block_ends_the_server():
    with anyio.move_on_after(0.02) as scope:
        async with ReplayServer(ANSWER):
            await anyio.sleep_forever()
    assert scope.cancelled_caught


async def test_an_error_in_a_handler_is_answered_and_raised_at_the_end(client):
    def handler(request):
        assert request.path == "/expected"

    with pytest.raises(AssertionError, match="/other"):
        async with ReplayServer(handler) as server:
            response = await client.post(f"{server.url}/other")
            assert response.status_code == 500
            assert "the handler raised AssertionError" in response.json()["error"]["message"]


async def test_headers_are_latin_1_as_real_servers_send_them(client):
    async with ReplayServer(Reply(body=b"ok", headers={"x-name": "Zürich"})) as server:
        response = await client.post(server.url)
    assert response.headers.raw[0] == (b"x-name", "Zürich".encode("latin-1"))


@pytest.mark.parametrize("value", ["日本", "a\nb"])
async def test_a_header_that_cannot_be_sent_is_answered_and_raised_at_the_end(client, value):
    with pytest.raises((ValueError, h11.LocalProtocolError)):
        async with ReplayServer(Reply(headers={"x-name": value})) as server:
            assert (await client.post(server.url)).status_code == 500


async def test_what_is_not_http_is_hung_up_on():
    async with ReplayServer(ANSWER) as server:
        async with await anyio.connect_tcp("127.0.0.1", int(server.url.rpartition(":")[2])) as stream:
            await stream.send(b"hello there\r\n\r\n")
            with pytest.raises(anyio.EndOfStream):
                await stream.receive()
        await eventually(lambda: server.connections == 0)
        assert server.requests == []


async def test_a_client_that_waits_for_100_continue_is_told_to_go_on():
    async with ReplayServer(b"ok") as server:
        async with await anyio.connect_tcp("127.0.0.1", int(server.url.rpartition(":")[2])) as stream:
            await stream.send(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n")
            assert (await stream.receive()).startswith(b"HTTP/1.1 100")
            await stream.send(b"hi")
            assert (await stream.receive()).startswith(b"HTTP/1.1 200")
        assert server.requests[0].body == b"hi"
