"""Where streams of Gemini differ from what one expects: a row each, and what a user sees of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.errors import APIError
from streamkit.messages import Message
from streamkit.parts import TextPart
from streamkit.protocols import Request, get_protocol
from streamkit.protocols.failures import read_failure
from streamkit.usage import Usage
from tests.protocols.edges import read, told

STOP, CALLED = ("stop", "STOP"), ("tool_call", "STOP")


def chunk(*parts: dict[str, Any], finish: str | None = None, usage: dict[str, int] | None = None, **more: Any) -> Any:
    candidate = {"content": {"role": "model", "parts": list(parts)}, **({"finishReason": finish} if finish else {})}
    return {"candidates": [candidate | more], **({"usageMetadata": usage} if usage else {})}


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"text": text, **more}


def call(**fields: Any) -> dict[str, Any]:
    return {"functionCall": fields}


def partial(path: str, more: bool = True, **value: Any) -> dict[str, Any]:
    """A part that goes on with a call, whose value is whole unless `willContinue` is among its fields."""
    return call(partialArgs=[{"jsonPath": path, **value}], willContinue=more)


def body(*chunks: Any, end: str = "\n\n") -> bytes:
    return "".join(f"data: {json.dumps(each, ensure_ascii=False)}{end}" for each in chunks).encode()


BEGUN = chunk(call(name="f", willContinue=True))
GONE = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}
DRAFT = {"inlineData": {"mimeType": "image/png", "data": "aGk="}, "thought": True}
ALL = {"promptTokenCount": 9, "candidatesTokenCount": 3, "thoughtsTokenCount": 4, "totalTokenCount": 16}

EDGES: list[tuple[str, bytes, dict[str, Any]]] = [
    (
        "a last chunk without content",
        body(chunk(said("Hi")), {"candidates": [{"finishReason": "STOP"}]}),
        {"text": "Hi", "finish": STOP},
    ),
    (
        "a last chunk whose content has no parts",
        body(chunk(said("Hi")), {"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}]}),
        {"text": "Hi", "finish": STOP},
    ),
    (
        "a last chunk of empty text",
        body(chunk(said("Hi")), chunk(said(""), finish="STOP")),
        {"text": "Hi", "finish": STOP},
    ),
    (
        "STOP in every chunk",
        body(*(chunk(said(each), finish="STOP") for each in "abc")),
        {"text": "abc", "finish": STOP},
    ),
    (
        "STOP before the text, and not after it",
        body(chunk(said(""), finish="STOP"), chunk(said("a")), chunk(said("b"))),
        {"text": "ab", "finish": STOP},
    ),
    (
        "a blocked prompt and no candidate",
        body({"promptFeedback": {"blockReason": "SAFETY"}}),
        {"finish": ("refusal", "SAFETY")},
    ),
    (
        "two calls of one tool in one chunk, without ids",
        body(chunk(call(name="f", args={"a": 1}), call(name="f", args={"a": 2}), finish="STOP")),
        {"calls": [("f", {"a": 1}), ("f", {"a": 2})], "finish": CALLED},
    ),
    (
        "two calls over two chunks",
        body(chunk(call(name="f", args={"a": 1})), chunk(call(name="g", args={"b": 2}), finish="STOP")),
        {"calls": [("f", {"a": 1}), ("g", {"b": 2})], "finish": CALLED},
    ),
    ("a call without arguments", body(chunk(call(name="f"), finish="STOP")), {"calls": [("f", {})], "finish": CALLED}),
    (
        "streamed arguments at a nested path, ended by an empty call",
        body(
            BEGUN,
            chunk(partial("$.a.b[0].c", stringValue="x", willContinue=True)),
            chunk(partial("$.a.b[0].c", stringValue="y")),
            chunk(partial("$.a.b[1].c", numberValue=2.5)),
            chunk(call(), finish="STOP"),
        ),
        {"calls": [("f", {"a": {"b": [{"c": "xy"}, {"c": 2.5}]}})], "finish": CALLED},
    ),
    (
        "streamed arguments of two paths in turns",
        body(
            BEGUN,
            chunk(partial("$.a", stringValue="1", willContinue=True)),
            chunk(partial("$.b", stringValue="2", willContinue=True)),
            chunk(partial("$.a", stringValue="3")),
            chunk(partial("$.b", more=False, stringValue="4"), finish="STOP"),
        ),
        {"calls": [("f", {"a": "13", "b": "24"})], "finish": CALLED},
    ),
    (
        "null in streamed arguments, as null and as a word",
        body(
            BEGUN,
            chunk(partial("$.a", nullValue=None)),
            chunk(partial("$.b", nullValue="NULL_VALUE")),
            chunk(call(), finish="STOP"),
        ),
        {"calls": [("f", {"a": None, "b": None})], "finish": CALLED},
    ),
    (
        "streamed arguments that the limit cuts",
        body(BEGUN, chunk(partial("$.a", stringValue="x", willContinue=True)), chunk(finish="MAX_TOKENS")),
        {"cut calls": [("f", '{"a":"x')], "finish": ("length", "MAX_TOKENS")},
    ),
    (
        "token counts of zero first",
        body(chunk(said("a"), usage=dict.fromkeys(ALL, 0)), chunk(finish="STOP", usage=ALL)),
        {"text": "a", "finish": STOP, "usage": Usage(9, 7, reasoning_tokens=4)},
    ),
    (
        "token counts at the end only, thoughts added once",
        body(chunk(said("a")), chunk(finish="STOP", usage=ALL)),
        {"text": "a", "finish": STOP, "usage": Usage(9, 7, reasoning_tokens=4)},
    ),
    (
        "a prompt whose count shrinks",
        body(chunk(said("a"), usage=ALL | {"promptTokenCount": 12}), chunk(finish="STOP", usage=ALL)),
        {"text": "a", "finish": STOP, "usage": Usage(9, 7, reasoning_tokens=4)},
    ),
    ("an error as a record", body(chunk(said("a")), GONE), {"text": "a", "error": "Overloaded"}),
    (
        "an error in raw lines between records",
        body(chunk(said("a"))) + json.dumps(GONE, indent=2).encode() + b"\n",
        {"text": "a", "error": "Overloaded"},
    ),
    ("an error in a list, in place of the stream", json.dumps([GONE], indent=2).encode(), {"error": "Overloaded"}),
    ("a proxy's page in place of the stream", b"<!DOCTYPE html><html>502</html>", {"error": "ServerError"}),
    (
        "a last record without its blank line",
        body(chunk(said("a")), chunk(said("b"), finish="STOP")).rstrip(b"\n"),
        {"text": "ab", "finish": STOP},
    ),
    (
        "lines that end with CR LF, and a raw line separator in a text",
        body(chunk(said("a\u2028b")), chunk(finish="STOP"), end="\r\n\r\n"),
        {"text": "a\u2028b", "finish": STOP},
    ),
    ("a draft of an image", body(chunk(DRAFT, said("a"), finish="STOP")), {"text": "a", "finish": STOP}),
    (
        "two candidates in one chunk, by index",
        body({"candidates": [chunk(said(t), finish="STOP", index=n)["candidates"][0] for n, t in enumerate("ab")]}),
        {"text": "a", "finish": STOP, "others": [{"text": "b", "finish": STOP}]},
    ),
    (
        "two candidates in one chunk, without an index",
        body({"candidates": [chunk(said(each), finish="STOP")["candidates"][0] for each in "ab"]}),
        {"text": "a", "finish": STOP, "others": [{"text": "b", "finish": STOP}]},
    ),
    (
        "a malformed call, told in words",
        body(chunk(finish="MALFORMED_FUNCTION_CALL", finishMessage="call f(")),
        {"finish": ("error", "MALFORMED_FUNCTION_CALL")},
    ),
    ("the end of input without a finish reason", body(chunk(said("a"))), {"text": "a", "error": "TruncatedStream"}),
]


@pytest.mark.parametrize(("data", "seen"), [edge[1:] for edge in EDGES], ids=[edge[0] for edge in EDGES])
def test_an_edge_case_is_seen_as_it_is_meant(data: bytes, seen: dict[str, Any]) -> None:
    assert told(read(data, "gemini")) == seen


def test_an_array_is_read_the_same_cut_at_any_byte() -> None:
    chunks = [chunk(said('a"]}')), chunk(call(name="f", args={"a": ["}"]}), finish="STOP", usage=ALL)]
    array = json.dumps(chunks, indent=1).encode()
    assert told(read(array, "gemini", framing="json-array")) == told(read(body(*chunks), "gemini"))


SIGNED = [
    ("on text", said("a", thoughtSignature="c2ln+/==")),
    ("on empty text", said("", thoughtSignature="c2ln")),
    ("on a thought", said("Hm", thought=True, thoughtSignature="c2ln")),
    ("on a call", call(id="x", name="f", args={"a": 1}) | {"thoughtSignature": "c2ln"}),
    ("on a call without an id", call(name="f", args={"a": 1}) | {"thoughtSignature": "c2ln"}),
    ("on nothing else", {"thoughtSignature": "c2ln"}),
]


@pytest.mark.parametrize("part", [case[1] for case in SIGNED], ids=[case[0] for case in SIGNED])
def test_a_signature_goes_back_in_its_part_as_it_came(part: dict[str, Any]) -> None:
    parts = [said("before"), part, said("after")]
    message = read(body(chunk(*parts, finish="STOP")), "gemini").outputs[0].message
    request = Request(model="m", messages=[Message("user", [TextPart("hi")]), message])
    assert get_protocol("gemini").encode(request).body["contents"][1]["parts"] == parts


DELAY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}
LIMITED = {"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED", "details": [DELAY]}}
BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}

# name, status, body, the kind of error, how long to wait, whether trying again may help
REFUSALS: list[tuple[str, int, bytes, str, float | None, bool]] = [
    ("a delay in the details", 429, json.dumps(LIMITED).encode(), "RateLimited", 7.5, True),
    ("a list with one error", 503, json.dumps([GONE]).encode(), "Overloaded", None, True),
    ("a proxy's page", 502, b"<html><title>502 Bad Gateway</title></html>", "ServerError", None, True),
    (
        "a quota of the day",
        429,
        json.dumps({"error": {**LIMITED["error"], "message": "GenerateRequestsPerDayPerProject"}}).encode(),
        "QuotaExceeded",
        7.5,
        False,
    ),
    (
        "a wrong key, which is called an invalid argument",
        400,
        json.dumps(
            {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "m", "details": [BAD_KEY]}}
        ).encode(),
        "AuthenticationError",
        None,
        False,
    ),
    (
        "a prompt that is too long",
        400,
        b'{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens (8)."}}',
        "ContextOverflow",
        None,
        False,
    ),
    (
        "a state that does not allow it",
        400,
        b'{"error":{"code":400,"message":"no","status":"FAILED_PRECONDITION"}}',
        "InvalidRequest",
        None,
        False,
    ),
    (
        "a request that was cancelled",
        499,
        b'{"error":{"code":499,"message":"Cancelled.","status":"CANCELLED"}}',
        "APIError",
        None,
        False,
    ),
    ("a timeout", 504, b'{"error":{"code":504,"message":"m","status":"DEADLINE_EXCEEDED"}}', "ServerError", None, True),
]


@pytest.mark.parametrize(
    ("status", "data", "kind", "delay", "retryable"),
    [case[1:] for case in REFUSALS],
    ids=[case[0] for case in REFUSALS],
)
def test_an_error_in_place_of_the_stream(
    status: int, data: bytes, kind: str, delay: float | None, retryable: bool
) -> None:
    error: APIError = read_failure(data, provider="gemini", status=status)
    assert (type(error).__name__, error.status, error.retry_after_s, error.retryable) == (
        kind,
        status,
        delay,
        retryable,
    )
