from __future__ import annotations

import gzip
from random import Random
from typing import Any

import anyio
import httpx
import pytest

from streamkit.errors import ConfigError
from streamkit.testing import Answer, ReplayServer, ReplayTransport, render, wires
from streamkit.testing.mutations import split_frames
from streamkit.testing.wires import Wire

BODY = render(Answer(["It is sunny in Oslo."]))


async def fetch(wire: Wire, *, asks: int = 1) -> list[tuple[int, bytes, str]]:
    """Ask, so many times over one client; each answer is its status, what came, and how it broke off."""
    found = []
    async with ReplayServer(wire) as server, httpx.AsyncClient(verify=False, timeout=0.3) as http:
        for _ in range(asks):
            body, fault, status = b"", "", 0
            try:
                async with http.stream("POST", server.url, content=b"{}") as response:
                    status = response.status_code
                    async for chunk in response.aiter_raw():
                        body += chunk
            except httpx.TransportError as error:
                fault = type(error).__name__
            found.append((status, body, fault))
    return found


WHOLE: list[tuple[str, Wire]] = [
    ("split", wires.split(BODY, [1, 7, 100], pause_s=0.001)),
    ("split nowhere", wires.split(BODY, [])),
    ("trickle", wires.trickle(BODY, size=50, pause_s=0)),
    ("stall", wires.stall(BODY, after=100, for_s=0.05)),
]


@pytest.mark.parametrize("wire", [case[1] for case in WHOLE], ids=[case[0] for case in WHOLE])
async def test_what_is_only_slow_arrives_whole_and_the_connection_serves_again(wire: Wire) -> None:
    assert await fetch(wire, asks=2) == [(200, BODY, "")] * 2


BROKEN: list[tuple[str, Wire, tuple[int, bytes, str]]] = [
    ("closed after its end", wires.close(BODY, after=len(BODY), whole=True), (200, BODY, "")),
    ("closed", wires.close(BODY, after=50), (200, BODY[:50], "RemoteProtocolError")),
    ("closed near its end", wires.close(BODY, after=-5), (200, BODY[:-5], "RemoteProtocolError")),
    ("cut as if it ended there", wires.close(BODY, after=50, whole=True), (200, BODY[:50], "")),
    ("reset", wires.reset(BODY, after=50), (200, BODY[:50], "ReadError")),
    ("silent", wires.stall(BODY, after=50), (200, BODY[:50], "ReadTimeout")),
    ("open after its end", wires.linger(BODY), (200, BODY, "ReadTimeout")),
    ("too short", wires.wrong_length(BODY, by=9), (200, BODY, "RemoteProtocolError")),
    ("too long", wires.wrong_length(BODY, by=-9), (200, BODY[:-9], "")),
    ("unanswered", wires.unanswered(), (0, b"", "RemoteProtocolError")),
    ("unanswered and reset", wires.unanswered("resets"), (0, b"", "ReadError")),
    ("never answered", wires.unanswered("hangs"), (0, b"", "ReadTimeout")),
    ("an error", wires.error(529, b"busy", headers={"retry-after": "1"}), (529, b"busy", "")),
]


@pytest.mark.parametrize(("wire", "found"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
async def test_what_breaks_breaks_where_it_was_told_to(wire: Wire, found: tuple[int, bytes, str]) -> None:
    assert await fetch(wire) == [found]


async def test_heartbeats_come_between_frames() -> None:
    first = len(split_frames(BODY)[0])
    [(_, body, _)] = await fetch(wires.heartbeats(BODY, count=3, every_s=0, after=1))
    assert body == BODY[:first] + b": ping\n\n" * 3 + BODY[first:]
    [(_, body, _)] = await fetch(wires.heartbeats(BODY, count=2, every_s=0))
    assert body == b": ping\n\n" * 2 + BODY


REQUEST = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}"


async def test_an_endless_body_goes_on_until_the_client_leaves() -> None:
    async with ReplayServer(wires.endless(BODY, every_s=0.001)) as server:
        async with await anyio.connect_tcp("127.0.0.1", int(server.url.rpartition(":")[2])) as stream:
            await stream.send(REQUEST)
            data = b""
            with anyio.fail_after(5):
                while data.count(b": ping\n\n") < 50:
                    data += await stream.receive()
        assert data.count(b"data: ") == BODY.count(b"data: ")
        with anyio.fail_after(1):
            while server.connections:  # noqa: ASYNC110 - the server has no event for it
                await anyio.sleep(0.001)


async def test_a_compressed_body_says_so() -> None:
    [(_, body, _)] = await fetch(wires.compressed(BODY))
    assert gzip.decompress(body) == BODY
    [(_, short, _)] = await fetch(wires.compressed(BODY, after=20))
    assert short == body[:20]


@pytest.mark.parametrize("seed", range(20))
async def test_a_drawn_schedule_is_a_beginning_of_the_body_with_comments_between_its_frames(seed: int) -> None:
    wire = wires.scheduled(BODY, Random(seed), longest_s=0.001)
    assert wire == wires.scheduled(BODY, Random(seed), longest_s=0.001)
    [(_, body, fault)] = await fetch(wire)
    text = body.replace(b": ping\n\n", b"")
    assert BODY.startswith(text)
    assert text == BODY or fault or wire.ends == "closes"


async def test_a_wire_needs_a_connection() -> None:
    async with httpx.AsyncClient(transport=ReplayTransport(wires.unanswered())) as http:
        with pytest.raises(ConfigError, match="ReplayServer"):
            await http.post("http://a.test")


async def test_what_the_client_sends_ahead_is_answered_next() -> None:
    async with ReplayServer([wires.error(503), wires.error(529)]) as server:
        port = int(server.url.rpartition(":")[2])
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            await stream.send(REQUEST * 2)
            data = b""
            with anyio.fail_after(2):
                while data.count(b"HTTP/1.1") < 2:
                    data += await stream.receive()
    assert (b"503" in data, b"529" in data) == (True, True)


def test_frames_of_other_dialects_can_be_scheduled_too() -> None:
    body = render(Answer(["Hello."]), "ollama")
    steps: list[Any] = wires.scheduled(body, Random(1), protocol="ollama").steps
    assert not any(step == b"8\r\n: ping\n\n\r\n" for step in steps)
