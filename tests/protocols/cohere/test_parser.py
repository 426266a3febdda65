"""Cohere's events → deltas: blocks, plans, calls, citations, and the lines of version 1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.accumulator import accumulate
from streamkit.deltas import (
    BlockAdded,
    CitationAdded,
    Delta,
    Logprobs,
    MessageEnd,
    MessageStart,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.errors import APIError, AuthenticationError, ProtocolError, ServerError, TruncatedStream
from streamkit.messages import FinishReason, MessageOutput
from streamkit.parts import CitationPart, RawPart
from streamkit.protocols import Parser, Quirks, get_protocol
from streamkit.testing.chunking import bytewise, two_parts
from streamkit.testing.outcome import numbered_ids, read_pieces
from streamkit.usage import Usage

START = MessageStart(id="r", provider="acme", protocol="cohere")
COMPLETE = MessageEnd(FinishReason("stop", "COMPLETE"))
CALLED = MessageEnd(FinishReason("tool_call", "TOOL_CALL"))
BEGIN = {"type": "message-start", "id": "r", "delta": {"message": {"role": "assistant", "content": []}}}


def event(type: str, index: int | None = None, **message: Any) -> dict[str, Any]:
    numbered = {} if index is None else {"index": index}
    return {"type": type, **numbered, "delta": {"message": message}}


def start(index: int, kind: str = "text", said: str = "") -> dict[str, Any]:
    return event("content-start", index, content={"type": kind, kind: said})


def piece(index: int, said: str, kind: str = "text", **fields: Any) -> dict[str, Any]:
    return event("content-delta", index, content={kind: said}) | fields


def stop(index: int) -> dict[str, Any]:
    return {"type": "content-end", "index": index}


def block(index: int, said: str, kind: str = "text") -> list[dict[str, Any]]:
    return [start(index, kind), piece(index, said, kind), stop(index)]


def call(index: int, arguments: str = "", id: str = "c1", name: str = "add") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return event("tool-call-start", index, tool_calls={"id": id, "type": "function", "function": function})


def more(index: int, arguments: str) -> dict[str, Any]:
    return event("tool-call-delta", index, tool_calls={"function": {"arguments": arguments}})


def called(index: int) -> dict[str, Any]:
    return {"type": "tool-call-end", "index": index}


def end(reason: Any = "COMPLETE", **fields: Any) -> dict[str, Any]:
    return {"type": "message-end", "delta": {"finish_reason": reason, **fields}}


def plan(said: str) -> dict[str, Any]:
    return event("tool-plan-delta", tool_plan=said)


def body(*events: dict[str, Any]) -> bytes:
    return b"".join(f"event: {each.get('type')}\ndata: {json.dumps(each)}\n\n".encode() for each in events)


def new(**options: Any) -> Parser:
    return get_protocol("cohere").parser(provider="acme", mint=numbered_ids(), **options)


def read(data: bytes, **options: Any) -> list[Delta]:
    parser = new(**options)
    return parser.feed(data) + parser.finish()


def output(data: bytes, **options: Any) -> MessageOutput:
    return accumulate(read(data, **options))


CITED = {"start": 0, "end": 2, "text": "So", "sources": [{"type": "document", "id": "d"}], "type": "TEXT_CONTENT"}
SO: list[Delta] = [START, TextStart(0), TextDelta(0, "So"), TextEnd(0)]
CASES: list[tuple[str, list[dict[str, Any]], list[Delta]]] = [
    ("text", [BEGIN, *block(0, "So"), end()], [*SO, COMPLETE]),
    (
        "thinking, then text",
        [BEGIN, *block(0, "Hm", "thinking"), *block(1, "So"), end()],
        [
            START,
            *(ThinkingStart(0), ThinkingDelta(0, "Hm"), ThinkingEnd(0)),
            *(TextStart(1), TextDelta(1, "So"), TextEnd(1), COMPLETE),
        ],
    ),
    (
        "two blocks of text",
        [BEGIN, *block(0, "So"), *block(1, "!"), end()],
        [*SO, TextStart(1), TextDelta(1, "!"), TextEnd(1), COMPLETE],
    ),
    ("a start with text", [BEGIN, start(0, said="So"), stop(0), end()], [*SO, COMPLETE]),
    ("no start", [BEGIN, piece(0, "So"), end()], [*SO, COMPLETE]),
    ("no end of a block", [BEGIN, start(0), piece(0, "So"), end()], [*SO, COMPLETE]),
    (
        "no message-start",
        [*block(0, "So"), end()],
        [MessageStart(provider="acme", protocol="cohere"), *SO[1:], COMPLETE],
    ),
    (
        "content 0 and call 0",
        [BEGIN, *block(0, "So"), call(0), more(0, '{"a":'), more(0, "1}"), called(0), end("TOOL_CALL")],
        [
            *SO,
            *(ToolCallStart(1, "c1", "add"), ToolCallDelta(1, '{"a":'), ToolCallDelta(1, "1}"), ToolCallEnd(1)),
            CALLED,
        ],
    ),
    (
        "calls that overlap",
        [
            BEGIN,
            call(0),
            call(1, id="c2"),
            more(0, "{"),
            more(1, "{}"),
            more(0, "}"),
            called(1),
            called(0),
            end("TOOL_CALL"),
        ],
        [
            START,
            *(ToolCallStart(0, "c1", "add"), ToolCallStart(1, "c2", "add")),
            *(ToolCallDelta(0, "{"), ToolCallDelta(1, "{}"), ToolCallDelta(0, "}"), ToolCallEnd(1), ToolCallEnd(0)),
            CALLED,
        ],
    ),
    (
        "calls as a list",
        [
            BEGIN,
            event("tool-call-start", 0, tool_calls=[{"id": "c1", "function": {"name": "add", "arguments": "{}"}}]),
            called(0),
            end("TOOL_CALL"),
        ],
        [START, ToolCallStart(0, "c1", "add"), ToolCallDelta(0, "{}"), ToolCallEnd(0), CALLED],
    ),
    (
        "a call without an id or an end",
        [BEGIN, call(0, "{}", id=""), end("COMPLETE")],
        [
            START,
            ToolCallStart(0, "minted_0", "add"),
            ToolCallDelta(0, "{}"),
            ToolCallEnd(0),
            MessageEnd(FinishReason("tool_call", "COMPLETE")),
        ],
    ),
    (
        "a plan is a part of its own",
        [BEGIN, plan("I "), plan("add"), call(0, "{}"), called(0), end("TOOL_CALL")],
        [
            START,
            BlockAdded(0, RawPart({"type": "tool_plan", "tool_plan": "I add"})),
            *(ToolCallStart(1, "c1", "add"), ToolCallDelta(1, "{}"), ToolCallEnd(1), CALLED),
        ],
    ),
    (
        "a citation while its text comes",
        [
            BEGIN,
            start(0),
            piece(0, "So"),
            event("citation-start", 0, citations=CITED | {"content_index": 0}),
            {"type": "citation-end", "index": 0},
            piece(0, "!"),
            stop(0),
            end(),
        ],
        [
            START,
            *(TextStart(0), TextDelta(0, "So"), CitationAdded(0, CITED | {"content_index": 0}), TextDelta(0, "!")),
            *(TextEnd(0), COMPLETE),
        ],
    ),
    (
        "a citation after its text, as a list",
        [BEGIN, *block(0, "So"), event("citation-start", 0, citations=[CITED]), end()],
        [*SO, CitationAdded(0, CITED), COMPLETE],
    ),
    (
        "a citation of thinking",
        [
            BEGIN,
            *block(0, "Hm", "thinking"),
            event("citation-start", 0, citations={"type": "THINKING_CONTENT", "content_index": 0}),
            end(),
        ],
        [
            START,
            *(ThinkingStart(0), ThinkingDelta(0, "Hm"), ThinkingEnd(0)),
            *(BlockAdded(1, CitationPart({"type": "THINKING_CONTENT", "content_index": 0})), COMPLETE),
        ],
    ),
    (
        "log probabilities",
        [
            BEGIN,
            start(0),
            piece(0, "So", logprobs={"text": "So", "token_ids": [1], "logprobs": [-0.5]}),
            stop(0),
            end(),
        ],
        [
            *SO[:3],
            *(Logprobs([{"text": "So", "token_ids": [1], "logprobs": [-0.5]}]), TextEnd(0), COMPLETE),
        ],
    ),
    (
        "usage",
        [
            BEGIN,
            *block(0, "So"),
            end(usage={"tokens": {"input_tokens": 9.0, "output_tokens": 4.0}, "billed_units": {"input_tokens": 1.0}}),
        ],
        [*SO, UsageSnapshot(Usage(9, 4)), COMPLETE],
    ),
    ("a debug event", [{"type": "debug", "prompt": "<s>"}, BEGIN, *block(0, "So"), end()], [*SO, COMPLETE]),
    (
        "an event that nobody knows",
        [BEGIN, {"type": "news", "n": 1}, *block(0, "So"), end()],
        [START, UnknownFrame('{"type": "news", "n": 1}', "news"), *SO[1:], COMPLETE],
    ),
    (
        "content that nobody knows",
        [
            BEGIN,
            event("content-start", 0, content={"type": "image", "alt": "a ", "n": 1}),
            event("content-delta", 0, content={"alt": "cat", "n": 2}),
            event("content-end", 0),
            end(),
        ],
        [START, BlockAdded(0, RawPart({"type": "image", "alt": "a cat", "n": 2})), COMPLETE],
    ),
    (
        "content that nobody knows and that has no end",
        [BEGIN, event("content-start", 0, content={"type": "image"}), end()],
        [START, BlockAdded(0, RawPart({"type": "image"})), COMPLETE],
    ),
]


@pytest.mark.parametrize(("events", "deltas"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_events_are_deltas_in_any_cut(events: list[dict[str, Any]], deltas: list[Delta]) -> None:
    data = body(*events) + b"data: [DONE]\n\n"
    assert read(data) == deltas
    assert read(body(*events)) == deltas
    whole = read_pieces([data], new())
    assert whole.error is None
    for pieces in (bytewise(data), *two_parts(data)):
        assert read_pieces(pieces, new()) == whole


def test_the_events_name_tells_the_type_where_the_json_does_not() -> None:
    data = body(BEGIN, *block(0, "So"), end())
    nameless = data.replace(b'"type": "content-delta", ', b"").replace(b'"type": "message-end", ', b"")
    assert nameless.count(b'"type"') < data.count(b'"type"')
    assert read(nameless) == read(data)


def test_a_plan_streams_as_thinking_where_the_quirk_says_so() -> None:
    data = body(BEGIN, plan("I "), plan("add"), *block(0, "Hm", "thinking"), call(0, "{}"), called(0), end("TOOL_CALL"))
    assert read(data, quirks=Quirks(plan_as_thinking=True)) == [
        START,
        *(ThinkingStart(0), ThinkingDelta(0, "I "), ThinkingDelta(0, "add"), ThinkingEnd(0, extra={"tool_plan": True})),
        *(ThinkingStart(1), ThinkingDelta(1, "Hm"), ThinkingEnd(1)),
        *(ToolCallStart(2, "c1", "add"), ToolCallDelta(2, "{}"), ToolCallEnd(2), CALLED),
    ]


NULLS = [
    {"type": "content-start", "index": 0, "delta": None},
    {"type": "content-delta", "index": 0, "delta": {"message": None}},
    event("content-delta", 0, content=None),
    piece(0, None),
    event("tool-plan-delta", tool_plan=None),
    event("tool-call-start", 0, tool_calls=None),
    event("tool-call-delta", 0, tool_calls={"function": None}),
    event("citation-start", 0, citations=None),
    {"type": "tool-call-end", "index": None},
    {"type": "content-end"},
]


@pytest.mark.parametrize("null", NULLS, ids=lambda null: json.dumps(null)[:60])
def test_null_anywhere_is_nothing(null: dict[str, Any]) -> None:
    said = output(body(BEGIN, null, *block(0, "So"), end()))
    assert (said.message.text, said.finish_reason) == ("So", FinishReason("stop", "COMPLETE"))
    assert output(body(BEGIN, {"type": "message-end", "delta": None})).finish_reason == FinishReason(
        "stop", synthesized=True
    )


REASONS: list[tuple[Any, FinishReason]] = [
    ("STOP_SEQUENCE", FinishReason("stop", "STOP_SEQUENCE")),
    ("MAX_TOKENS", FinishReason("length", "MAX_TOKENS")),
    ("TOOL_CALL", FinishReason("tool_call", "TOOL_CALL")),
    ("ERROR_TOXIC", FinishReason("refusal", "ERROR_TOXIC")),
    ("ERROR_LIMIT", FinishReason("length", "ERROR_LIMIT")),
    ("BORED", FinishReason("other", "BORED")),
    (None, FinishReason("stop", synthesized=True)),
    (5, FinishReason("stop", synthesized=True)),
]


@pytest.mark.parametrize(("word", "reason"), REASONS, ids=[str(case[0]) for case in REASONS])
def test_the_reason_is_kept_as_it_was_said(word: Any, reason: FinishReason) -> None:
    assert output(body(BEGIN, *block(0, "So"), end(word))).finish_reason == reason


FAILURES: list[tuple[str, dict[str, Any], str]] = [
    ("an error", end("ERROR", error="invalid tool generation", error_type="INVALID_TOOL_GENERATION"), "invalid tool"),
    ("an error without a text", end("ERROR"), "ended with ERROR"),
    ("a timeout", end("TIMEOUT"), "ended with TIMEOUT"),
]


@pytest.mark.parametrize(("last", "says"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES])
def test_an_end_that_reports_an_error_keeps_what_came_before(last: dict[str, Any], says: str) -> None:
    parser = new()
    last["delta"]["usage"] = {"tokens": {"input_tokens": 3.0, "output_tokens": 1.0}}
    deltas = parser.feed(body(BEGIN, start(0), piece(0, "So"), last))
    assert deltas[-2:] == [TextDelta(0, "So"), UsageSnapshot(Usage(3, 1))]
    with pytest.raises(ServerError, match=says) as caught:
        parser.finish()
    assert (caught.value.status, caught.value.provider, caught.value.retryable) == (200, "acme", True)


def test_a_plan_that_is_held_back_is_given_out_with_an_error() -> None:
    parser = new()
    parser.feed(body(BEGIN, plan("I add"), end("ERROR", error="no")))
    with pytest.raises(APIError) as caught:
        parser.finish()
    assert caught.value.deltas == [BlockAdded(0, RawPart({"type": "tool_plan", "tool_plan": "I add"}))]


BODIES: list[tuple[str, bytes, type[APIError]]] = [
    ("a text", b'{"message":"invalid api token","id":"x"}', ServerError),
    ("an error of a gateway", b'{"error":{"message":"no","type":"authentication_error"}}', AuthenticationError),
    ("a named event", b"event: error\ndata: no\n\n", ServerError),
]


@pytest.mark.parametrize(("data", "kind"), [case[1:] for case in BODIES], ids=[case[0] for case in BODIES])
def test_a_body_that_is_an_error_is_one(data: bytes, kind: type[APIError]) -> None:
    parser = new()
    with pytest.raises(APIError) as caught:
        parser.feed(data)
        parser.finish()
    assert type(caught.value) is kind


BROKEN: list[tuple[str, bytes]] = [
    ("no JSON", b"hello"),
    ("half JSON", b'{"type":"content-delta","index":0'),
    ("text that is a number", b'{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":5}}}}'),
    ("content that is text", b'{"type":"content-delta","index":0,"delta":{"message":{"content":"a"}}}'),
    ("a call that is text", b'{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":"a"}}}'),
    (
        "arguments of no call",
        b'{"type":"tool-call-delta","index":7,"delta":{"message":{"tool_calls":{"function":{"arguments":"{"}}}}}',
    ),
    ("deep nesting", b'{"type":"content-delta","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
]


@pytest.mark.parametrize("frame", [case[1] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_event_is_an_error_with_the_frame(frame: bytes) -> None:
    parser = new()
    assert TextDelta(0, "So") in parser.feed(body(BEGIN, *block(0, "So")) + b"data: " + frame + b"\n\n")
    with pytest.raises(ProtocolError) as caught:
        parser.finish()
    assert caught.value.frame
    assert frame.startswith(bytes(caught.value.frame))


CUT = [
    ("nothing", b"", "before an answer began"),
    ("only the sentinel", b"data: [DONE]\n\n", "before an answer began"),
    ("no message-end", body(BEGIN, *block(0, "So")), "in the middle of the answer"),
]


@pytest.mark.parametrize(("data", "where"), [case[1:] for case in CUT], ids=[case[0] for case in CUT])
def test_a_stream_without_its_end_is_truncated(data: bytes, where: str) -> None:
    with pytest.raises(TruncatedStream, match=where):
        read(data)


def test_the_sentinel_ends_an_answer_without_its_end() -> None:
    said = output(body(BEGIN, *block(0, "So")) + b"data: [DONE]\n\n")
    assert said.finish_reason == FinishReason("stop", synthesized=True)
    assert output(body(BEGIN, *block(0, "So")), quirks=Quirks(end_without_finish=True)) == said


def test_an_answer_that_was_not_streamed_is_read_as_well() -> None:
    message = {
        "role": "assistant",
        "tool_plan": "I add",
        "content": [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "So"}, {"type": "image"}],
        "citations": [CITED | {"content_index": 1}],
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a":1}'}}],
    }
    answer = {
        "id": "r",
        "finish_reason": "TOOL_CALL",
        "message": message,
        "usage": {"tokens": {"input_tokens": 3, "output_tokens": 1}},
    }
    said = output(json.dumps(answer).encode())
    assert (said.id, said.message.text, said.message.thinking) == ("r", "So", "Hm")
    assert [each.function.arguments for each in said.message.tool_calls or []] == [{"a": 1}]
    assert CitationPart(CITED | {"content_index": 1}) in said.message.contents
    assert (said.finish_reason, said.usage) == (FinishReason("tool_call", "TOOL_CALL"), Usage(3, 1))
    plain = {"finish_reason": "COMPLETE", "message": {"content": "So"}}
    assert output(json.dumps(plain).encode()).message.text == "So"


def lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in events)


V1_END = {
    "is_finished": True,
    "event_type": "stream-end",
    "finish_reason": "COMPLETE",
    "response": {"text": "Hello", "meta": {"tokens": {"input_tokens": 9, "output_tokens": 2}}},
}


def test_the_end_of_version_1_does_not_say_the_text_twice() -> None:
    data = lines(
        {"is_finished": False, "event_type": "stream-start", "generation_id": "g"},
        {"is_finished": False, "event_type": "search-results", "documents": []},
        {"is_finished": False, "event_type": "text-generation", "text": "Hel"},
        {"is_finished": False, "event_type": "text-generation", "text": "lo"},
        {"is_finished": False, "event_type": "citation-generation", "citations": [{"start": 0, "end": 2}]},
        V1_END,
    )
    said = output(data, framing="ndjson")
    assert (said.id, said.message.text, said.usage) == ("g", "Hello", Usage(9, 2))
    assert CitationPart({"start": 0, "end": 2}) in said.message.contents
    assert read_pieces(bytewise(data), new(framing="ndjson")) == read_pieces([data], new(framing="ndjson"))


def test_the_calls_of_version_1_come_whole_after_their_pieces() -> None:
    data = lines(
        {"event_type": "tool-calls-chunk", "text": "I add"},
        {"event_type": "tool-calls-chunk", "tool_call_delta": {"index": 0, "parameters": "{"}},
        {"event_type": "tool-calls-generation", "tool_calls": [{"name": "add", "parameters": {"a": 1}}]},
        V1_END,
    )
    said = output(data, framing="ndjson")
    calls = [(each.id, each.function.name, each.function.arguments) for each in said.message.tool_calls or []]
    assert calls == [("minted_0", "add", {"a": 1})]
    assert RawPart({"type": "tool_plan", "tool_plan": "I add"}) in said.message.contents
    assert said.finish_reason == FinishReason("tool_call", "COMPLETE")


def test_halves_of_a_character_are_joined_and_a_lone_one_is_replaced() -> None:
    pair = body(BEGIN, start(0), piece(0, "\ud83d"), piece(0, "\ude00"), plan("p\ud83d"), plan("\ude00"), end())
    message = output(pair).message
    assert message.text == "😀"
    assert RawPart({"type": "tool_plan", "tool_plan": "p😀"}) in message.contents
    assert output(body(BEGIN, *block(0, "a\ud83d"), end("b\ud83d"))).message.text == "a\ufffd"
