from __future__ import annotations

import gc
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from types import ModuleType
from typing import Any

import anyio
import httpx
import httpx2
import httpx_aiohttp
import msgspec
import pytest

from streamkit.accumulator import Accumulator, accumulate
from streamkit.client import Client, Stream
from streamkit.deltas import Delta, MessageEnd, MessageStart, RawFrame, TextDelta, TextStart
from streamkit.errors import (
    APIError,
    ConfigError,
    Overloaded,
    ProtocolError,
    StreamkitError,
    TransportError,
    TransportTimeout,
    TruncatedStream,
)
from streamkit.messages import FinishReason, Message, MessageOutput
from streamkit.protocols import Quirks
from streamkit.providers import Provider
from streamkit.testing import (
    Answer,
    Call,
    Received,
    ReplayServer,
    ReplayTransport,
    Reply,
    Thinking,
    render,
    render_error,
)
from streamkit.testing.chunking import CHUNKINGS
from streamkit.testing.mutations import heartbeats, no_last_blank_line, split_frames
from streamkit.tools import tool

KEY = "sk-live-0123456789abcdef"
ANSWER = Answer([Thinking("Let me look."), "It is sunny in Oslo.", Call("weather", {"city": "Oslo"})])
# Reading the certificates for a client takes 80 ms, and no test here speaks TLS: hence `verify=False` below.
LIBRARIES = pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
MODELS = pytest.mark.parametrize("model", ["openai/gpt-5", "anthropic/claude-haiku-4-5"], ids=["openai", "anthropic"])


def protocol_of(model: str) -> str:
    return "anthropic" if model.startswith("anthropic") else "openai-chat"


def client_at(server: ReplayServer, model: str = "openai/gpt-5", **options: Any) -> Client:
    return Client(model, api_key=KEY, base_url=server.url, **{"retry": 0, **options})


async def read(stream: Stream) -> list[Delta]:
    return [delta async for delta in stream]


async def closed(server: ReplayServer) -> None:
    """Wait until the server has seen every connection closed, a second at most."""
    with anyio.fail_after(1):
        while server.connections:  # noqa: ASYNC110 - the server has no event for it
            await anyio.sleep(0.001)


def bare(output: MessageOutput) -> MessageOutput:
    return msgspec.structs.replace(output, timing=None)


# ---- making a client


def test_a_client_knows_its_provider_and_model() -> None:
    client = Client("openrouter/anthropic/claude", api_key=KEY)
    assert (client.provider.name, client.model) == ("openrouter", "anthropic/claude")


ACME = Provider(name="acme", protocol="anthropic", base_url="https://api.acme.example", key_variable="ACME_API_KEY")


@pytest.mark.parametrize("model", ["acme/big", "big"])
def test_a_provider_of_ones_own_needs_only_the_models_name(model: str) -> None:
    client = Client(model, provider=ACME, api_key=KEY)
    assert (client.provider, client.model) == (ACME, "big")


def test_the_key_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_API_KEY", KEY)
    assert KEY not in repr(Client("big", provider=ACME))


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("model", {"model": "gpt-5"}, "provider/model"),
    ("provider", {"model": "nobody/gpt-5"}, "unknown provider 'nobody'"),
    ("no key", {"api_key": None}, "no key for openai: set OPENAI_API_KEY"),
    ("key", {"api_key": "a\nb"}, "holds a line end"),
    ("base URL", {"base_url": "localhost:8000"}, "must begin with https"),
    ("base URL that is none", {"base_url": httpx.URL("https://a.test")}, "base_url must be a string, not URL"),
    ("header", {"headers": {"x": "a\nb"}}, "the header x holds a line end"),
    ("http client that is not async", {"http_client": httpx.Client(verify=False)}, "httpx.AsyncClient .*not Client"),
    ("http client that is none", {"http_client": 5}, "httpx.AsyncClient .*not int"),
]


