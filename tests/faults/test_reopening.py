"""What a stream does between two requests: other models, kept answers, limits, and a consumer that leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from streamkit.accumulator import Accumulator, accumulate
from streamkit.client import Client, Stream
from streamkit.client.retries import Retry, Retrying
from streamkit.deltas import Delta, MessageStart, Retract, TextDelta
from streamkit.errors import (
    FirstTokenTimeout,
    IdleTimeout,
    Overloaded,
    StreamkitError,
    TotalTimeout,
    TransportError,
    TruncatedStream,
)
from streamkit.messages import FinishReason
from streamkit.providers import Provider
from streamkit.testing import Answer, Received, ReplayServer, Reply, Thinking, render, wires
from streamkit.testing.mutations import split_frames
from streamkit.testing.replies import ReplyLike

# Of generators that httpx and httpcore leave to the garbage collector; trio tells of them.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning")  # see above

KEY = "sk-live-0123456789abcdef"
ANSWER = Answer([Thinking("Let me look."), "It is sunny in Oslo."])
TEXT = "It is sunny in Oslo."
FRAMES = split_frames(render(ANSWER))
EVENTS = split_frames(render(ANSWER, "openai-responses"))
QUICK = Retry(first_wait_s=0)
AGAIN = Retry(first_wait_s=0, after_content=True)


def client_at(server: ReplayServer, model: str = "openai/gpt-5", **options: Any) -> Client:
    return Client(model, api_key=KEY, base_url=server.url, **{"retry": QUICK, **options})


async def read(stream: Stream) -> tuple[list[Delta], StreamkitError | None]:
    """Every delta, and the error that ended them; the client's connections are closed."""
    deltas: list[Delta] = []
    async with stream._first:
        try:
            async with stream:
                async for delta in stream:
                    deltas.append(delta)  # noqa: PERF401 - a comprehension would lose them with the error
        except StreamkitError as error:
            return deltas, error
    return deltas, None


async def until(condition: Callable[[], bool], within_s: float = 1.0) -> None:
    with anyio.fail_after(within_s):
        while not condition():  # noqa: ASYNC110 - the server has no event for it
            await anyio.sleep(0.001)


# ---- other models


async def test_the_fallbacks_of_a_fallback_come_after_it() -> None:
    async with ReplayServer(wires.error(529)) as server:
        others = [client_at(server, f"openai/{name}") for name in "bcd"]
        others[0].fallback = [others[1]]
        async with (
            client_at(server, "openai/a", retry=0, fallback=[others[0], others[2]]) as client,
            others[0],
            others[1],
            others[2],
        ):
            with pytest.raises(Overloaded):
                await client.send("How is it?")
        assert [request.json["model"] for request in server.requests] == ["a", "b", "c", "d"]


async def test_retries_and_the_hook_are_those_of_the_client_that_was_asked_first() -> None:
    told: list[Retrying] = []
    script = [wires.error(529), wires.error(529), wires.close(ANSWER, after=-600), ANSWER]
    async with ReplayServer(script) as server:
        other = client_at(server, "openai/b", retry=0)
        policy = Retry(times=1, first_wait_s=0, after_content=True)
        client = client_at(server, "openai/a", retry=policy, fallback=[other], on_retry=told.append)
        async with other:
            deltas, fault = await read(client.stream("How is it?"))
    assert fault is None
    assert [(each.model, each.number) for each in told] == [("a", 1), ("b", 2), ("b", 3)]
    assert accumulate(deltas).message.text == TEXT


async def test_a_fallback_that_cannot_be_asked_the_same_leaves_the_error_as_it_was() -> None:
    row = Provider(name="acme", protocol="gradio")  # which answers in two steps
    async with ReplayServer(wires.error(529)) as server:
        other = client_at(server, "x", provider=row)
        async with client_at(server, retry=0, fallback=[other]) as client:
            with pytest.raises(Overloaded) as caught:
                await client.send("How is it?")
        assert len(server.requests) == 1
    (note,) = caught.value.__notes__
    assert "cannot be asked the same" in note and KEY not in note


async def test_the_connections_of_fallbacks_by_name_are_closed_with_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    def reply(request: Received) -> ReplyLike:
        return ANSWER if request.path.endswith("/messages") else wires.error(529)

    async with ReplayServer(reply) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        client = client_at(server, retry=0, fallback="anthropic/claude-haiku-4-5")
        client.fallback[0]._endpoint = client_at(server, "anthropic/claude-haiku-4-5")._endpoint
        assert (await client.send("How is it?", max_tokens=50)).provider == "anthropic"
        assert server.connections > 0
        await client.aclose()
        await until(lambda: server.connections == 0)


