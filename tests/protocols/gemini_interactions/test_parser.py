"""The events of an interaction → deltas: steps and the contents before them, statuses, usage, errors, going on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.accumulator import accumulate
from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    CitationAdded,
    Delta,
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
from streamkit.errors import (
    APIError,
    AuthenticationError,
    ConfigError,
    InvalidRequest,
    NotFound,
    Overloaded,
    PermissionDenied,
    ProtocolError,
    QuotaExceeded,
    RateLimited,
    ServerError,
    StreamkitError,
    TruncatedStream,
)
from streamkit.limits import Limits
from streamkit.messages import FinishReason
from streamkit.parts import EmbeddedImage, FilePart, ImagePart, ImageUrl, RawPart, ServerToolPart
from streamkit.protocols import Parser, Quirks, get_protocol
from streamkit.providers import get_provider
from streamkit.testing.chunking import bytewise, splits
from streamkit.testing.outcome import numbered_ids, read_pieces
from streamkit.usage import Usage
from streamkit.wire import Frame

Event = dict[str, Any]

START = MessageStart(id="v1_a", model="m", provider="google", protocol="gemini-interactions")
STOP = MessageEnd(FinishReason("stop", "completed"))
CALLED = MessageEnd(FinishReason("tool_call", "requires_action"))


def event(kind: str, **fields: Any) -> Event:
    return {**fields, "event_type": kind}


def interaction(status: str, **fields: Any) -> Event:
    return {"id": "v1_a", "status": status, "object": "interaction", "model": "m", **fields}


CREATED = event("interaction.created", interaction=interaction("in_progress"))
RUNNING = event("interaction.status_update", interaction_id="v1_a", status="in_progress")


def completed(status: str = "completed", **fields: Any) -> Event:
    return event("interaction.completed", interaction=interaction(status, **fields))


def step(index: int, type: str, *deltas: Event, **fields: Any) -> list[Event]:
    """A step with its deltas, of the events that are sent now."""
    return [
        event("step.start", index=index, step={"type": type, **fields}),
        *(event("step.delta", index=index, delta=delta) for delta in deltas),
        event("step.stop", index=index),
    ]


def content(index: int, type: str, *deltas: Event, **fields: Any) -> list[Event]:
    """A content with its deltas, of the events before May 2026."""
    return [
        event("content.start", index=index, content={"type": type, **fields}),
        *(event("content.delta", index=index, delta=delta) for delta in deltas),
        event("content.stop", index=index),
    ]


def text(said: str, **fields: Any) -> Event:
    return {"type": "text", "text": said, **fields}


def summary(said: str) -> Event:
    return {"type": "thought_summary", "content": {"type": "text", "text": said}}


def signature(value: str) -> Event:
    return {"type": "thought_signature", "signature": value}


def arguments(piece: str) -> Event:
    return {"type": "arguments_delta", "arguments": piece}


def framed(*events: Event | bytes) -> bytes:
    frames = []
    for each in events:
        if isinstance(each, bytes):
            frames.append(each)
        else:
            name = f"event: {each['event_type']}\n" if "event_type" in each else ""
            frames.append(f"{name}data: {json.dumps(each)}\n\n".encode())
    return b"".join(frames)


DONE = b"event: done\ndata: [DONE]\n\n"


def new(**options: Any) -> Parser:
    return get_protocol("gemini-interactions").parser(provider="google", mint=numbered_ids(), **options)


def read(*events: Event | bytes, **options: Any) -> list[Delta]:
    parser = new(**options)
    return parser.feed(framed(*events)) + parser.finish()


def answer(*events: Event, status: str = "completed") -> list[Delta]:
    """What events between the first and the last add."""
    first, *deltas, last = read(CREATED, *events, completed(status), DONE)
    assert first == START
    assert isinstance(last, MessageEnd)
    return deltas


CITED = {"type": "url_citation", "url": "https://example.org", "title": "x", "start_index": 0, "end_index": 2}
PLACE = {"type": "place_citation", "name": "Café", "place_id": "places/1"}
SEARCH_ARGUMENTS = {"queries": ["rain"]}
SEARCH_CALL = {"type": "google_search_call", "id": "s1", "signature": "sig", "arguments": SEARCH_ARGUMENTS}
FOUND = [{"search_suggestions": "<div></div>"}]
PNG = "iVBORw0KGgo="

STEPS: list[tuple[str, list[Event], list[Delta]]] = [
    (
        "text in pieces",
        step(0, "model_output", text("Hel"), text("lo")),
        [TextStart(0), TextDelta(0, "Hel"), TextDelta(0, "lo"), TextEnd(0)],
    ),
    (
        "text that came with its start and goes on",
        step(0, "model_output", text("lo"), content=[text("Hel")]),
        [TextStart(0), TextDelta(0, "Hel"), TextDelta(0, "lo"), TextEnd(0)],
    ),
    (
        "two texts of one step",
        step(0, "model_output", content=[text("a"), text("b")]),
        [TextStart(0), TextDelta(0, "a"), TextEnd(0), TextStart(1), TextDelta(1, "b"), TextEnd(1)],
    ),
    (
        "a thought with its signature alone",
        step(0, "thought", signature("c2ln")),
        [ThinkingStart(0), ThinkingEnd(0, signature="c2ln")],
    ),
    (
        "a thought with a summary",
        step(0, "thought", summary("Hm"), summary("."), signature("c2ln")),
        [ThinkingStart(0), ThinkingDelta(0, "Hm"), ThinkingDelta(0, "."), ThinkingEnd(0, signature="c2ln")],
    ),
    (
        "a thought that came whole",
        step(0, "thought", signature="c2ln", summary=[{"type": "text", "text": "Hm."}]),
        [ThinkingStart(0), ThinkingDelta(0, "Hm."), ThinkingEnd(0, signature="c2ln")],
    ),
    (
        "a thought with an image",
        step(0, "thought", {"type": "thought_summary", "content": {"type": "image", "data": PNG}}),
        [ThinkingStart(0), ThinkingEnd(0, extra={"summary": [{"type": "image", "data": PNG}]})],
    ),
    (
        "a call whose arguments are streamed",
        step(0, "function_call", arguments('{"a"'), arguments(":1}"), id="c1", name="add", arguments={}, signature=""),
        [ToolCallStart(0, "c1", "add"), ToolCallDelta(0, '{"a"'), ToolCallDelta(0, ":1}"), ToolCallEnd(0)],
    ),
    (
        "a call that came whole",
        step(0, "function_call", id="c1", name="add", arguments={"a": 1}, signature="c2ln"),
        [ToolCallStart(0, "c1", "add"), ToolCallDelta(0, '{"a":1}'), ToolCallEnd(0, signature="c2ln")],
    ),
    (
        "a call without arguments or an id",
        step(0, "function_call", name="now"),
        [ToolCallStart(0, "minted_0", "now"), ToolCallEnd(0)],
    ),
    (
        "sources of a text, each once",
        step(
            0,
            "model_output",
            text("It"),
            {"type": "text_annotation_delta", "annotations": [CITED]},
            {"type": "text_annotation_delta", "annotations": [CITED, PLACE]},
        ),
        [TextStart(0), TextDelta(0, "It"), CitationAdded(0, CITED), CitationAdded(0, PLACE), TextEnd(0)],
    ),
    (
        "a source with its text",
        step(0, "model_output", text("It", annotations=[CITED])),
        [TextStart(0), TextDelta(0, "It"), CitationAdded(0, CITED), TextEnd(0)],
    ),
    (
        "a source before its text",
        step(0, "model_output", {"type": "text_annotation_delta", "annotations": [CITED]}, text("It")),
        [TextStart(0), CitationAdded(0, CITED), TextDelta(0, "It"), TextEnd(0)],
    ),
    (
        "an image between two texts",
        step(0, "model_output", text("a"), {"type": "image", "data": PNG, "mime_type": "image/png"}, text("b")),
        [
            *(TextStart(0), TextDelta(0, "a"), TextEnd(0)),
            BlockAdded(1, ImagePart(EmbeddedImage("image/png", b"\x89PNG\r\n\x1a\n"))),
            *(TextStart(2), TextDelta(2, "b"), TextEnd(2)),
        ],
    ),
    (
        "an image by its address, with a resolution",
        step(0, "model_output", {"type": "image", "uri": "https://example.org/a.png", "resolution": "low"}),
        [BlockAdded(0, ImagePart(ImageUrl("https://example.org/a.png")), extra={"resolution": "low"})],
    ),
    (
        "sound in pieces",
        step(
            0,
            "model_output",
            {"type": "audio", "data": "AAE=", "mime_type": "audio/l16", "sample_rate": 24000, "channels": 1},
            {"type": "audio", "data": "Ag=="},
        ),
        [AudioDelta(0, b"\x00\x01", format="audio/l16;rate=24000;channels=1"), AudioDelta(0, b"\x02")],
    ),
    (
        "a video and a document",
        step(
            0,
            "model_output",
            {"type": "video", "uri": "https://example.org/a.mp4", "mime_type": "video/mp4"},
            {"type": "document", "data": "JVBERi0=", "mime_type": "application/pdf"},
        ),
        [
            BlockAdded(0, FilePart("video/mp4", url="https://example.org/a.mp4")),
            BlockAdded(1, FilePart("application/pdf", b"%PDF-")),
        ],
    ),
    (
        "a content of a type that is not known",
        step(0, "model_output", content=[{"type": "hologram", "data": "x"}]),
        [BlockAdded(0, RawPart({"type": "hologram", "data": "x"}))],
    ),
    (
        "a search and what it found",
        [
            *step(
                0,
                "google_search_call",
                {"type": "google_search_call", "arguments": SEARCH_ARGUMENTS},
                id="s1",
                signature="sig",
            ),
            *step(1, "google_search_result", {"type": "google_search_result", "result": FOUND}, call_id="s1"),
        ],
        [
            BlockAdded(0, ServerToolPart("call", "s1", "google_search", SEARCH_CALL)),
            BlockAdded(
                1,
                ServerToolPart(
                    "result",
                    "s1",
                    "google_search",
                    {"type": "google_search_result", "call_id": "s1", "result": FOUND},
                ),
            ),
        ],
    ),
    (
        "a tool of an MCP server",
        [
            *step(
                0, "mcp_server_tool_call", arguments('{"q":'), arguments("1}"), id="t1", name="look", server_name="s"
            ),
            *step(1, "mcp_server_tool_result", call_id="t1", result="found"),
        ],
        [
            BlockAdded(
                0,
                ServerToolPart(
                    "call",
                    "t1",
                    "look",
                    {
                        "type": "mcp_server_tool_call",
                        "id": "t1",
                        "name": "look",
                        "server_name": "s",
                        "arguments": {"q": 1},
                    },
                ),
            ),
            BlockAdded(
                1,
                ServerToolPart(
                    "result", "t1", "look", {"type": "mcp_server_tool_result", "call_id": "t1", "result": "found"}
                ),
            ),
        ],
    ),
    ("what the caller said", step(0, "user_input", content=[text("hi")]), []),
    (
        "a step of a type that is not known",
        step(0, "dream", of="x"),
        [BlockAdded(0, RawPart({"type": "dream", "of": "x"}))],
    ),
    (
        "steps that take turns",
        [
            event("step.start", index=0, step={"type": "model_output"}),
            event("step.start", index=1, step={"type": "thought"}),
            event("step.delta", index=0, delta=text("a")),
            event("step.delta", index=1, delta=summary("Hm")),
            event("step.delta", index=0, delta=text("b")),
            event("step.stop", index=0),
            event("step.stop", index=1),
        ],
        [
            ThinkingStart(0),
            *(TextStart(1), TextDelta(1, "a"), ThinkingDelta(0, "Hm"), TextDelta(1, "b"), TextEnd(1)),
            ThinkingEnd(0),
        ],
    ),
    (
        "steps without a start or a stop",
        [event("step.delta", index=0, delta=summary("Hm")), event("step.delta", index=1, delta=text("a"))],
        [ThinkingStart(0), ThinkingDelta(0, "Hm"), TextStart(1), TextDelta(1, "a"), ThinkingEnd(0), TextEnd(1)],
    ),
    (
        "a number that comes again",
        [*step(0, "model_output", text("a")), *step(0, "model_output", text("b"))],
        [TextStart(0), TextDelta(0, "a"), TextEnd(0), TextStart(1), TextDelta(1, "b"), TextEnd(1)],
    ),
]

SERVER_TOOLS = [
    "code_execution",
    "computer_use",
    "file_search",
    "google_maps",
    "google_search",
    "mcp_server_tool",
    "processing",
    "retrieval",
    "tool_search",
    "url_context",
]
RAN = [*SERVER_TOOLS, "function"]  # an agent runs functions of its own

LEGACY: list[tuple[str, list[Event], list[Delta]]] = [
    ("text", content(0, "text", text("Hi")), [TextStart(0), TextDelta(0, "Hi"), TextEnd(0)]),
    (
        "a text with its source",
        content(0, "text", text("Hi"), {"type": "text_annotation", "annotations": [CITED]}),
        [TextStart(0), TextDelta(0, "Hi"), CitationAdded(0, CITED), TextEnd(0)],
    ),
    (
        "a text whose piece has a source",
        content(0, "text", text("Hi", annotations=[CITED]), text=""),
        [TextStart(0), TextDelta(0, "Hi"), CitationAdded(0, CITED), TextEnd(0)],
    ),
    (
        "a thought",
        content(0, "thought", summary("Hm"), signature("c2ln")),
        [ThinkingStart(0), ThinkingDelta(0, "Hm"), ThinkingEnd(0, signature="c2ln")],
    ),
    (
        "a call, whose name comes with its arguments",
        content(0, "function_call", {"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}}, id="c1"),
        [ToolCallStart(0, "c1", "f"), ToolCallDelta(0, '{"a":1}'), ToolCallEnd(0)],
    ),
    (
        "an image",
        content(0, "image", {"type": "image", "data": PNG, "mime_type": "image/png"}),
        [BlockAdded(0, ImagePart(EmbeddedImage("image/png", b"\x89PNG\r\n\x1a\n")))],
    ),
    (
        "a search",
        content(0, "google_search_call", id="s1", signature="sig", arguments=SEARCH_ARGUMENTS),
        [BlockAdded(0, ServerToolPart("call", "s1", "google_search", SEARCH_CALL))],
    ),
    (
        "a call without its start",
        [event("content.delta", index=0, delta={"type": "function_call", "id": "c1", "name": "f", "arguments": {}})],
        [ToolCallStart(0, "c1", "f"), ToolCallEnd(0)],
    ),
    (
        "a search without its start",
        [event("content.delta", index=0, delta=SEARCH_CALL)],
        [BlockAdded(0, ServerToolPart("call", "s1", "google_search", SEARCH_CALL))],
    ),
]


@pytest.mark.parametrize(("events", "deltas"), [case[1:] for case in STEPS], ids=[case[0] for case in STEPS])
def test_a_step_becomes_blocks(events: list[Event], deltas: list[Delta]) -> None:
    assert answer(*events) == deltas


@pytest.mark.parametrize(("events", "deltas"), [case[1:] for case in LEGACY], ids=[case[0] for case in LEGACY])
def test_a_content_of_the_older_events_becomes_blocks(events: list[Event], deltas: list[Delta]) -> None:
    first = event("interaction.start", interaction=interaction("in_progress"))
    last = event("interaction.complete", interaction=interaction("completed"))
    end = read(first, RUNNING, *events, last)
    assert end[:-1] == [START, *deltas]
    kind = "tool_call" if any(isinstance(delta, ToolCallStart) for delta in deltas) else "stop"
    assert end[-1] == MessageEnd(FinishReason(kind, "completed"))


@pytest.mark.parametrize("kind", [*(f"{name}_call" for name in SERVER_TOOLS), *(f"{name}_result" for name in RAN)])
def test_every_tool_that_google_runs_is_a_part(kind: str) -> None:
    name, _, phase = kind.rpartition("_")
    id = {"call": "id", "result": "call_id"}[phase]
    deltas = answer(*step(0, kind, {"type": kind, "signature": "s"}, **{id: "t1"}))
    raw = {"type": kind, id: "t1", "signature": "s"}
    assert deltas == [BlockAdded(0, ServerToolPart(phase, "t1", name, raw))]


def test_a_whole_answer_is_one_message() -> None:
    usage = {
        "total_tokens": 133,
        "total_input_tokens": 53,
        "total_cached_tokens": 3,
        "total_output_tokens": 10,
        "total_tool_use_tokens": 5,
        "total_thought_tokens": 65,
    }
    deltas = read(
        CREATED,
        RUNNING,
        *step(0, "thought", summary("Hm."), signature("c2ln")),
        *step(1, "model_output", text("Look: ")),
        *step(2, "function_call", arguments('{"a":1}'), id="c1", name="add", arguments={}),
        completed("requires_action", usage=usage),
        DONE,
    )
    assert deltas[-2:] == [UsageSnapshot(Usage(55, 75, 3, reasoning_tokens=65)), CALLED]
    output = accumulate(deltas)
    assert output.message.thinking == "Hm."
    assert output.message.text == "Look: "
    assert output.message.signature == "c2ln"
    assert [call.function.arguments for call in output.message.tool_calls or ()] == [{"a": 1}]
    assert (output.id, output.model) == ("v1_a", "m")


FINISHES = [
    ("completed", "stop"),
    ("requires_action", "tool_call"),
    ("incomplete", "length"),
    ("budget_exceeded", "length"),
    ("requires_continuation", "length"),
    ("cancelled", "aborted"),
    ("idle", "other"),
    ("a_word_of_tomorrow", "other"),
]


@pytest.mark.parametrize(("status", "kind"), FINISHES)
def test_a_status_says_why_the_answer_ended(status: str, kind: Any) -> None:
    assert read(CREATED, completed(status))[-1] == MessageEnd(FinishReason(kind, status))


ENDS: list[tuple[str, list[Event | bytes], FinishReason]] = [
    (
        "a status that is no end, in the event of the end",
        [completed("in_progress")],
        FinishReason("stop", "completed"),
    ),
    (
        "an update, and the end of input",
        [event("interaction.status_update", interaction_id="v1_a", status="incomplete")],
        FinishReason("length", "incomplete"),
    ),
    (
        "an update, and the sentinel",
        [event("interaction.status_update", interaction_id="v1_a", status="requires_action"), DONE],
        FinishReason("tool_call", "requires_action"),
    ),
    (
        "an event named for the status",
        [event("interaction.requires_action")],
        FinishReason("tool_call", "requires_action"),
    ),
    ("the sentinel alone", [DONE], FinishReason("stop", synthesized=True)),
    ("an end of the older events without a status", [event("interaction.complete")], FinishReason("stop", "complete")),
    ("a cancellation", [event("interaction.cancelled")], FinishReason("aborted", "cancelled")),
    (
        "a step that says why",
        [
            event("step.start", index=0, step={"type": "model_output", "error": {"code": 3, "message": "too loud"}}),
            completed("incomplete"),
        ],
        FinishReason("length", "incomplete", "too loud"),
    ),
]


@pytest.mark.parametrize(("events", "reason"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS])
def test_an_answer_ends_by_what_came(events: list[Event | bytes], reason: FinishReason) -> None:
    assert read(CREATED, *events)[-1] == MessageEnd(reason)


def test_usage_comes_with_any_event_and_each_change_is_told_once() -> None:
    small = {"total_input_tokens": 5, "total_output_tokens": 1, "total_tokens": 6}
    large = {"total_input_tokens": 5, "total_output_tokens": 9, "total_tokens": 14}
    deltas = read(
        CREATED,
        event("step.start", index=0, step={"type": "model_output"}),
        event("step.delta", index=0, delta=text("a")),
        event("step.delta", index=0, delta=text("b"), metadata={"total_usage": small}),
        event("step.delta", index=0, delta=text("c"), metadata={"total_usage": small}),
        event("step.delta", index=0, delta={"type": "ripple"}, metadata={"total_usage": small}),
        event("step.stop", index=0, usage=large),
        event("interaction.status_update", interaction_id="v1_a", status="in_progress", usage=large),
        completed(usage={"total_input_tokens": 0, "total_output_tokens": 0}),
    )
    assert [delta.usage for delta in deltas if isinstance(delta, UsageSnapshot)] == [Usage(5, 1), Usage(5, 9)]


def test_an_interaction_that_was_not_streamed_is_read() -> None:
    steps = [
        {"type": "user_input", "content": [text("hi")]},
        {"type": "thought", "signature": "c2ln"},
        {"type": "model_output", "content": [text("Hello.")]},
    ]
    body = json.dumps(interaction("completed", steps=steps, usage={"total_input_tokens": 3}), indent=1).encode()
    parser = new()
    assert parser.feed(body) + parser.finish() == [
        START,
        UsageSnapshot(Usage(3)),
        *(ThinkingStart(0), ThinkingEnd(0, signature="c2ln")),
        *(TextStart(1), TextDelta(1, "Hello."), TextEnd(1)),
        STOP,
    ]


def test_an_older_interaction_that_was_not_streamed_is_read() -> None:
    outputs = [text("Hi"), {"type": "function_call", "id": "c1", "name": "f", "arguments": {}}]
    parser = new()
    deltas = parser.feed(json.dumps({"id": "v1_a", "status": "requires_action", "outputs": outputs}).encode())
    output = accumulate(deltas + parser.finish())
    assert output.message.text == "Hi"
    assert [call.id for call in output.message.tool_calls or ()] == ["c1"]


def test_an_interaction_that_still_runs_is_no_answer() -> None:
    parser = new()
    parser.feed(json.dumps(interaction("in_progress")).encode())
    with pytest.raises(TruncatedStream):
        parser.finish()


def test_steps_that_only_the_last_event_has_are_read() -> None:
    steps = [{"type": "model_output", "content": [text("Late.")]}]
    assert accumulate(read(CREATED, completed(steps=steps))).message.text == "Late."
    assert (
        accumulate(read(CREATED, *step(0, "model_output", text("Now.")), completed(steps=steps))).message.text == "Now."
    )


def test_what_is_not_stored_has_no_id() -> None:
    first = event("interaction.created", interaction={"id": "", "status": "in_progress", "agent": "deep-research"})
    assert read(first, completed())[0] == MessageStart(
        model="deep-research", provider="google", protocol="gemini-interactions"
    )


@pytest.mark.parametrize("kind", [{}, {"event_type": None}], ids=["without a type", "with one that is null"])
def test_events_told_by_their_name_alone_are_read(kind: dict[str, None]) -> None:
    records = [
        CREATED,
        *step(0, "model_output", text("Hi")),
        event("interaction.completed", interaction={"id": "v1_a"}),
    ]
    frames = [
        f"event: {record['event_type']}\ndata: "
        + json.dumps({name: value for name, value in record.items() if name != "event_type"} | kind)
        + "\n\n"
        for record in records
    ]
    output = accumulate(read("".join(frames).encode()))
    assert (output.message.text, output.finish_reason) == ("Hi", FinishReason("stop", "completed"))


def test_logged_events_are_read() -> None:
    records = [CREATED, RUNNING, *step(0, "model_output", text("Hi")), completed()]
    parser = new(framing="json-lines")
    deltas = parser.feed("".join(json.dumps(record) + "\n" for record in records).encode()) + parser.finish()
    assert deltas == [START, TextStart(0), TextDelta(0, "Hi"), TextEnd(0), STOP]


UNKNOWN: list[tuple[str, Event]] = [
    ("an event", event("interaction.dreamt", of="x")),
    ("a delta", event("step.delta", index=0, delta={"type": "ripple", "x": 1})),
    ("a delta of a step that is not open", event("step.delta", index=7, delta={"type": "ripple"})),
]


@pytest.mark.parametrize("unknown", [case[1] for case in UNKNOWN], ids=[case[0] for case in UNKNOWN])
def test_what_is_not_known_is_passed_on(unknown: Event) -> None:
    first, *rest = step(0, "model_output", text("Hi"))
    kept = UnknownFrame(json.dumps(unknown), unknown["event_type"])
    assert answer(first, unknown, *rest) == [kept, TextStart(0), TextDelta(0, "Hi"), TextEnd(0)]


BROKEN: list[tuple[str, Event | bytes]] = [
    ("a step that is a list", event("step.start", index=0, step=[])),
    ("a start without its step", event("step.start", index=0)),
    ("a delta that is a text", event("step.delta", index=0, delta="x")),
    ("text that is a number", event("step.delta", index=0, delta={"type": "text", "text": 5})),
    ("an index that is a text", event("step.start", index="a", step={"type": "thought"})),
    ("arguments for no call", event("step.delta", index=0, delta=arguments("{}"))),
    ("an image that is no base64", event("step.delta", index=0, delta={"type": "image", "data": "?"})),
    ("an interaction that is a text", event("interaction.completed", interaction="x")),
    ("no JSON", b"data: hello\n\n"),
    ("half JSON", b'data: {"event_type":"step.delta"\n\n'),
    ("deep nesting", b'data: {"event_type":"step.delta","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n\n"),
]


@pytest.mark.parametrize("broken", [case[1] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_event_is_an_error_with_its_frame(broken: Event | bytes) -> None:
    parser = new()
    shown = parser.feed(framed(CREATED, *step(1, "model_output", text("Hi")), broken))
    assert accumulate(shown).message.text == "Hi"
    with pytest.raises(ProtocolError) as caught:
        parser.finish()
    assert caught.value.frame


def test_a_text_for_a_thought_is_an_error() -> None:
    with pytest.raises(ProtocolError, match="text for step 0"):
        answer(*step(0, "thought", text("Hi")))


@pytest.mark.parametrize("kind", ["function_call", "mcp_server_tool_call"])
def test_arguments_over_the_limit_are_an_error(kind: str) -> None:
    parser = new(limits=Limits(max_argument_bytes=8))
    parser.feed(framed(CREATED, *step(0, kind, arguments("x" * 5), arguments("é" * 2), id="c", name="f", arguments={})))
    with pytest.raises(ProtocolError, match="max_argument_bytes"):
        parser.finish()


# The codes of https://ai.google.dev/gemini-api/docs/api-errors, checked 2026-11-30, and what each is.
CODES: list[tuple[str, type[APIError], bool]] = [
    ("invalid_request", InvalidRequest, False),
    ("failed_precondition", InvalidRequest, False),
    ("out_of_range", InvalidRequest, False),
    ("parameter_unknown", InvalidRequest, False),
    ("authentication", AuthenticationError, False),
    ("payment_required", QuotaExceeded, False),
    ("permission_denied", PermissionDenied, False),
    ("not_found", NotFound, False),
    ("model_not_found", NotFound, False),
    ("rate_limit_exceeded", RateLimited, True),
    ("quota_exceeded", QuotaExceeded, False),
    ("too_many_requests", RateLimited, True),
    ("api_error", ServerError, True),
    ("service_unavailable", Overloaded, True),
    ("deadline_exceeded", ServerError, True),
    ("gateway_timeout", ServerError, True),
]


@pytest.mark.parametrize(("code", "kind", "retryable"), CODES)
def test_an_error_inside_the_stream_is_raised(code: str, kind: type[APIError], retryable: bool) -> None:
    outcome = new()
    outcome.feed(framed(CREATED, event("error", error={"code": code, "message": "It went wrong."})))
    with pytest.raises(kind, match="It went wrong") as caught:
        outcome.finish()
    assert type(caught.value) is kind
    assert (caught.value.code, caught.value.provider, caught.value.retryable) == (code, "google", retryable)


FAILURES: list[tuple[str, list[Event | bytes], str]] = [
    ("its errors", [completed("failed", errors=[{"code": "api_error", "message": "boom"}])], "boom"),
    ("nothing", [completed("failed")], "did not say why"),
    ("an update, and the sentinel", [event("interaction.status_update", status="failed"), DONE], "did not say why"),
    (
        "a step",
        [
            event("step.start", index=1, step={"type": "model_output", "error": {"code": 13, "message": "crash"}}),
            completed("failed"),
        ],
        "crash",
    ),
    ("a body of Google's", [b'data: {"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}\n\n'], "busy"),
    ("an event of that name", [b"event: error\ndata: out of order\n\n"], "out of order"),
]


@pytest.mark.parametrize(("events", "said"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES])
def test_an_interaction_that_failed_is_an_error_with_what_was_shown(events: list[Event | bytes], said: str) -> None:
    parser = new()
    shown = parser.feed(framed(CREATED, *step(0, "model_output", text("Hi")), *events))
    assert accumulate(shown).message.text == "Hi"
    with pytest.raises(APIError, match=said):
        parser.finish()


def test_an_error_in_place_of_a_stream_is_raised() -> None:
    parser = new()
    parser.feed(b'{"error":{"code":"authentication","message":"no key"}}')
    with pytest.raises(AuthenticationError):
        parser.finish()


def test_usage_is_told_before_a_failure() -> None:
    parser = new()
    deltas = parser.feed(framed(CREATED, completed("failed", usage={"total_input_tokens": 4})))
    assert deltas[-1] == UsageSnapshot(Usage(4))


HELLO = framed(CREATED, *step(0, "model_output", text("Hel"), text("lo")), completed(), DONE)


@pytest.mark.parametrize("body", [b"", HELLO[: HELLO.index(b"interaction.completed")]], ids=["nothing", "half"])
def test_a_stream_that_breaks_off_is_truncated(body: bytes) -> None:
    parser = new()
    parser.feed(body)
    with pytest.raises(TruncatedStream):
        parser.finish()


def test_a_clean_end_of_input_is_an_end_where_a_quirk_says_so() -> None:
    body = framed(CREATED, *step(0, "model_output", text("Hi")))
    deltas = read(body, quirks=Quirks(end_without_finish=True))
    assert deltas[-1] == MessageEnd(FinishReason("stop", synthesized=True))


def test_the_cuts_change_nothing() -> None:
    body = framed(
        CREATED,
        RUNNING,
        *step(0, "thought", summary("Hm 😀"), signature("c2ln")),
        *step(1, "model_output", text("é\ud83d"), text("\ude00!")),
        *step(2, "function_call", arguments('{"a":"\ud83d'), arguments('\ude00"}'), id="c1", name="f", arguments={}),
        completed("requires_action"),
        DONE,
    )
    uncut = read_pieces([body], new())
    assert uncut.error is None
    assert uncut.outputs[0].message.text == "é😀!"
    assert [call.function.arguments for call in uncut.outputs[0].message.tool_calls or ()] == [{"a": "😀"}]
    for pieces in (bytewise(body), *splits(body, seed=3, count=20)):
        assert read_pieces(pieces, new()) == uncut


def test_half_a_character_is_given_out_when_the_stream_breaks_off() -> None:
    parser = new()
    parser.feed(framed(CREATED, *step(0, "model_output", text("a\ud83d"))[:-1]))
    with pytest.raises(TruncatedStream) as caught:
        parser.finish()
    assert caught.value.deltas == [TextDelta(0, "\ufffd")]


def test_half_a_character_in_a_summary_is_joined_again() -> None:
    assert answer(*step(0, "thought", summary("\ud83d"), summary("\ude00"))) == [
        ThinkingStart(0),
        ThinkingDelta(0, "😀"),
        ThinkingEnd(0),
    ]


def numbered(*events: Event) -> list[Event]:
    return [{**each, "event_id": f"e{at}"} for at, each in enumerate(events)]


def test_an_answer_is_gone_on_with_after_the_last_event_that_came() -> None:
    events = numbered(CREATED, *step(0, "model_output", text("Hel"), text("lo"), text("!")), completed())
    parser = new()
    deltas = parser.feed(framed(*events[:4]) + b"event: step.del")
    with pytest.raises(TruncatedStream):
        parser.finish()
    request = parser.resume()
    assert request.path == "/v1beta/interactions/v1_a?stream=true&last_event_id=e3"
    assert (request.method, request.body) == ("GET", {})
    deltas += parser.feed(framed(*events[4:])) + parser.finish()
    assert deltas == read(*events)


def test_the_id_of_the_last_event_is_kept_whatever_it_is() -> None:
    events = numbered(CREATED, RUNNING, *step(0, "model_output", text("a"), text("b")), completed())
    parser = new()
    for at, each in enumerate(events):
        parser.feed(framed(each))
        assert parser.last_event_id == f"e{at}"
    together = new()
    together.feed(framed(*events[:5]))
    assert together.last_event_id == "e4"


def test_an_answer_of_which_nothing_came_is_streamed_from_its_start() -> None:
    parser = new(quirks=Quirks(gemini_version="v1"))
    parser.feed(framed(CREATED))
    with pytest.raises(TruncatedStream):
        parser.finish()
    assert parser.resume().path == "/v1/interactions/v1_a?stream=true"
    assert (
        accumulate(parser.feed(framed(CREATED, *step(0, "model_output", text("Hi")), completed()))).message.text == "Hi"
    )


NO_RESUME: list[tuple[str, list[Event], str]] = [
    ("it has ended", [CREATED, completed()], "has ended"),
    ("an error ended it", [CREATED, event("error", error={"code": "api_error"})], "has ended"),
    ("its events have no ids", [CREATED, *step(0, "model_output", text("Hi"))], "from its start"),
    ("it is not stored", [event("interaction.created", interaction={"id": ""}, event_id="e0")], "not stored"),
]


@pytest.mark.parametrize(("events", "why"), [case[1:] for case in NO_RESUME], ids=[case[0] for case in NO_RESUME])
def test_an_answer_is_not_gone_on_with_where(events: list[Event], why: str) -> None:
    parser = new()
    parser.feed(framed(*events))
    try:
        parser.finish()
    except StreamkitError:
        pass
    with pytest.raises(ConfigError, match=why):
        parser.resume()


def test_the_token_to_go_on_with_is_kept() -> None:
    parser = new()
    parser.feed(framed(CREATED, {**RUNNING, "continuation_token": "t1"}, RUNNING))
    assert parser.continuation_token == "t1"
    parser.feed(framed(completed("requires_continuation", continuation_token="t2")))
    assert parser.continuation_token == "t2"


CLAIMS = [
    ("an event", framed(CREATED)[6:].split(b"data: ")[1], True),
    ("an event of a stream that is gone on with", json.dumps(step(0, "thought")[0]).encode(), True),
    ("a whole interaction", json.dumps(interaction("completed")).encode(), True),
    ("a chunk of Gemini's", b'{"candidates":[]}', False),
    ("a list", b"[]", False),
    ("no JSON", b"[DONE]", False),
]


@pytest.mark.parametrize(("data", "claimed"), [case[1:] for case in CLAIMS], ids=[case[0] for case in CLAIMS])
def test_a_body_says_whether_it_is_in_the_dialect(data: bytes, claimed: bool) -> None:
    assert get_protocol("gemini-interactions").parser_type.claims(Frame(data.strip())) is claimed


def test_a_recorded_body_of_the_vendors_is_read_in_the_dialect() -> None:
    parser = get_provider("gemini").parser()
    assert accumulate(parser.feed(HELLO) + parser.finish()).message.text == "Hello"
    assert parser.protocol == "gemini-interactions"
