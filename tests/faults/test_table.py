"""Faults × event loops × http libraries: the error, what was shown, whether it was asked again, and what is left."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import anyio
import pytest
from msgspec import Struct

from streamkit.client.retries import Retry
from streamkit.errors import (
    APIError,
    AuthenticationError,
    FirstTokenTimeout,
    IdleTimeout,
    InvalidRequest,
    Overloaded,
    ProtocolError,
    QuotaExceeded,
    RateLimited,
    ServerError,
    StreamkitError,
    TotalTimeout,
    TransportError,
    TransportTimeout,
    TruncatedStream,
)
from streamkit.testing import Received, ReplayServer, Reply, wires
from streamkit.testing.mutations import split_frames
from streamkit.testing.replies import ReplyLike, error_reply
from streamkit.testing.scripts import framing_of, render_error
from streamkit.testing.wires import Wire
from tests.faults.harness import (
    ANSWER,
    COMBINATIONS,
    MODELS,
    TEXT,
    TRANSPORTS,
    body,
    client_at,
    place,
    said,
    see,
    until,
)

AT_ONCE = 6  # rows; most of them wait
ONCE = Retry(times=1, first_wait_s=0)
QUICK = {"read_timeout_s": 0.15}
WHOLE = f"Let me look.|{TEXT}"
HALF = "Let me look.|It is su"
CHUNKED = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
SURPLUS = (TransportError, "|", True)  # aiohttp gives up a response with more behind it before its head is read
GATEWAY = b"upstream connect error or disconnect/reset before headers"


class Fault(Struct):
    """One row: what the server does to every request, and what comes of it. `error` None is a whole answer.

    `retried` says whether the request is sent again by itself. `aiohttp` is what comes of it (error, shown, retried)
    where that library has it otherwise.
    """

    name: str
    reply: ReplyLike
    error: type[StreamkitError] | None
    shown: str
    retried: bool
    options: dict[str, Any] = {}
    protocol: str = "openai-chat"
    aiohttp: tuple[type[StreamkitError] | None, str, bool] | None = None


B = body()
FRAMES = split_frames(B)
HEAD, MIDDLE, LAST = len(FRAMES[0]), place(HALF), place(WHOLE)
FINISH = LAST + len(next(frame for frame in FRAMES if b'"finish_reason":"stop"' in frame))
ALL = 1 << 20


def json(text: bytes) -> Reply:
    return Reply(body=text, headers={"content-type": "application/json"})


NO_ANSWER = [
    Fault("closed unanswered", wires.unanswered(), TransportError, "|", True),
    Fault("reset unanswered", wires.unanswered("resets"), TransportError, "|", True),
    Fault("never answered", wires.unanswered("hangs"), TransportTimeout, "|", True, QUICK),
    Fault("never begun", wires.unanswered("hangs"), FirstTokenTimeout, "|", True, {"first_token_timeout_s": 0.15}),
    Fault("too late as a whole", wires.unanswered("hangs"), TotalTimeout, "|", False, {"total_timeout_s": 0.15}),
    Fault("no HTTP", Wire(steps=[b"SSH-2.0-OpenSSH\r\n\r\n"], ends="closes"), TransportError, "|", True),
    Fault("429", wires.error(429, headers={"retry-after": "0"}), RateLimited, "|", True),
    Fault("429 for long", wires.error(429, headers={"retry-after": "900"}), RateLimited, "|", False),
    Fault("529", wires.error(529), Overloaded, "|", True),
    Fault("503", wires.error(503), Overloaded, "|", True),
    Fault("500", wires.error(500), ServerError, "|", True),
    Fault("401", error_reply(401, "no such key"), AuthenticationError, "|", False),
    Fault("400", error_reply(400, "no such field"), InvalidRequest, "|", False),
    Fault("quota", error_reply(429, "You exceeded your quota", "insufficient_quota"), QuotaExceeded, "|", False),
    Fault("redirect", wires.error(307, headers={"location": "https://b.test/"}), APIError, "|", False),
]

NO_STREAM = [
    Fault("page", Reply(body=b"<html>Oops", headers={"content-type": "text/html"}), ServerError, "|", True),
    Fault("text", Reply(body=GATEWAY), ServerError, "|", True),
    Fault("error in a 200", json(b'{"error":{"type":"overloaded_error","message":"busy"}}'), Overloaded, "|", True),
    Fault("bad key in a 200", json(b'{"error":{"code":"invalid_api_key"}}'), AuthenticationError, "|", False),
    Fault("nothing", Reply(), TruncatedStream, "|", True),
    Fault("garbage", Reply(body=bytes(range(256)) * 4), TruncatedStream, "|", True),
]

BROKEN = [
    Fault("closed in the head", wires.close(B, after=HEAD), TruncatedStream, "|", True),
    Fault("closed in the thinking", wires.close(B, after=place("Let me l|")), TruncatedStream, "Let me l|", False),
    Fault("closed in the text", wires.close(B, after=MIDDLE), TruncatedStream, HALF, False),
    Fault("closed in a frame", wires.close(B, after=MIDDLE + 30), TruncatedStream, HALF, False),
    Fault("closed after the text", wires.close(B, after=LAST), TruncatedStream, WHOLE, False),
    Fault("closed after the finish", wires.close(B, after=FINISH), None, WHOLE, False),
    Fault("closed at the end", wires.close(B, after=ALL), None, WHOLE, False),
    Fault("ended in the head", wires.close(B, after=HEAD, whole=True), TruncatedStream, "|", True),
    Fault("ended in the text", wires.close(B, after=MIDDLE, whole=True), TruncatedStream, HALF, False),
    Fault("ended in a frame", wires.close(B, after=MIDDLE + 30, whole=True), TruncatedStream, HALF, False),
    Fault("ended after the finish", wires.close(B, after=FINISH, whole=True), None, WHOLE, False),
    Fault(
        "reset in the head", wires.reset(B, after=HEAD), TransportError, "|", True, aiohttp=(TruncatedStream, "|", True)
    ),
    Fault(
        "reset in the text",
        wires.reset(B, after=MIDDLE),
        TransportError,
        HALF,
        False,
        aiohttp=(TruncatedStream, HALF, False),
    ),
    Fault("reset after the finish", wires.reset(B, after=FINISH), None, WHOLE, False),
    Fault("length too long", wires.wrong_length(B[:MIDDLE], by=9), TruncatedStream, HALF, False),
    Fault("length too short", wires.wrong_length(B, by=MIDDLE - len(B)), TruncatedStream, HALF, False, aiohttp=SURPLUS),
    Fault("length too long for all", wires.wrong_length(B, by=9), None, WHOLE, False),
    Fault("length too short for the end", wires.wrong_length(B, by=-9), None, WHOLE, False, aiohttp=SURPLUS),
    Fault(
        "broken chunk",
        Wire(steps=[CHUNKED, b"%x\r\n%b\r\n" % (MIDDLE, B[:MIDDLE]), b"zz\r\n"], ends="closes"),
        TruncatedStream,
        HALF,
        False,
        {"idle_timeout_s": 0.3},
        aiohttp=(IdleTimeout, HALF, False),  # it closes the connection and tells no reader
    ),
    Fault("gzip cut at its head", wires.compressed(B, after=5), TruncatedStream, "|", True),
    Fault("no finish", Reply(body=B[:LAST]), TruncatedStream, WHOLE, False),
    Fault("no finish, as agreed", Reply(body=B[:LAST]), None, WHOLE, False, {"end_without_finish": True}),
    Fault(
        "cut, as no finish is agreed",
        wires.close(B, after=LAST),
        TruncatedStream,
        WHOLE,
        False,
        {"end_without_finish": True},
    ),
    Fault("garbage in the text", Reply(body=B[:MIDDLE] + b'data: {"oops\n\n'), ProtocolError, HALF, False),
    Fault("error in the head", Reply(body=B[:HEAD] + render_error()), Overloaded, "|", True),
    Fault("error in the text", Reply(body=B[:MIDDLE] + render_error()), Overloaded, HALF, False),
    Fault("error after the finish", Reply(body=B[:FINISH] + render_error()), Overloaded, WHOLE, False),
    Fault("error after the end", Reply(body=B + render_error()), None, WHOLE, False),
]

SLOW = [
    Fault("silent at once", wires.stall(B, after=0), FirstTokenTimeout, "|", True, {"first_token_timeout_s": 0.15}),
    Fault("silent in the text", wires.stall(B, after=MIDDLE), TransportTimeout, HALF, False, {"read_timeout_s": 0.5}),
    Fault("silent for a limit", wires.stall(B, after=MIDDLE), IdleTimeout, HALF, False, {"idle_timeout_s": 0.15}),
    Fault("silent for the whole", wires.stall(B, after=MIDDLE), TotalTimeout, HALF, False, {"total_timeout_s": 0.6}),
    Fault("silent after the finish", wires.stall(B, after=FINISH), None, WHOLE, False, {"idle_timeout_s": 0.15}),
    Fault("silent for a while", wires.stall(B, after=MIDDLE, for_s=0.03), None, WHOLE, False, {"idle_timeout_s": 5}),
    Fault("trickle", wires.trickle(B, size=101, pause_s=0.001), None, WHOLE, False),
    Fault("all at once", wires.split(B, []), None, WHOLE, False),
    Fault("gzip", wires.compressed(B), None, WHOLE, False),
    Fault("heartbeats", wires.heartbeats(B, count=3, every_s=0.005, after=MIDDLE), None, WHOLE, False),
    Fault(
        "heartbeats alone",
        wires.heartbeats(B, count=500, every_s=0.01),
        FirstTokenTimeout,
        "|",
        True,
        {"first_token_timeout_s": 0.15},
    ),
    Fault(
        "heartbeats in the text",
        wires.heartbeats(B, count=500, every_s=0.01, after=MIDDLE),
        IdleTimeout,
        HALF,
        False,
        {"idle_timeout_s": 0.15},
    ),
    Fault("open after its end", wires.linger(B), None, WHOLE, False),
    Fault("never ending", wires.endless(B), None, WHOLE, False),
    Fault("no content type", Reply(body=B, headers={}), None, WHOLE, False),
    Fault("another content type", json(B), None, WHOLE, False),
]


def in_dialect(protocol: str) -> list[Fault]:
    """The faults in which framing tells: cuts, silence and errors in the middle of the text, and an open end."""
    data = body(protocol)
    half = place(HALF, protocol)
    options = {"idle_timeout_s": 0.15}
    broken = data[:half] + render_error(protocol)
    last = len(split_frames(data, framing_of(protocol))[-1])
    last_word = TruncatedStream if protocol == "ollama" else None  # whose last frame has the reason
    return [
        Fault("closed", wires.close(data, after=half), TruncatedStream, HALF, False, {}, protocol),
        Fault("closed in a frame", wires.close(data, after=half + 9), TruncatedStream, HALF, False, {}, protocol),
        Fault("ended", wires.close(data, after=half, whole=True), TruncatedStream, HALF, False, {}, protocol),
        Fault(
            "reset",
            wires.reset(data, after=half),
            TransportError,
            HALF,
            False,
            {},
            protocol,
            (TruncatedStream, HALF, False),
        ),
        Fault("silent", wires.stall(data, after=half), IdleTimeout, HALF, False, options, protocol),
        Fault("trickle", wires.trickle(data, size=67, pause_s=0.001), None, WHOLE, False, {}, protocol),
        Fault("gzip", wires.compressed(data), None, WHOLE, False, {}, protocol),
        Fault("error in it", Reply(body=broken), Overloaded, HALF, False, {}, protocol),
        Fault("nothing", Reply(), TruncatedStream, "|", True, {}, protocol),
        Fault("text", Reply(body=GATEWAY), ServerError, "|", True, {}, protocol),
        Fault("cut before the last frame", wires.close(data, after=-last), last_word, WHOLE, False, {}, protocol),
        Fault("open after its end", wires.linger(data), None, WHOLE, False, options, protocol),
    ]


GROUPS = {"no answer": NO_ANSWER, "no stream": NO_STREAM, "broken": BROKEN, "slow": SLOW}
GROUPS |= {protocol: in_dialect(protocol) for protocol in MODELS if protocol != "openai-chat"}


def outcome(error: type[StreamkitError] | None, shown: str, retried: bool) -> str:
    ended = "whole" if error is None else error.__name__
    return f"{ended}, {shown}, {'asked again' if retried else 'asked once'}"


def expected(fault: Fault, library: str) -> str:
    if library == "aiohttp" and fault.aiohttp is not None:
        return outcome(*fault.aiohttp)
    return outcome(fault.error, fault.shown, fault.retried)


async def found(fault: Fault, library: str) -> str:
    """What came of a fault; the client is used again after it, and no connection of either request is left."""
    healthy = False

    def reply(request: Received) -> ReplyLike:
        return ANSWER if healthy else fault.reply

    async with ReplayServer(reply) as server:
        async with TRANSPORTS[library](verify=False, trust_env=False) as http:
            client = client_at(server, fault.protocol, http_client=http, retry=ONCE, **fault.options)
            with anyio.fail_after(5):
                seen = await see(client)
            seen.check()
            healthy = True
            works = await see(client_at(server, fault.protocol, http_client=http))
            works.check()
            assert said(works.stream.output.message) == WHOLE
        await until(lambda: not server.connections)
    error = None if seen.error is None else type(seen.error)
    retried = seen.stream.retried
    assert [type(each) for each in retried] == [error] * len(retried)
    return outcome(error, said(seen.stream.output.message), bool(retried))


def is_theirs(warning: warnings.WarningMessage) -> bool:
    """Whether a warning is of a generator that httpx or httpcore left to the garbage collector, which trio tells of."""
    return "Async generator 'http" in str(warning.message)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize(("anyio_backend", "library"), COMBINATIONS)
async def test_a_fault_is_what_the_table_says_and_leaves_nothing(anyio_backend: str, library: str, group: str) -> None:
    faults, table = GROUPS[group], {}
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def note(fault: Fault) -> None:
        async with limiter:
            table[fault.name] = await found(fault, library)

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        await anyio.wait_all_tasks_blocked()
        before = len(anyio.get_running_tasks())
        async with anyio.create_task_group() as tasks:
            for fault in faults:
                tasks.start_soon(note, fault)
        await until(lambda: len(anyio.get_running_tasks()) <= before)
        gc.collect()
    assert table == {fault.name: expected(fault, library) for fault in faults}
    assert not [str(warning.message) for warning in warned if not is_theirs(warning)]


@pytest.mark.parametrize(("anyio_backend", "library"), COMBINATIONS)
async def test_a_refused_connection_is_what_the_table_says(anyio_backend: str, library: str) -> None:
    async with TRANSPORTS[library](verify=False, trust_env=False) as http:
        seen = await see(client_at("http://127.0.0.1:1", http_client=http, retry=ONCE))
    seen.check()
    assert type(seen.error) is TransportError
    assert [type(error) for error in seen.stream.retried] == [TransportError]