async def test_what_was_shown_names_the_model_that_said_it_though_another_was_asked_since() -> None:
    script = [wires.close(ANSWER, after=-600), wires.error(529)]
    async with ReplayServer(script) as server:
        other = client_at(server, "anthropic/claude-haiku-4-5")
        policy = Retry(times=0, after_content=True)
        async with client_at(server, retry=policy, fallback=[other]) as client, other:
            deltas, fault = await read(client.stream("How is it?", max_tokens=50))
    assert isinstance(fault, TruncatedStream)
    assert fault.partial is not None
    assert (fault.partial.provider, fault.provider) == ("openai", "openai")
    assert fault.partial.message == accumulate(deltas).message


# ---- answers that a provider keeps


def kept(server: ReplayServer, *, policy: Retry, **options: Any) -> Stream:
    client = client_at(server, "openai-responses/gpt-5", retry=policy, **options)
    return client.stream("How is it?", background=True)


def half(request: Received) -> Reply:
    return Reply(body=b"".join(EVENTS[:-6]), ends="drops")


async def test_another_model_never_goes_on_with_an_answer_that_was_kept() -> None:
    def reply(request: Received) -> ReplyLike:
        if request.method == "GET":
            return wires.error(503)
        return half(request) if request.json["model"] == "gpt-5" else ANSWER

    async with ReplayServer(reply) as server:
        async with client_at(server, "openai/gpt-4") as other:
            deltas, fault = await read(kept(server, policy=QUICK, fallback=[other]))
            assert isinstance(fault, TruncatedStream)  # content had come, and nobody said that it may be taken back
            assert [request.method for request in server.requests] == ["POST", "GET", "GET"]
            deltas, fault = await read(kept(server, policy=AGAIN, fallback=[other]))
    assert fault is None
    at = next(at for at, delta in enumerate(deltas) if isinstance(delta, Retract))
    assert isinstance(deltas[at + 1], MessageStart)
    assert accumulate(deltas).message.text == TEXT


async def test_an_answer_that_failed_where_it_was_kept_is_asked_for_anew() -> None:
    failed = b'event: response.failed\ndata: {"type":"response.failed","response":{"id":"resp_1","status":"failed",'
    failed += b'"error":{"code":"server_error","message":"it failed"}}}\n\n'

    def reply(request: Received) -> ReplyLike:
        if request.method == "GET":
            return Reply(body=failed)
        return half(request) if len(server.requests) == 1 else ANSWER

    async with ReplayServer(reply) as server:
        deltas, fault = await read(kept(server, policy=AGAIN))
        assert [request.method for request in server.requests] == ["POST", "GET", "POST"]
    assert fault is None
    assert sum(isinstance(delta, Retract) for delta in deltas) == 1
    assert accumulate(deltas).message.text == TEXT


@pytest.mark.parametrize("first", range(1, len(EVENTS)))
async def test_an_event_that_was_cut_before_its_blank_line_is_not_lost_where_the_answer_goes_on(first: int) -> None:
    def reply(request: Received) -> ReplyLike:
        if request.method == "POST":
            return Reply(body=b"".join(EVENTS[:first])[:-1], ends="drops")
        after = int(request.path.partition("starting_after=")[2])
        return Reply(body=b"".join(EVENTS[after + 1 :]))

    async with ReplayServer(reply) as server:
        stream = kept(server, policy=QUICK)
        deltas, fault = await read(stream)
    assert fault is None
    assert not any(isinstance(delta, Retract) for delta in deltas)
    assert accumulate(deltas).message.text == stream.output.message.text == TEXT


async def test_timing_is_that_of_the_answer_that_came() -> None:
    async with ReplayServer([wires.close(ANSWER, after=-600), Reply(body=ANSWER, delay_s=0.02)]) as server:
        stream = client_at(server, retry=AGAIN).stream("How is it?")
        await read(stream)
    timing = stream.timing
    assert timing.headers_ns and timing.first_byte_ns and timing.first_token_ns and timing.end_ns
    assert timing.sent_ns < timing.headers_ns <= timing.first_byte_ns <= timing.first_token_ns <= timing.end_ns


async def test_timing_of_an_answer_that_went_on_is_from_its_first_request() -> None:
    def reply(request: Received) -> ReplyLike:
        return half(request) if request.method == "POST" else Reply(body=b"".join(EVENTS[-6:]))

    async with ReplayServer(reply) as server:
        stream = kept(server, policy=QUICK)
        await read(stream)
    assert stream.timing.first_token_ns is not None
    assert stream.timing.sent_ns < stream.timing.first_token_ns


