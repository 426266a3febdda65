"""Where streams of Cohere's differ from what one expects: a row each, and what a user sees of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.messages import Message
from streamkit.protocols import Request, ToolSpec, get_protocol
from streamkit.protocols.failures import read_failure
from streamkit.usage import Usage
from tests.protocols.edges import read, told

COMPLETE, CALLED = ("stop", "COMPLETE"), ("tool_call", "TOOL_CALL")


def event(type: str, index: int | None = None, **message: Any) -> dict[str, Any]:
    return {"type": type, "index": index, "delta": {"message": message}}


def start(index: int, type: str = "text", text: str = "") -> dict[str, Any]:
    return event("content-start", index, content={"type": type, type: text})


def said(index: int, piece: str, kind: str = "text") -> dict[str, Any]:
    return event("content-delta", index, content={kind: piece})


def stop(index: int) -> dict[str, Any]:
    return {"type": "content-end", "index": index}


def end(word: str = "COMPLETE", **delta: Any) -> dict[str, Any]:
    return {"type": "message-end", "delta": {"finish_reason": word, **delta}}


def call(name: str, arguments: str = "", id: str = "c") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def fragment(arguments: str) -> dict[str, Any]:
    return {"function": {"arguments": arguments}}


def body(*events: dict[str, Any]) -> bytes:
    return "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events).encode()


def lines(*events: dict[str, Any]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in events).encode()


BEGIN = event("message-start") | {"id": "r"}
HI = [BEGIN, start(0), said(0, "Hi"), stop(0)]
CITED = {"start": 0, "end": 2, "text": "Hi", "sources": [], "content_index": 0, "type": "TEXT_CONTENT"}
FLOATS = {"tokens": {"input_tokens": 9.0, "output_tokens": 2.0}, "billed_units": {"input_tokens": 3.0}}

EDGES: list[tuple[str, bytes, dict[str, Any]]] = [
    (
        "thinking, then text, each numbered",
        body(BEGIN, start(0, "thinking"), said(0, "Hm", "thinking"), stop(0), start(1), said(1, "Hi"), stop(1), end()),
        {"thinking": "Hm", "text": "Hi", "finish": COMPLETE},
    ),
    (
        "pieces of a block that never began, told by their fields",
        body(BEGIN, said(0, "Hm", "thinking"), said(1, "Hi"), end()),
        {"thinking": "Hm", "text": "Hi", "finish": COMPLETE},
    ),
    (
        "a call in an object",
        body(
            *(BEGIN, event("tool-call-start", 0, tool_calls=call("f"))),
            event("tool-call-delta", 0, tool_calls=fragment('{"a":1}')),
            *({"type": "tool-call-end", "index": 0}, end("TOOL_CALL")),
        ),
        {"calls": [("f", {"a": 1})], "finish": CALLED},
    ),
    (
        "calls in a list",
        body(
            *(BEGIN, event("tool-call-start", 0, tool_calls=[call("f"), call("g", id="d")])),
            event("tool-call-delta", 0, tool_calls=[fragment('{"a":1}'), fragment('{"b":2}')]),
            end("TOOL_CALL"),
        ),
        {"calls": [("f", {"a": 1}), ("g", {"b": 2})], "finish": CALLED},
    ),
    (
        "a citation in an object",
        body(*HI, event("citation-start", 0, citations=CITED), end()),
        {"text": "Hi", "parts": ["CitationPart"], "finish": COMPLETE},
    ),
    (
        "citations in a list",
        body(*HI, event("citation-start", 0, citations=[CITED, CITED]), end()),
        {"text": "Hi", "parts": ["CitationPart", "CitationPart"], "finish": COMPLETE},
    ),
    (
        "text, a call and a citation that all are number 0",
        body(
            *HI,
            event("tool-call-start", 0, tool_calls=call("f", '{"a":')),
            event("citation-start", 0, citations=CITED),
            event("tool-call-delta", 0, tool_calls=fragment("1}")),
            end("TOOL_CALL"),
        ),
        {"text": "Hi", "calls": [("f", {"a": 1})], "parts": ["CitationPart"], "finish": CALLED},
    ),
    (
        "a block that begins with text",
        body(BEGIN, start(0, text="H"), said(0, "i"), stop(0), end()),
        {"text": "Hi", "finish": COMPLETE},
    ),
    (
        "an error at the end of part of an answer",
        body(*HI, end("ERROR", error="it broke")),
        {"text": "Hi", "error": "ServerError"},
    ),
    ("a timeout", body(*HI, end("TIMEOUT")), {"text": "Hi", "error": "ServerError"}),
    (
        "token counts that are floats",
        body(*HI, end(usage=FLOATS)),
        {"text": "Hi", "finish": COMPLETE, "usage": Usage(9, 2)},
    ),
    (
        "only what is billed",
        body(*HI, end(usage={"billed_units": {"input_tokens": 3.0, "output_tokens": 2.0}})),
        {"text": "Hi", "finish": COMPLETE, "usage": Usage(3, 2)},
    ),
    (
        "a record of broken JSON",
        body(*HI) + b"event: content-delta\ndata: {]\n\n" + body(end()),
        {"text": "Hi", "error": "ProtocolError"},
    ),
    ("the end of input before the last event", body(*HI), {"text": "Hi", "error": "TruncatedStream"}),
    (
        "null for what an event adds",
        body(
            *HI[:2],
            {"type": "content-delta", "index": 0, "delta": None},
            {"type": "content-delta", "index": 0, "delta": {"message": None}},
            event("content-delta", 0, content=None),
            *(HI[2], {"type": "content-end", "index": None}, end()),
        ),
        {"text": "Hi", "finish": COMPLETE},
    ),
    (
        "null for all that the last event has",
        body(*HI, {"type": "message-end", "delta": None}),
        {"text": "Hi", "finish": ("stop", None)},
    ),
    (
        "an event for debugging, and one that nobody knows",
        body(*HI, {"type": "debug", "prompt": "x"}, {"type": "hologram"}, end()),
        {"text": "Hi", "finish": COMPLETE, "unknown": ['{"type": "hologram"}']},
    ),
    ("[DONE] after the last event", body(*HI, end()) + b"data: [DONE]\n\n", {"text": "Hi", "finish": COMPLETE}),
]

LINES: list[tuple[str, bytes, dict[str, Any]]] = [
    (
        "the chat of version 1, whose end says the text again",
        lines(
            {"event_type": "stream-start", "generation_id": "g"},
            *({"event_type": "text-generation", "text": piece} for piece in ("H", "i")),
            {"event_type": "stream-end", "finish_reason": "COMPLETE", "response": {"text": "Hi"}},
        ),
        {"text": "Hi", "finish": COMPLETE},
    ),
    (
        "its generation of text, whose records have no type",
        lines(
            *({"text": piece, "is_finished": False} for piece in ("H", "i")),
            {"is_finished": True, "finish_reason": "COMPLETE", "response": {"generations": [{"text": "Hi"}]}},
        ),
        {"text": "Hi", "finish": COMPLETE},
    ),
    (
        "an error inside it",
        lines(
            {"text": "Hi", "is_finished": False, "event_type": "text-generation"},
            {"is_finished": True, "event_type": "stream-error", "finish_reason": "ERROR", "err": "it broke"},
        ),
        {"text": "Hi", "error": "ServerError"},
    ),
]


@pytest.mark.parametrize(("data", "seen"), [edge[1:] for edge in EDGES], ids=[edge[0] for edge in EDGES])
def test_an_edge_case_is_seen_as_it_is_meant(data: bytes, seen: dict[str, Any]) -> None:
    assert told(read(data, "cohere")) == seen


@pytest.mark.parametrize(("data", "seen"), [edge[1:] for edge in LINES], ids=[edge[0] for edge in LINES])
def test_the_lines_of_version_1_are_seen_as_they_are_meant(data: bytes, seen: dict[str, Any]) -> None:
    assert told(read(data, "cohere", framing="ndjson")) == seen


@pytest.mark.parametrize(("choice", "word"), [("auto", None), ("required", "REQUIRED"), ("none", "NONE"), (None, None)])
def test_a_tool_choice_has_one_of_two_words_or_none(choice: str | None, word: str | None) -> None:
    tool = ToolSpec(name="f", parameters={"type": "object"})
    request = Request(model="m", messages=[Message("user", "hi")], tools=[tool], tool_choice=choice)
    assert get_protocol("cohere").encode(request).body.get("tool_choice") == word


# name, status, body, the kind of error, its words
REFUSALS = [
    ("a message alone", 400, b'{"message":"no","id":"x"}', "InvalidRequest", "no"),
    ("a wrong key", 401, b'{"message":"invalid api token"}', "AuthenticationError", "invalid api token"),
    ("a blocked key", 498, b'{"message":"invalid token"}', "AuthenticationError", "invalid token"),
    ("no such model", 404, b'{"message":"model not found"}', "NotFound", "model not found"),
    ("a wrong form", 422, b'{"message":"no"}', "InvalidRequest", "no"),
    ("the words in another field", 400, b'{"data":"no"}', "InvalidRequest", "no"),
    ("too many requests", 429, b'{"message":"trial key"}', "RateLimited", "trial key"),
    ("too long", 400, b'{"message":"too many tokens: 9"}', "ContextOverflow", "too many tokens: 9"),
    ("a timeout", 504, b'{"message":"timeout"}', "ServerError", "timeout"),
]


@pytest.mark.parametrize(
    ("status", "data", "kind", "words"), [case[1:] for case in REFUSALS], ids=[case[0] for case in REFUSALS]
)
def test_an_error_in_place_of_the_stream(status: int, data: bytes, kind: str, words: str) -> None:
    error = read_failure(data, provider="cohere", status=status, headers={"x-debug-trace-id": "t"})
    assert (type(error).__name__, error.message, error.request_id) == (kind, words, "t")