@pytest.mark.parametrize(("options", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_is_wrong_is_said_when_the_client_is_made(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], message: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=message):
        Client(**{"model": "openai/gpt-5", "api_key": KEY, **options})


def test_repr_shows_the_model_and_the_address_and_no_key() -> None:
    client = Client("openai/gpt-5", api_key=KEY, base_url="http://127.0.0.1:1/v1", headers={"x-token": KEY})
    assert repr(client) == "<Client 'gpt-5' of openai at http://127.0.0.1:1/v1>"


# ---- asking


@MODELS
async def test_a_request_says_what_was_asked_for(model: str) -> None:
    @tool
    def weather(city: str) -> str:
        """Say how the weather is."""
        return city

    async with ReplayServer(ANSWER) as server, client_at(server, model, headers={"X-Title": "demo"}) as client:
        await client.send("How is it?", tools=[weather], max_tokens=50, stop="END", top_a=0.5)
    (request,) = server.requests
    body = request.json
    assert body["model"] == client.model
    assert body["stream"] is True
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert "weather" in str(body["tools"])
    assert body["top_a"] == 0.5
    assert body["stop" if model.startswith("openai") else "stop_sequences"] == ["END"]
    assert request.headers["accept"] == "text/event-stream"
    assert request.headers["x-title"] == "demo"
    assert KEY in (request.headers.get("x-api-key") or request.headers["authorization"])
    assert KEY not in request.path


@MODELS
@LIBRARIES
async def test_the_deltas_and_the_output_are_those_of_the_body(library: ModuleType, model: str) -> None:
    async with ReplayServer(ANSWER) as server, library.AsyncClient(verify=False) as http:
        client = client_at(server, model, http_client=http)
        async with client.stream("How is it?", max_tokens=50) as stream:
            deltas = await read(stream)
    parser = client.provider.parser()
    body = render(ANSWER, protocol_of(model))
    expected = parser.feed(body) + parser.finish()
    assert deltas == expected
    assert bare(stream.output) == accumulate(expected)
    assert stream.output.provider == client.provider.name
    assert stream.status == 200


@MODELS
@pytest.mark.parametrize("cut", CHUNKINGS.values(), ids=CHUNKINGS)
async def test_any_cut_of_the_body_gives_the_same_output(model: str, cut: Callable[[bytes], list[bytes]]) -> None:
    body = render(ANSWER, protocol_of(model))
    transport = ReplayTransport(Reply(body=body, cut=cut))
    async with httpx.AsyncClient(transport=transport) as http:
        client = Client(model, api_key=KEY, base_url="http://a.test", http_client=http)
        output = await client.send("How is it?", max_tokens=50)
        assert transport.open_streams == 0
    assert output.message.text == "It is sunny in Oslo."
    assert output.message.thinking == "Let me look."
    assert output.finish_reason is not None
    assert output.finish_reason.type == "tool_call"


async def test_output_may_be_read_at_any_delta_and_does_not_change_afterwards() -> None:
    async with ReplayServer(ANSWER) as server, client_at(server) as client:
        async with client.stream("How is it?") as stream:
            seen: list[tuple[MessageOutput, bytes]] = []
            shadow = Accumulator()
            async for delta in stream:
                shadow.feed(delta)
                assert bare(stream.output) == shadow.snapshot()
                seen.append((stream.output, msgspec.json.encode(stream.output)))
    assert all(msgspec.json.encode(output) == then for output, then in seen)


async def test_outputs_has_every_choice() -> None:
    def chunk(**choice: Any) -> bytes:
        return b"data: " + msgspec.json.encode({"id": "r", "choices": [choice]}) + b"\n\n"

    body = b"".join(
        chunk(index=number, delta={"content": text}, finish_reason="stop") for number, text in enumerate("ab")
    )
    async with ReplayServer(body + b"data: [DONE]\n\n") as server, client_at(server) as client:
        async with client.stream("Hello", n=2) as stream:
            await read(stream)
    assert [output.message.text for output in stream.outputs] == ["a", "b"]
    assert stream.output.message.text == "a"
    assert server.requests[0].json["n"] == 2


async def test_a_frame_comes_raw_ahead_of_its_deltas_where_it_is_asked_for() -> None:
    async with ReplayServer(ANSWER) as server, client_at(server) as client:
        async with client.stream("How is it?", include_raw=True) as stream:
            deltas = await read(stream)
    assert isinstance(deltas[0], RawFrame)
    assert sum(isinstance(delta, RawFrame) for delta in deltas) == len(split_frames(render(ANSWER)))
    assert "include_raw" not in server.requests[0].json


async def test_heartbeats_are_counted() -> None:
    body = heartbeats(render(ANSWER))
    async with ReplayServer(body) as server, client_at(server) as client:
        async with client.stream("How is it?") as stream:
            assert stream.heartbeats == 0
            await read(stream)
            assert stream.heartbeats >= len(split_frames(render(ANSWER)))


async def test_the_request_id_is_that_of_the_headers() -> None:
    headers = {"content-type": "text/event-stream", "x-request-id": "req_1"}
    async with ReplayServer(Reply(body=ANSWER, headers=headers)) as server, client_at(server) as client:
        stream = client.stream("How is it?")
        assert stream.request_id is stream.status is None
        async with stream:
            assert stream.request_id == "req_1"


async def test_the_stamps_are_in_order_and_the_first_token_is_that_of_its_read() -> None:
    body = split_frames(render(Answer(["Hello there"]), piece=5))
    async with ReplayServer(Reply(body=body, pace_s=0.02)) as server, client_at(server) as client:
        async with client.stream("Hello") as stream:
            deltas = aiter(stream)
            assert isinstance(await anext(deltas), MessageStart)
            assert stream.timing.first_byte_ns is not None
            assert stream.timing.first_token_ns is None
            assert isinstance(await anext(deltas), TextStart)
            assert stream.timing.first_token_ns is not None
            assert stream.timing.end_ns is None
        output = await client.send("Hello")
    timing = output.timing
    assert timing is not None
    stamps = [timing.sent_ns, timing.headers_ns, timing.first_byte_ns, timing.first_token_ns, timing.end_ns]
    assert all(isinstance(stamp, int) and stamp > 0 for stamp in stamps)
    assert stamps == sorted(stamps)
    assert timing.first_byte_ns != timing.first_token_ns
    assert timing.duration_s is not None
    assert timing.duration_s > 0.02 * (len(body) - 2)


# ---- one pass, inside the block


async def test_a_stream_is_read_inside_its_block_and_once() -> None:
    async with ReplayServer(ANSWER) as server, client_at(server) as client:
        stream = client.stream("How is it?")
        with pytest.raises(ConfigError, match="open the stream first"):
            aiter(stream)
        async with stream:
            await read(stream)
            with pytest.raises(ConfigError, match="read once"):
                aiter(stream)
        with pytest.raises(ConfigError, match="opened once"):
            await stream.__aenter__()
    assert len(server.requests) == 1


async def test_nothing_is_sent_before_the_block() -> None:
    async with ReplayServer(ANSWER) as server, client_at(server) as client:
        client.stream("How is it?")
        with pytest.raises(ConfigError):
            client.stream([])
        await anyio.sleep(0.02)
        assert server.requests == []


async def test_a_stream_may_be_read_under_aclosing() -> None:
    async with ReplayServer(Reply(body=ANSWER, ends="hangs", pace_s=0.001)) as server, client_at(server) as client:
        async with client.stream("How is it?") as stream:
            async with aclosing(aiter(stream)) as deltas:
                async for _ in deltas:
                    break
            await closed(server)


async def test_a_stream_that_is_not_read_is_closed() -> None:
    async with ReplayServer(Reply(body=ANSWER, ends="hangs")) as server, client_at(server) as client:
        async with client.stream("How is it?"):
            pass
        await closed(server)


async def test_a_stream_closed_by_its_own_reader_just_ends() -> None:
    async with ReplayServer(Reply(body=ANSWER, ends="hangs", pace_s=0.01)) as server, client_at(server) as client:
        async with client.stream("How is it?") as stream:
            read_ = 0
            async for _ in stream:
                read_ += 1
                await stream.aclose()
            assert read_ == 1
            await closed(server)


async def test_a_stream_closed_while_another_task_reads_it_is_an_error_there() -> None:
    cut = Reply(body=split_frames(render(ANSWER))[:4], ends="hangs")
    async with ReplayServer(cut) as server, client_at(server) as client, client.stream("How is it?") as stream:

        async def consume() -> None:
            with pytest.raises(TransportError, match="was closed while it was being read") as caught:
                await read(stream)
            assert caught.value.partial is not None

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(consume)
            await anyio.sleep(0.1)
            await stream.aclose()
        await closed(server)


# ---- how a stream ends


@MODELS
async def test_a_connection_is_used_again_after_a_whole_answer(model: str) -> None:
    async with ReplayServer(ANSWER) as server, client_at(server, model) as client:
        for _ in range(3):
            await client.send("How is it?", max_tokens=50)
            assert server.connections == 1
    await closed(server)


@pytest.mark.feature("D: pi#7954")
@MODELS
async def test_reading_stops_at_the_providers_end_though_the_body_does_not(model: str) -> None:
    body = render(ANSWER, protocol_of(model))
    async with ReplayServer(Reply(body=body, ends="hangs")) as server, client_at(server, model) as client:
        with anyio.fail_after(2):
            output = await client.send("How is it?", max_tokens=50)
        await closed(server)
    assert output.message.text == "It is sunny in Oslo."


@MODELS
@LIBRARIES
@pytest.mark.parametrize("blank_line", [True, False], ids=["with blank line", "without"])
async def test_a_connection_that_breaks_after_the_last_word_has_spoilt_nothing(
    library: ModuleType, model: str, blank_line: bool
) -> None:
    body = render(ANSWER, protocol_of(model))
    body = body if blank_line else no_last_blank_line(body)
    async with ReplayServer(Reply(body=body, ends="drops")) as server, library.AsyncClient(verify=False) as http:
        output = await client_at(server, model, http_client=http).send("How is it?", max_tokens=50)
    assert output.message.text == "It is sunny in Oslo."


@pytest.mark.feature("D: pi#8460", "D: pi#8496")
@MODELS
@LIBRARIES
@pytest.mark.parametrize("ends", ["whole", "drops"])
async def test_an_answer_cut_short_is_truncated_with_all_that_was_shown(
    library: ModuleType, model: str, ends: Any
) -> None:
    frames = split_frames(render(ANSWER, protocol_of(model)))
    for count in range(1, len(frames) - 3, 3):
        shown: list[Delta] = []
        async with (
            ReplayServer(Reply(body=frames[:count], ends=ends)) as server,
            library.AsyncClient(verify=False) as http,
        ):
            with pytest.raises(TruncatedStream) as caught:
                async with client_at(server, model, http_client=http).stream("Hello", max_tokens=50) as stream:
                    async for delta in stream:
                        shown.append(delta)  # noqa: PERF401 - each as it comes, whatever follows
            if ends == "drops":
                await closed(server)
        partial = caught.value.partial
        assert partial is not None
        assert caught.value.deltas == []
        shadow = Accumulator()
        for delta in shown:
            shadow.feed(delta)
        assert bare(partial) == shadow.snapshot() == bare(stream.output)
        assert partial.finish_reason is None
        assert caught.value.__context__ is None


async def test_a_finish_that_is_only_assumed_does_not_survive_a_broken_connection() -> None:
    provider = Provider(
        name="acme", protocol="openai-chat", base_url="http://a", quirks=Quirks(end_without_finish=True)
    )
    body = b"".join(split_frames(render(Answer(["Hello there"])))[:-3])
    async with ReplayServer([Reply(body=body), Reply(body=body, ends="drops")]) as server:
        async with Client("m", provider=provider, base_url=server.url) as client:
            assert (await client.send("Hello")).finish_reason == FinishReason("stop", synthesized=True)
            with pytest.raises(TruncatedStream) as caught:
                await client.send("Hello")
    assert caught.value.partial is not None
    assert caught.value.partial.message.text == "Hello there"
    assert caught.value.partial.finish_reason is None


@MODELS
async def test_an_error_inside_the_stream_has_what_came_before_it(model: str) -> None:
    frames = split_frames(render(ANSWER, protocol_of(model)))
    body = b"".join(frames[:8]) + render_error(protocol_of(model))
    headers = {"content-type": "text/event-stream", "x-request-id": "req_7"}
    async with ReplayServer(Reply(body=body, headers=headers)) as server, client_at(server, model) as client:
        shown: list[Delta] = []
        with pytest.raises(Overloaded) as caught:
            async with client.stream("How is it?", max_tokens=50) as stream:
                async for delta in stream:
                    shown.append(delta)  # noqa: PERF401 - each as it comes, whatever follows
    assert caught.value.request_id == "req_7"
    assert caught.value.partial is not None
    assert bare(caught.value.partial).message == accumulate(shown).message


@MODELS
async def test_a_broken_frame_is_an_error_with_what_came_before_it(model: str) -> None:
    frames = split_frames(render(ANSWER, protocol_of(model)))
    name = frames[4].partition(b"data:")[0]
    body = b"".join(frames[:4]) + name + b'data: {"broken\n\n' + b"".join(frames[4:])
    async with ReplayServer(body) as server, client_at(server, model) as client:
        with pytest.raises(ProtocolError) as caught:
            await client.send("How is it?", max_tokens=50)
    assert caught.value.partial is not None
    assert caught.value.partial.message.thinking


async def test_silence_inside_the_stream_is_a_timeout_with_what_came_before_it() -> None:
    cut = Reply(body=split_frames(render(ANSWER))[:6], ends="hangs")
    async with ReplayServer(cut) as server, client_at(server, read_timeout_s=0.1) as client:
        with pytest.raises(TransportTimeout, match="openai at 127.0.0.1.*read_timeout_s") as caught:
            await client.send("How is it?")
        await closed(server)
    assert caught.value.partial is not None
    assert caught.value.partial.message.thinking


async def test_an_empty_answer_is_truncated() -> None:
    async with ReplayServer(b"") as server, client_at(server) as client:
        with pytest.raises(TruncatedStream) as caught:
            await client.send("How is it?")
    assert caught.value.partial is not None
    assert caught.value.partial.message == Message("assistant")


async def test_an_error_before_the_stream_is_raised_on_entering_the_block() -> None:
    headers = {"content-type": "application/json", "request-id": "req_3"}
    bad = Reply(body=b'{"error":{"message":"no such model"}}', status=404, headers=headers)
    async with ReplayServer(bad) as server, client_at(server) as client:
        with pytest.raises(APIError, match="no such model") as caught:
            async with client.stream("How is it?"):
                pytest.fail("the block was entered")
    assert (caught.value.status, caught.value.request_id, caught.value.partial) == (404, "req_3", None)


# ---- leaving the block at any point


class Left(Exception):
    """The consumer's own."""


def leaves(server: ReplayServer, how: str, stream: Stream, at: int) -> Callable[[], Any]:
    async def consume() -> None:
        count = 0
        async with stream:
            async for _ in stream:
                count += 1
                if count < at:
                    continue
                if how == "break":
                    break
                if how == "exception":
                    raise Left
                await anyio.sleep_forever()

    return consume


@pytest.mark.feature("D: pydantic-ai#5440")
@LIBRARIES
@MODELS
@pytest.mark.parametrize("how", ["break", "exception", "cancel"])
async def test_leaving_at_any_delta_closes_the_connection_and_leaves_no_task(
    library: ModuleType, model: str, how: str
) -> None:
    answer = Reply(body=split_frames(render(ANSWER, protocol_of(model))), pace_s=0.0005, ends="hangs")
    async with ReplayServer(answer) as server, library.AsyncClient(verify=False) as http:
        client = client_at(server, model, http_client=http)
        total = len(await read_all(client))
        await closed(server)
        for at in range(1, total + 1, 3):
            consume = leaves(server, how, client.stream("Hello", max_tokens=50), at)
            with anyio.move_on_after(0.05 if how == "cancel" else 5) as scope:
                if how == "exception":
                    with pytest.raises(Left):
                        await consume()
                else:
                    await consume()
            assert scope.cancelled_caught is (how == "cancel")
            await closed(server)
            assert not [task for task in tasks() if "aclose" in task or "athrow" in task]


async def read_all(client: Client) -> list[Delta]:
    async with client.stream("Hello", max_tokens=50) as stream:
        return await read(stream)


def tasks() -> list[str]:
    """What runs in this event loop, by the names of the coroutines."""
    return [f"{task.name} {task.coro!r}" for task in anyio.get_running_tasks()]


async def test_a_stream_cancelled_while_it_waits_for_bytes_is_closed() -> None:
    cut = Reply(body=split_frames(render(ANSWER))[:6], ends="hangs")
    async with ReplayServer(cut) as server, client_at(server) as client:
        with anyio.move_on_after(0.1) as scope:
            await client.send("How is it?")
        assert scope.cancelled_caught
        await closed(server)


async def test_a_stream_cancelled_while_it_opens_is_closed() -> None:
    async with ReplayServer(Reply(delay_s=30)) as server, client_at(server) as client:
        with anyio.move_on_after(0.1) as scope:
            await client.send("How is it?")
        assert scope.cancelled_caught
        await closed(server)


async def test_a_client_is_used_again_after_any_of_these() -> None:
    replies = [Reply(delay_s=30), Reply(body=b"", status=500), Reply(body=render(ANSWER)[:500]), Reply(body=ANSWER)]
    async with ReplayServer(replies) as server, client_at(server) as client:
        with anyio.move_on_after(0.1):
            await client.send("How is it?")
        for _ in range(2):
            with pytest.raises(StreamkitError):
                await client.send("How is it?")
        assert (await client.send("How is it?")).message.text == "It is sunny in Oslo."


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_the_aiohttp_transport_serves_as_well(anyio_backend: str) -> None:
    cut = split_frames(render(ANSWER))[:6]
    replies = [Reply(body=ANSWER), Reply(body=ANSWER, pace_s=0.001, ends="hangs"), Reply(body=cut, ends="drops")]
    async with ReplayServer(replies) as server, httpx_aiohttp.HttpxAiohttpClient() as http:
        client = client_at(server, http_client=http)
        assert (await client.send("How is it?")).message.text == "It is sunny in Oslo."
        async with client.stream("How is it?") as stream:
            async for _ in stream:
                break
        await closed(server)
        with pytest.raises(TruncatedStream) as caught:
            await client.send("How is it?")
    assert caught.value.partial is not None
    assert caught.value.partial.message.thinking


# ---- whose http client


async def test_an_http_client_of_the_callers_stays_open() -> None:
    async with ReplayServer(ANSWER) as server, httpx.AsyncClient(verify=False) as http:
        async with client_at(server, http_client=http) as client:
            await client.send("How is it?")
        assert not http.is_closed
        await client.send("How is it?")


async def test_closing_a_client_closes_its_connections_and_a_later_stream_makes_new_ones() -> None:
    async with ReplayServer(ANSWER) as server:
        client = client_at(server)
        await client.aclose()
        await client.send("How is it?")
        assert server.connections == 1
        await client.aclose()
        await closed(server)
        await client.send("How is it?")
        assert server.connections == 1
        await client.aclose()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_client_works_in_one_event_loop_after_another(backend: str) -> None:
    client = Client("openai/gpt-5", api_key=KEY, base_url="http://127.0.0.1:1")

    async def use() -> str:
        async with ReplayServer(ANSWER) as server:
            client._endpoint = client_at(server)._endpoint
            output = await client.send("How is it?")
            await client.aclose()
            return output.message.text

    for _ in range(3):
        assert anyio.run(use, backend=backend) == "It is sunny in Oslo."


async def test_a_twin_is_the_same_with_connections_of_its_own() -> None:
    async with ReplayServer(ANSWER) as server:
        client = client_at(server)
        twin = client.twin()
        await client.send("How is it?")
        await twin.send("How is it?")
        assert server.connections == 2
        assert repr(twin) == repr(client)
        await client.aclose()
        await twin.send("How is it?")
        await twin.aclose()
        await closed(server)
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    assert server.served == 3


def test_a_twin_has_twins_of_the_fallbacks_by_name_and_the_callers_own_clients() -> None:
    mine = Client("openai/gpt-5", api_key=KEY)
    client = Client("openai/gpt-5", api_key=KEY, fallback=["llamacpp/m", mine])
    named, given = client.twin().fallback
    assert named is not client.fallback[0]
    assert repr(named) == repr(client.fallback[0])
    assert given is mine


async def test_streams_of_one_client_run_side_by_side() -> None:
    answers = [Answer([f"answer {number} " * 20]) for number in range(20)]

    def reply(request: Received) -> Reply:
        return Reply(body=answers[int(request.json["user"])], pace_s=0.001)

    texts: dict[int, str] = {}
    async with ReplayServer(reply) as server, client_at(server) as client:

        async def ask(number: int) -> None:
            texts[number] = (await client.send("Which?", user=str(number))).message.text

        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(ask, number)
    assert texts == {number: f"answer {number} " * 20 for number in range(20)}


async def test_a_finished_stream_is_garbage_without_a_cycle_through_the_client() -> None:
    async with ReplayServer(ANSWER) as server, client_at(server) as client:
        stream = client.stream("How is it?")
        async with stream:
            await read(stream)
        gone = weakref.ref(stream.accumulator)
        del stream
        gc.collect()
        assert gone() is None


async def test_the_last_delta_is_the_messages_end() -> None:
    async with ReplayServer(ANSWER) as server, client_at(server) as client:
        async with client.stream("How is it?") as stream:
            deltas = await read(stream)
    assert isinstance(deltas[-1], MessageEnd)
    assert sum(isinstance(delta, MessageEnd) for delta in deltas) == 1


async def test_deltas_come_as_they_are_sent() -> None:
    gate = anyio.Event()
    frames = split_frames(render(Answer(["Hello there"]), piece=5))

    class Gated(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"".join(frames[:3])
            await gate.wait()
            yield b"".join(frames[3:])

    transport = httpx.MockTransport(lambda request: httpx.Response(200, stream=Gated()))
    async with httpx.AsyncClient(transport=transport) as http:
        client = Client("openai/gpt-5", api_key=KEY, base_url="http://a.test", http_client=http)
        async with client.stream("Hello") as stream:
            async for delta in stream:
                if isinstance(delta, TextDelta) and stream.output.message.text == "Hello there"[:10]:
                    assert not gate.is_set()
                    gate.set()
    assert gate.is_set()
    assert stream.output.message.text == "Hello there"


def test_a_provider_may_be_named_beside_the_model() -> None:
    client = Client("m", provider="llamacpp")
    assert (client.provider.name, client.model) == ("llamacpp", "m")


@pytest.mark.parametrize("model", [None, 5, "", "m"])
def test_a_model_that_names_no_provider_is_refused(model: object) -> None:
    with pytest.raises(ConfigError, match='must be "provider/model"'):
        Client(model)


# ---- going on with an answer that the provider keeps

KEPT = Answer([Thinking("Let me look."), "It is sunny in Oslo."])
EVENTS = split_frames(render(KEPT, "openai-responses"))


def kept_answer(first: int) -> Callable[[Received], Reply]:
    """A server that drops the connection after `first` events and half of the next, and keeps the answer."""

    def reply(request: Received) -> Reply:
        if request.method == "POST":
            return Reply(body=b"".join(EVENTS[:first]) + EVENTS[first][:20], ends="drops")
        assert request.body == b""
        assert "content-type" not in request.headers
        _, _, after = request.path.partition("starting_after=")
        return Reply(body=b"".join(EVENTS[int(after) + 1 if after else 0 :]))

    return reply


@pytest.mark.parametrize("first", range(1, len(EVENTS)))
async def test_an_answer_whose_connection_broke_is_gone_on_with_and_nothing_comes_twice(first: int) -> None:
    async with ReplayServer(kept_answer(first)) as server, client_at(server, "openai-responses/gpt-5") as client:
        with pytest.raises(StreamkitError):
            async with client.stream("How is it?", background=True) as stream:
                deltas = []
                async for delta in stream:
                    deltas.append(delta)  # noqa: PERF401 - a comprehension would lose them with the error
        async with stream.resume() as rest:
            deltas += await read(rest)
    assert server.requests[1].path == f"/responses/{stream.output.id}?stream=true&starting_after={first - 1}"
    assert server.requests[1].headers["authorization"] == f"Bearer {KEY}"
    parser = client.provider.parser()
    whole = accumulate(parser.feed(b"".join(EVENTS)) + parser.finish())
    assert accumulate(deltas) == bare(rest.output) == whole
    assert sum(isinstance(delta, MessageStart) for delta in deltas) == 1


async def test_an_answer_that_is_kept_is_streamed_again_by_its_id() -> None:
    async with ReplayServer(kept_answer(3)) as server, client_at(server, "openai-responses/gpt-5") as client:
        async with client.resume("resp_1") as stream:
            await read(stream)
    assert server.requests[0].path == "/responses/resp_1?stream=true"
    assert stream.output.message.text == "It is sunny in Oslo."


@MODELS
async def test_a_provider_that_keeps_nothing_is_said_to(model: str) -> None:
    async with ReplayServer(ANSWER) as server, client_at(server, model) as client:
        with pytest.raises(ConfigError, match="keeps no answers"):
            client.resume("resp_1")
        async with client.stream("How is it?") as stream:
            with pytest.raises(ConfigError, match="opened and is closed"):
                stream.resume()
        with pytest.raises(ConfigError, match="cannot be gone on with"):
            stream.resume()


async def test_a_stream_that_has_ended_is_not_gone_on_with() -> None:
    async with ReplayServer(KEPT) as server, client_at(server, "openai-responses/gpt-5") as client:
        async with client.stream("How is it?") as stream:
            await read(stream)
        with pytest.raises(ConfigError, match="has ended"):
            stream.resume()
