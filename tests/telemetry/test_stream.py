"""The span of a stream, by the real SDK over real HTTP."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode

from streamkit.client import Client
from streamkit.client.retries import Retry
from streamkit.deltas import TextDelta
from streamkit.errors import AuthenticationError, StreamkitError, TruncatedStream
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, ImagePart, TextPart
from streamkit.testing import Answer, Call, ReplayServer, Reply, Thinking, error_reply, render, wires
from streamkit.usage import Usage

KEY = "sk-live-0123456789abcdef"
SAID = "It is sunny in Oslo."
ANSWER = Answer([Thinking("Hm."), SAID], usage=Usage(10, 5, 3, None, 2), id="resp_1", model="gpt-5-2025")
SECRETS = (KEY, "cookie-of-mine")


def client_at(server: ReplayServer, seen: Any, model: str = "openai/gpt-5", **options: Any) -> Client:
    content = {"content": options.pop("content", None), "chunk_gaps": options.pop("chunk_gaps", False)}
    return Client(
        model,
        api_key=KEY,
        base_url=server.url,
        headers={"cookie": "cookie-of-mine"},
        telemetry=seen.telemetry(**content),
        **{"retry": Retry(first_wait_s=0), **options},
    )


def attributes(span: ReadableSpan, prefix: str = "") -> dict[str, Any]:
    return {name: value for name, value in (span.attributes or {}).items() if name.startswith(prefix)}


async def test_an_answer_is_a_span_by_the_conventions(seen: Any) -> None:
    async with ReplayServer(ANSWER) as server, client_at(server, seen) as client:
        await client.send("Weather?", temperature=0.5, max_tokens=50, stop=["END"], seed=7, top_p=0.9)
    span = seen.span
    assert (span.name, span.kind, span.parent) == ("chat gpt-5", SpanKind.CLIENT, None)
    assert span.status.status_code is StatusCode.UNSET
    found = attributes(span)
    assert 0 < found.pop("gen_ai.response.time_to_first_chunk") < 10
    assert found == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "server.address": "127.0.0.1",
        "server.port": int(server.url.rpartition(":")[2]),
        "gen_ai.request.model": "gpt-5",
        "gen_ai.request.stream": True,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.request.max_tokens": 50,
        "gen_ai.request.stop_sequences": ("END",),
        "gen_ai.request.seed": 7,
        "gen_ai.response.id": "resp_1",
        "gen_ai.response.model": "gpt-5-2025",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 13,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 3,
        "gen_ai.usage.reasoning.output_tokens": 2,
    }
    assert seen.events == []


async def test_the_parent_is_the_span_that_is_current_and_stays_so(seen: Any) -> None:
    tracer = seen.tracers.get_tracer("test")
    async with ReplayServer(ANSWER) as server, client_at(server, seen) as client:
        with tracer.start_as_current_span("mine") as mine:
            async with client.stream("Weather?") as stream:
                assert trace.get_current_span() is mine
                async for _ in stream:
                    assert trace.get_current_span() is mine
            assert trace.get_current_span() is mine
    assert seen.spans[0].parent.span_id == mine.get_span_context().span_id


async def test_what_the_http_library_records_stands_below_the_span(seen: Any) -> None:
    import httpx

    current = []

    async def request(_: httpx.Request) -> None:
        current.append(trace.get_current_span().get_span_context().span_id)

    async with (
        httpx.AsyncClient(event_hooks={"request": [request]}) as http,
        ReplayServer([wires.error(503), ANSWER]) as server,
        client_at(server, seen, http_client=http) as client,
    ):
        await client.send("Weather?")
    assert current == [seen.span.context.span_id] * 2


async def test_streams_side_by_side_do_not_mix(seen: Any) -> None:
    async with ReplayServer(Reply(body=ANSWER, pace_s=0.001)) as server, client_at(server, seen) as client:
        tracer = seen.tracers.get_tracer("test")

        async def ask(name: str) -> None:
            with tracer.start_as_current_span(name):
                await client.send("Weather?", user=name)

        async with anyio.create_task_group() as tasks:
            for name in "abcd":
                tasks.start_soon(ask, name)
    chats = [span for span in seen.spans if span.name.startswith("chat")]
    parents = {span.context.span_id for span in seen.spans if span.parent is None}
    assert len(chats) == len({span.parent.span_id for span in chats} & parents) == 4


async def test_retries_are_events_of_one_span(seen: Any) -> None:
    async with ReplayServer([wires.error(529), wires.error(500), ANSWER]) as server, client_at(server, seen) as client:
        await client.send("Weather?")
    first, second = seen.span.events
    assert first.name == second.name == "streamkit.retry"
    assert first.attributes["error.type"] == "streamkit.errors.Overloaded"
    assert second.attributes["error.type"] == "streamkit.errors.ServerError"
    assert [event.attributes["streamkit.retry.number"] for event in (first, second)] == [1, 2]
    assert first.attributes["gen_ai.request.model"] == "gpt-5"
    assert seen.span.status.status_code is StatusCode.UNSET


FAILURES: list[tuple[str, Any, type[StreamkitError], int | None]] = [
    ("before the answer", wires.error(401, headers={"x-request-id": "req_1"}), AuthenticationError, 401),
    ("inside it", render(ANSWER)[:700], TruncatedStream, None),
]


@pytest.mark.parametrize(
    ("reply", "kind", "status"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES]
)
async def test_an_error_is_the_status_of_the_span(
    reply: Any, kind: type[StreamkitError], status: int | None, seen: Any
) -> None:
    async with ReplayServer(reply) as server, client_at(server, seen, retry=0) as client:
        with pytest.raises(kind):
            await client.send("Weather?")
    span = seen.span
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, kind.__name__)
    assert attributes(span)["error.type"] == f"streamkit.errors.{kind.__name__}"
    assert attributes(span).get("http.response.status_code") == status
    assert attributes(span).get("streamkit.request_id") == (status and "req_1")
    assert attributes(span)["gen_ai.response.finish_reasons"] == ("error",)
    (point,) = seen.points["gen_ai.client.operation.duration"]
    assert point.attributes["error.type"] == f"streamkit.errors.{kind.__name__}"


@pytest.mark.parametrize("way", ["closed", "cancelled"])
async def test_a_stream_that_is_left_has_not_failed(way: str, seen: Any) -> None:
    async with ReplayServer(Reply(body=render(ANSWER), pace_s=0.002)) as server, client_at(server, seen) as client:
        with anyio.CancelScope() as scope:
            async with client.stream("Weather?") as stream:
                async for delta in stream:
                    if isinstance(delta, TextDelta):
                        if way == "closed":
                            break
                        scope.cancel()
    span = seen.span
    assert span.status.status_code is StatusCode.UNSET
    assert attributes(span, "streamkit.") == {"streamkit.left": way}
    assert "error.type" not in attributes(span)
    assert attributes(span)["gen_ai.response.finish_reasons"] == ("error",)


QUERY = [
    Message("system", [TextPart("Be brief.")]),
    Message("user", [TextPart("Look:"), ImagePart(EmbeddedImage("image/png", b"\x89PNG"))]),
]


async def test_nothing_that_was_said_and_no_secret_is_recorded(seen: Any) -> None:
    script = [Answer([Thinking("Hm."), SAID]), error_reply(400, SAID), b"data: " + SAID.encode() + b"\n\n"]
    async with ReplayServer(script) as server, client_at(server, seen, retry=0) as client:
        for _ in script:
            try:
                await client.send(QUERY)
            except StreamkitError:
                pass
    told = "".join(span.to_json() for span in seen.spans) + str(seen.points)
    assert len(seen.spans) == 3
    for word in (*SECRETS, "sunny", "Be brief", "Look", "Hm."):
        assert word not in told


@pytest.mark.parametrize("content", ["span", "event", "both"])
async def test_what_was_said_is_recorded_where_it_is_asked_for(content: str, seen: Any) -> None:
    script = [Answer([Thinking("Hm."), SAID, Call("go", {"to": "Oslo"}, id="c1")])]
    async with ReplayServer(script) as server, client_at(server, seen, content=content) as client:
        await client.send(QUERY)
    told = [
        {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
        {"role": "user", "parts": [{"type": "text", "content": "Look:"}, {"type": "image"}]},
    ]
    call = {"type": "tool_call", "id": "c1", "name": "go", "arguments": {"to": "Oslo"}}
    said = [
        {
            "role": "assistant",
            "parts": [{"type": "reasoning", "content": "Hm."}, {"type": "text", "content": SAID}, call],
            "finish_reason": "tool_call",
        }
    ]
    on_span = attributes(seen.span, "gen_ai.input") | attributes(seen.span, "gen_ai.output")
    if content == "event":
        assert on_span == {}
    else:
        assert {name: json.loads(text) for name, text in on_span.items()} == {
            "gen_ai.input.messages": told,
            "gen_ai.output.messages": said,
        }
    assert len(seen.events) == (content != "span")
    for event in seen.events:
        assert event.event_name == "gen_ai.client.inference.operation.details"
        assert event.span_id == seen.span.context.span_id
        plain = json.loads(json.dumps(event.attributes, default=_plain))
        assert plain["gen_ai.input.messages"] == told
        assert plain["gen_ai.output.messages"] == said
        assert plain["gen_ai.operation.name"] == "chat"


def _plain(value: Any) -> Any:
    """What the SDK holds in types of its own."""
    return dict(value) if hasattr(value, "keys") else list(value)
