"""What a stream does when the network, the provider or the consumer misbehaves, over real HTTP."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from streamkit.accumulator import accumulate
from streamkit.client import Client, Stream
from streamkit.client.retries import Retry, Retrying
from streamkit.deltas import Delta, MessageStart, Retract, TextDelta
from streamkit.errors import (
    AuthenticationError,
    ConfigError,
    FirstTokenTimeout,
    IdleTimeout,
    Overloaded,
    QuotaExceeded,
    RateLimited,
    StreamkitError,
    TotalTimeout,
    TransportTimeout,
    TruncatedStream,
)
from streamkit.testing import Answer, Received, ReplayServer, Reply, Thinking, render, render_error, wires
from streamkit.testing.mutations import split_frames
from streamkit.testing.replies import ReplyLike, error_reply
from streamkit.timing import Timeouts

KEY = "sk-live-0123456789abcdef"
ANSWER = Answer([Thinking("Let me look."), "It is sunny in Oslo."])
BODY = render(ANSWER)
TEXT = "It is sunny in Oslo."
QUICK = Retry(first_wait_s=0, after_content=False)
AGAIN = Retry(first_wait_s=0, after_content=True)


def client_at(server: ReplayServer, **options: Any) -> Client:
    return Client("openai/gpt-5", api_key=KEY, base_url=server.url, **{"retry": QUICK, **options})


async def read(stream: Stream, deltas: list[Delta]) -> None:
    async for delta in stream:
        deltas.append(delta)  # noqa: PERF401 - a comprehension would lose them with the error


# ---- retries


BEFORE_CONTENT: list[tuple[str, ReplyLike, type[StreamkitError], int]] = [
    ("429", wires.error(429, headers={"retry-after": "0"}), RateLimited, 0),
    ("529 without a reason phrase", wires.error(529), Overloaded, 0),
    ("503", wires.error(503), StreamkitError, 0),
    ("a reset before a byte of the body", wires.reset(b"", after=0), StreamkitError, 0),
    ("an empty body", Reply(body=b""), StreamkitError, 0),
    ("an end after the head of the message", wires.close(BODY, after=len(split_frames(BODY)[0])), TruncatedStream, 1),
    ("overload in the stream", split_frames(BODY)[0] + render_error(), Overloaded, 1),
    ("a body that is no stream", Reply(body=b"upstream connect error"), StreamkitError, 0),
]


@pytest.mark.parametrize(
    ("bad", "kind", "begun"), [case[1:] for case in BEFORE_CONTENT], ids=[case[0] for case in BEFORE_CONTENT]
)
@pytest.mark.parametrize("times", [1, 2])
async def test_before_any_content_a_request_is_sent_again(
    bad: ReplyLike, kind: type[StreamkitError], begun: int, times: int
) -> None:
    deltas: list[Delta] = []
    async with ReplayServer([*[bad] * times, ANSWER]) as server, client_at(server) as client:
        async with client.stream("How is it?") as stream:
            await read(stream, deltas)
        assert stream.output.message.text == TEXT
        assert [isinstance(error, kind) for error in stream.retried] == [True] * times
        assert len(server.requests) == times + 1
        assert [request.json for request in server.requests] == [server.requests[0].json] * (times + 1)
    # What had begun is taken back, so that a consumer which keeps everything has one message.
    assert sum(isinstance(delta, Retract) for delta in deltas) == begun * times
    assert accumulate(deltas).message == stream.output.message


@pytest.mark.parametrize("ends", ["closes", "resets"])
@pytest.mark.parametrize("times", [1, 2, 3])
async def test_a_request_that_nobody_answers_is_sent_again(ends: Any, times: int) -> None:
    async with ReplayServer([*[wires.unanswered(ends)] * times, ANSWER]) as server, client_at(server) as client:
        assert (await client.send("How is it?")).message.text == TEXT
        assert len(server.requests) == times + 1


NEVER: list[tuple[str, ReplyLike, type[StreamkitError]]] = [
    ("a wrong key", error_reply(401, "no"), AuthenticationError),
    ("no credit", error_reply(429, "You exceeded your current quota", "insufficient_quota"), QuotaExceeded),
    ("content had come", wires.reset(ANSWER, after=-600), StreamkitError),
    ("a longer wait than one waits", wires.error(429, headers={"retry-after": "500"}), RateLimited),
]


@pytest.mark.parametrize(("bad", "kind"), [case[1:] for case in NEVER], ids=[case[0] for case in NEVER])
async def test_some_errors_are_raised_at_once(bad: ReplyLike, kind: type[StreamkitError]) -> None:
    async with ReplayServer([bad, ANSWER]) as server, client_at(server) as client:
        with pytest.raises(kind):
            async with client.stream("How is it?") as stream:
                await read(stream, [])
        assert len(server.requests) == 1


async def test_the_last_error_is_raised_when_no_retry_is_left() -> None:
    async with (
        ReplayServer([wires.error(529), wires.error(503), wires.error(529)]) as server,
        client_at(server) as client,
    ):
        with pytest.raises(Overloaded):
            await client.send("How is it?")
        assert len(server.requests) == 3


@pytest.mark.parametrize("cut", range(300, len(BODY), 150))
async def test_after_content_what_was_shown_is_taken_back_where_that_is_asked_for(cut: int) -> None:
    deltas: list[Delta] = []
    script = [wires.close(ANSWER, after=cut), ANSWER]
    async with ReplayServer(script) as server, client_at(server, retry=AGAIN) as client:
        async with client.stream("How is it?") as stream:
            await read(stream, deltas)
    at = next((at for at, delta in enumerate(deltas) if isinstance(delta, Retract)), -1)
    assert isinstance(deltas[at + 1], MessageStart)
    assert "".join(delta.text for delta in deltas[at + 1 :] if isinstance(delta, TextDelta)) == TEXT
    assert accumulate(deltas).message == stream.output.message


async def test_what_was_shown_is_kept_where_no_other_answer_begins() -> None:
    deltas: list[Delta] = []
    script = [wires.close(ANSWER, after=-600), wires.error(529), wires.error(503)]
    async with ReplayServer(script) as server, client_at(server, retry=AGAIN) as client:
        with pytest.raises(TruncatedStream) as caught:
            async with client.stream("How is it?") as stream:
                await read(stream, deltas)
        assert len(server.requests) == 3
    shown = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    assert caught.value.partial is not None
    assert caught.value.partial.message.text == shown != ""
    assert not any(isinstance(delta, Retract) for delta in deltas)


async def test_what_a_retracted_answer_used_still_counts() -> None:
    frames = split_frames(BODY)
    usage = next(at for at, frame in enumerate(frames) if b'"usage":{' in frame)
    script = [Reply(body=b"".join(frames[: usage + 1]) + render_error()), ANSWER]
    async with ReplayServer(script) as server, client_at(server, retry=AGAIN) as client:
        output = await client.send("How is it?")
    assert output.usage is not None
    assert output.usage.output_tokens == 2 * 7


async def test_the_hook_is_told_of_each_retry_and_sees_no_secret() -> None:
    told: list[Retrying] = []
    script = [error_reply(429, f"the key {KEY} is too fast"), wires.error(529), ANSWER]
    async with ReplayServer(script) as server, client_at(server, on_retry=told.append) as client:
        await client.send("How is it?")
    assert [(each.number, each.provider, each.model, each.wait_s) for each in told] == [
        (1, "openai", "gpt-5", 0.0),
        (2, "openai", "gpt-5", 0.0),
    ]
    assert [type(each.error) for each in told] == [RateLimited, Overloaded]
    assert KEY not in repr(told) + str([str(each.error) for each in told])


async def test_a_hook_that_fails_fails_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    def hook(retrying: Retrying) -> None:
        raise ZeroDivisionError

    async with ReplayServer([wires.error(529), ANSWER]) as server, client_at(server, on_retry=hook) as client:
        assert (await client.send("How is it?")).message.text == TEXT
    assert "on_retry failed" in caplog.text


async def test_the_wait_of_the_provider_is_kept() -> None:
    script = [wires.error(429, headers={"retry-after-ms": "80"}), ANSWER]
    async with ReplayServer(script) as server, client_at(server) as client:
        began = anyio.current_time()
        await client.send("How is it?")
        assert 0.07 < anyio.current_time() - began < 5


async def test_a_stream_that_is_closed_while_it_waits_asks_no_more() -> None:
    script = [wires.close(ANSWER, after=400), ANSWER]
    policy = Retry(first_wait_s=0.2, after_content=True)
    async with ReplayServer(script) as server, client_at(server, retry=policy) as client:
        stream = client.stream("How is it?")
        with pytest.raises(StreamkitError):
            async with anyio.create_task_group() as tasks, stream:

                async def leave() -> None:
                    await anyio.sleep(0.05)
                    await stream.aclose()

                tasks.start_soon(leave)
                try:
                    await read(stream, [])
                except StreamkitError as error:
                    fault = error
                tasks.cancel_scope.cancel()
            raise fault


# ---- fallback


async def test_another_model_is_asked_when_the_first_has_no_retry_left() -> None:
    told: list[Retrying] = []

    def reply(request: Received) -> ReplyLike:
        return wires.error(529) if "messages" in request.json and "gpt-5" in request.json["model"] else ANSWER

    async with ReplayServer(reply) as server:
        other = Client("anthropic/claude-haiku-4-5", api_key=KEY, base_url=server.url)
        async with client_at(server, retry=1, fallback=[other], on_retry=told.append) as client, other:
            output = await client.send("How is it?", max_tokens=100)
        models = [request.json["model"] for request in server.requests]
    assert models == ["gpt-5", "gpt-5", "claude-haiku-4-5"]
    assert (output.provider, output.message.text) == ("anthropic", TEXT)
    assert output.message.meta is None or output.message.meta.origin.provider == "anthropic"
    assert server.requests[-1].path.endswith("/messages")


async def test_an_error_of_the_request_asks_no_other_model() -> None:
    async with ReplayServer(error_reply(400, "no such field", "invalid_request_error")) as server:
        other = client_at(server)
        async with client_at(server, fallback=[other]) as client:
            with pytest.raises(StreamkitError):
                await client.send("How is it?")
        assert len(server.requests) == 1


def test_a_fallback_may_be_a_model_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    client = Client("openai/gpt-5", api_key=KEY, fallback="anthropic/claude-haiku-4-5")
    assert [other.model for other in client.fallback] == ["claude-haiku-4-5"]
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(ConfigError, match="no key for anthropic"):
        Client("openai/gpt-5", api_key=KEY, fallback=["anthropic/claude-haiku-4-5"])


# ---- limits


LATE: list[tuple[str, ReplyLike, dict[str, float], type[TransportTimeout], str]] = [
    ("no head", wires.unanswered("hangs"), {"first_token_timeout_s": 0.1}, FirstTokenTimeout, ""),
    ("a head alone", wires.stall(BODY, after=0), {"first_token_timeout_s": 0.1}, FirstTokenTimeout, ""),
    (
        "comments alone",
        wires.endless(b"", every_s=0.02),
        {"first_token_timeout_s": 0.1, "idle_timeout_s": 5},
        FirstTokenTimeout,
        "",
    ),
    ("silence", wires.stall(ANSWER, after=-600), {"idle_timeout_s": 0.1}, IdleTimeout, TEXT[:8]),
    (
        "comments after content",
        wires.heartbeats(ANSWER, count=500, every_s=0.02, after=-600),
        {"idle_timeout_s": 0.1},
        IdleTimeout,
        TEXT[:8],
    ),
    (
        "a trickle",
        wires.trickle(ANSWER, size=200, pause_s=0.05),
        {"total_timeout_s": 0.12, "idle_timeout_s": 5},
        TotalTimeout,
        "",
    ),
    ("silence of the whole", wires.unanswered("hangs"), {"total_timeout_s": 0.1}, TotalTimeout, ""),
]


@pytest.mark.parametrize(
    ("bad", "limits", "kind", "shown"), [case[1:] for case in LATE], ids=[case[0] for case in LATE]
)
async def test_a_limit_that_is_broken_is_its_own_error_with_what_came_until_then(
    bad: ReplyLike, limits: dict[str, float], kind: type[TransportTimeout], shown: str
) -> None:
    deltas: list[Delta] = []
    async with ReplayServer(bad) as server, client_at(server, retry=0, **limits) as client:
        with (
            anyio.fail_after(3),
            pytest.raises(kind, match=f"openai at 127.0.0.1.*{kind.__name__[:4].lower()}") as caught,
        ):
            async with client.stream("How is it?") as stream:
                await read(stream, deltas)
        with anyio.fail_after(1):
            while server.connections:  # noqa: ASYNC110 - the server has no event for it
                await anyio.sleep(0.001)
    assert type(caught.value) is kind
    assert caught.value.partial is not None
    assert caught.value.partial.message.text.startswith(shown)
    assert caught.value.partial.message == accumulate(deltas).message


async def test_no_limit_is_broken_by_a_slow_consumer() -> None:
    limits = {"first_token_timeout_s": 0.3, "idle_timeout_s": 0.05}
    async with ReplayServer(Reply(body=ANSWER, pace_s=0.001)) as server, client_at(server, **limits) as client:
        async with client.stream("How is it?") as stream:
            async for delta in stream:
                if isinstance(delta, TextDelta):
                    await anyio.sleep(0.1)
    assert stream.output.message.text == TEXT


async def test_a_first_token_that_does_not_come_is_asked_for_again() -> None:
    script = [wires.unanswered("hangs"), wires.stall(BODY, after=200), ANSWER]
    async with ReplayServer(script) as server, client_at(server, first_token_timeout_s=0.2) as client:
        output = await client.send("How is it?")
    assert output.message.text == TEXT


async def test_the_limit_of_the_whole_holds_over_all_retries() -> None:
    policy = Retry(times=1000, first_wait_s=0.02, cap_s=0.02)
    async with ReplayServer(wires.error(529)) as server, client_at(server, retry=policy, total_timeout_s=0.2) as client:
        with anyio.fail_after(2), pytest.raises(TotalTimeout):
            await client.send("How is it?")
        assert len(server.requests) > 2


@pytest.mark.parametrize("name", ["connect", "read", "first_token", "idle", "total"])
@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan"), "5"])
def test_a_limit_must_be_a_time(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"{name}_timeout_s must be a number"):
        Client("openai/gpt-5", api_key=KEY, **{f"{name}_timeout_s": value})


def test_limits_are_off_unless_they_are_asked_for() -> None:
    assert not Timeouts().need_watching


# ---- a slow consumer


@pytest.mark.feature("D: pi-gui#93")
async def test_what_came_meanwhile_is_merged_and_nothing_is_lost() -> None:
    text = "word " * 400
    deltas: list[Delta] = []
    async with ReplayServer(Reply(body=Answer([text]), piece=5, pace_s=0.0005)) as server, client_at(server) as client:
        async with client.stream("Go on.", coalesce=True) as stream:
            async for delta in stream:
                deltas.append(delta)
                await anyio.sleep(0.02)
    pieces = [delta.text for delta in deltas if isinstance(delta, TextDelta)]
    assert "".join(pieces) == text == stream.output.message.text
    assert len(pieces) < 100
    assert accumulate(deltas).message == stream.output.message


async def test_a_merged_stream_left_in_the_middle_leaves_nothing() -> None:
    async with ReplayServer(wires.endless(ANSWER, every_s=0.001)) as server, client_at(server) as client:
        await anyio.wait_all_tasks_blocked()
        async with client.stream("Go on.", coalesce=True) as stream:
            async for delta in stream:
                if isinstance(delta, TextDelta):
                    break
        with anyio.fail_after(1):
            while server.connections:  # noqa: ASYNC110 - the server has no event for it
                await anyio.sleep(0.001)


async def test_an_error_of_a_merged_stream_has_all_that_came() -> None:
    deltas: list[Delta] = []
    async with ReplayServer(wires.reset(ANSWER, after=-600)) as server, client_at(server) as client:
        with pytest.raises(StreamkitError) as caught:
            async with client.stream("Go on.", coalesce=True) as stream:
                await read(stream, deltas)
    assert caught.value.partial is not None
    assert caught.value.partial.message == accumulate(deltas).message
    assert caught.value.partial.message.text


# ---- an answer that the provider keeps


EVENTS = split_frames(render(ANSWER, "openai-responses"))


@pytest.mark.parametrize("first", range(len(EVENTS)))
async def test_a_kept_answer_goes_on_by_itself_and_nothing_comes_twice(first: int) -> None:
    def reply(request: Received) -> Reply:
        if request.method == "POST" and len(server.requests) == 1:
            return Reply(body=b"".join(EVENTS[:first]) + EVENTS[first][:20], ends="drops")
        _, _, after = request.path.partition("starting_after=")
        start = int(after) + 1 if after else 0
        return Reply(body=b"".join(EVENTS[start : start + 3]), ends="whole" if start + 3 >= len(EVENTS) else "drops")

    deltas: list[Delta] = []
    policy = Retry(times=50, first_wait_s=0)
    async with ReplayServer(reply) as server:
        async with Client("openai-responses/gpt-5", api_key=KEY, base_url=server.url, retry=policy) as client:
            async with client.stream("How is it?", background=True) as stream:
                await read(stream, deltas)
        assert [request.method for request in server.requests].count("POST") == (1 if first else 2)
    assert not any(isinstance(delta, Retract) for delta in deltas)
    assert accumulate(deltas).message == stream.output.message
    assert stream.output.message.text == TEXT