@pytest.mark.parametrize("raw", [False, True], ids=["bare", "with raw frames"])
@pytest.mark.parametrize("merged", [False, True], ids=["each", "merged"])
async def test_all_answers_to_one_request_are_taken_back_together(merged: bool, raw: bool) -> None:
    answers = Answer(
        ["It is sunny in Oslo."], choices=[Answer(["It rains in Oslo."]), Answer([Thinking("Hm."), "No."])]
    )
    body = render(answers)
    async with ReplayServer([wires.close(body, after=len(body) * 2 // 3), answers]) as server:
        stream = client_at(server, retry=AGAIN).stream("How is it?", n=3, include_raw=raw, coalesce=merged)
        deltas, fault = await read(stream)
    assert fault is None
    assert sum(isinstance(delta, Retract) for delta in deltas) == 1
    assert [output.message.text for output in stream.outputs] == ["It is sunny in Oslo.", "It rains in Oslo.", "No."]
    shadow = Accumulator()
    for delta in deltas:
        shadow.feed(delta)
    assert [output.message for output in shadow.outputs()] == [output.message for output in stream.outputs]
    assert shadow.finish().usage == stream.output.usage


# ---- a stream that is closed by another task


PLACES: list[tuple[str, list[ReplyLike], int]] = [
    ("before the headers", [wires.unanswered("hangs")], 1),
    ("before the first token", [wires.stall(ANSWER, after=0)], 1),
    ("in the middle", [wires.stall(ANSWER, after=-600)], 1),
    ("while it waits to ask again", [wires.error(429, headers={"retry-after": "60"}), ANSWER], 1),
    ("while it waits after content", [wires.close(ANSWER, after=-600), ANSWER], 1),
    ("while it asks again", [wires.close(ANSWER, after=-600), wires.unanswered("hangs")], 2),
]


@pytest.mark.parametrize("options", [{}, {"total_timeout_s": 30, "idle_timeout_s": 30}], ids=["free", "watched"])
@pytest.mark.parametrize("merged", [False, True], ids=["each", "merged"])
@pytest.mark.parametrize(("script", "asked"), [case[1:] for case in PLACES], ids=[case[0] for case in PLACES])
async def test_a_stream_that_is_closed_while_it_is_read_ends_at_once_in_an_error(
    script: list[ReplyLike], asked: int, merged: bool, options: dict[str, Any]
) -> None:
    slow = asked == 1 and isinstance(script[0], wires.Wire) and script[0].ends == "closes"
    policy = Retry(first_wait_s=60 if slow else 0, after_content=True, cap_s=60)
    async with ReplayServer(script) as server, client_at(server, retry=policy, **options) as client:
        stream = client.stream("How is it?", coalesce=merged)
        with anyio.fail_after(3):
            async with anyio.create_task_group() as tasks:

                async def leave() -> None:
                    await until(lambda: len(server.requests) == asked)
                    await anyio.sleep(0.05)
                    await stream.aclose()

                tasks.start_soon(leave)
                deltas, fault = await read(stream)
        assert type(fault) is TransportError and "closed" in str(fault)
        assert fault.provider == "openai"
        assert len(server.requests) == asked
        assert fault.partial is not None
        assert fault.partial.message == stream.output.message == accumulate(deltas).message
        await until(lambda: server.connections == 0)


@pytest.mark.parametrize("merged", [False, True], ids=["each", "merged"])
async def test_closing_is_no_finish_even_where_the_server_gives_none(merged: bool) -> None:
    script = wires.stall(b"".join(FRAMES[:8]), after=10**6)
    async with ReplayServer(script) as server, client_at(server, end_without_finish=True) as client:
        stream = client.stream("How is it?", coalesce=merged)
        async with anyio.create_task_group() as tasks:

            async def leave() -> None:
                await anyio.sleep(0.1)
                await stream.aclose()

            tasks.start_soon(leave)
            _, fault = await read(stream)
    assert isinstance(fault, TransportError)
    assert fault.partial is not None and fault.partial.finish_reason is None


async def test_an_end_without_a_finish_reason_is_whole_where_the_client_says_so() -> None:
    body = b"".join(FRAMES[:-3])
    async with ReplayServer(body) as server:
        async with client_at(server, end_without_finish=True) as client:
            assert (await client.send("How is it?")).finish_reason == FinishReason("stop", synthesized=True)
        async with client_at(server, retry=0) as client:
            with pytest.raises(TruncatedStream):
                await client.send("How is it?")


# ---- what limits count


async def test_silence_counts_from_the_first_token_on() -> None:
    """A model that thinks for long behind the head of its message is no silence."""
    head = sum(map(len, FRAMES[:1]))
    async with ReplayServer(wires.stall(ANSWER, after=head, for_s=0.3)) as server:
        _, fault = await read(client_at(server, idle_timeout_s=0.1, retry=0).stream("How is it?"))
    assert fault is None


@pytest.mark.feature("D: pi#5558")
@pytest.mark.parametrize("raw", [False, True], ids=["bare", "with raw frames"])
async def test_events_that_only_keep_a_connection_alive_end_no_silence(raw: bool) -> None:
    body = b"".join(split_frames(render(ANSWER, "anthropic"))[:6])
    ping = b'event: ping\ndata: {"type": "ping"}\n\n'
    wire = wires.endless(body, piece=ping, every_s=0.02)
    async with ReplayServer(wire) as server:
        client = client_at(server, "anthropic/claude-haiku-4-5", idle_timeout_s=0.15, retry=0)
        with anyio.fail_after(3):
            deltas, fault = await read(client.stream("How is it?", max_tokens=9, include_raw=raw))
    assert type(fault) is IdleTimeout
    assert accumulate(deltas).message.thinking


async def test_the_first_token_is_not_late_where_the_consumer_is() -> None:
    async with ReplayServer(Reply(body=FRAMES, pace_s=0.01)) as server:
        client = client_at(server, first_token_timeout_s=0.25, retry=0)
        async with client, client.stream("How is it?") as stream:
            await anyio.sleep(0.4)
            async for delta in stream:
                if isinstance(delta, MessageStart):
                    await anyio.sleep(0.4)
    assert stream.output.message.text == TEXT


async def test_the_first_token_is_late_all_the_same_where_nothing_comes() -> None:
    async with ReplayServer(wires.stall(ANSWER, after=len(FRAMES[0]))) as server:
        with anyio.fail_after(3):
            _, fault = await read(client_at(server, first_token_timeout_s=0.1, retry=0).stream("How is it?"))
    assert type(fault) is FirstTokenTimeout


async def test_a_limit_that_is_broken_after_the_last_word_spoils_nothing() -> None:
    async with ReplayServer(wires.linger(b"".join(split_frames(render(ANSWER))[:-1]))) as server:  # no [DONE]
        _, fault = await read(client_at(server, idle_timeout_s=0.1, retry=0).stream("How is it?"))
    assert fault is None


async def test_the_whole_may_be_late_in_the_hands_of_the_consumer() -> None:
    async with (
        ReplayServer(Reply(body=FRAMES, pace_s=0.01)) as server,
        client_at(server, total_timeout_s=0.2) as client,
    ):
        stream = client.stream("How is it?")
        shown: list[Delta] = []
        with pytest.raises(TotalTimeout) as caught:
            async with stream:
                async for delta in stream:
                    shown.append(delta)
                    await anyio.sleep(0.02)
    assert caught.value.partial is not None
    assert caught.value.partial.message == accumulate(shown).message


async def test_an_answer_that_is_there_as_a_whole_is_not_late_in_the_hands_of_the_consumer() -> None:
    async with ReplayServer(ANSWER) as server:
        stream = client_at(server, total_timeout_s=0.3).stream("How is it?")
        async with stream._first, stream:
            async for delta in stream:
                if isinstance(delta, MessageStart):
                    await anyio.sleep(0.4)
    assert stream.output.message.text == TEXT
    assert stream.output.finish_reason == FinishReason("stop", "stop")


# ---- connections


@pytest.mark.parametrize("merged", [False, True], ids=["each", "merged"])
@pytest.mark.parametrize("late", [b"", b": bye\n\n"], ids=["end", "more"])
async def test_a_connection_is_used_again_though_the_end_of_the_body_comes_after_that_of_the_answer(
    merged: bool, late: bytes
) -> None:
    body = render(ANSWER)
    wire = wires.split(body + late, [len(body)], pause_s=0.01)
    async with ReplayServer(wire) as server, client_at(server) as client:
        for _ in range(3):
            async with client.stream("How is it?", coalesce=merged) as stream:
                assert [delta async for delta in stream]
            assert server.connections == 1
        assert len(server.requests) == 3


async def test_errors_that_were_followed_by_a_retry_hold_no_secret_and_no_frames() -> None:
    script = [
        Reply(body=b'{"error":{"message":"too fast: %b"}}' % KEY.encode(), status=429),
        wires.close(ANSWER, after=-600),
    ]
    async with ReplayServer([*script, ANSWER]) as server:
        stream = client_at(server, retry=AGAIN).stream("How is it?")
        deltas, fault = await read(stream)
    assert fault is None
    assert [type(error).__name__ for error in stream.retried] == ["RateLimited", "TruncatedStream"]
    for error in stream.retried:
        assert KEY not in f"{error!r} {error} {error.body}"
        assert error.__traceback__ is error.__context__ is None
        assert error.provider == "openai"
    at = next(at for at, delta in enumerate(deltas) if isinstance(delta, Retract))
    assert stream.retried[1].partial is not None
    assert (
        "".join(d.text for d in deltas[:at] if isinstance(d, TextDelta)) == stream.retried[1].partial.message.text != ""
    )
