"""Streams of Gemini's generateContent, chunk by chunk."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import Any

import pytest

from streamkit.accumulator import accumulate, coalesce
from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    CitationAdded,
    Delta,
    Logprobs,
    MessageEnd,
    MessageStart,
    Replace,
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
    Overloaded,
    ProtocolError,
    RateLimited,
    ServerError,
    TruncatedStream,
)
from streamkit.limits import Limits
from streamkit.messages import FinishReason
from streamkit.parts import CitationPart, EmbeddedImage, FilePart, ImagePart, RawPart, ServerToolPart
from streamkit.protocols import Quirks, get_protocol
from streamkit.testing.chunking import bytewise, linewise
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.usage import Usage

STOP = FinishReason("stop", "STOP")
PIXEL = base64.b64encode(b"\x89PNG pixel").decode()
CALLED = {"minted_id": True}


def chunk(*parts: Any, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """A chunk of one candidate with these parts; a string is text."""
    candidate: dict[str, Any] = {"content": {"parts": [_part(part) for part in parts], "role": "model"}}
    if finish is not None:
        candidate["finishReason"] = finish
    candidate |= {name: fields.pop(name) for name in list(fields) if name in CANDIDATE}
    return {"candidates": [candidate], **fields}


CANDIDATE = {
    "index",
    "finishMessage",
    "safetyRatings",
    "groundingMetadata",
    "citationMetadata",
    "urlContextMetadata",
    "logprobsResult",
}


def _part(part: Any) -> Any:
    return {"text": part} if isinstance(part, str) else part


def call(name: str | None = None, args: Any = None, **fields: Any) -> dict[str, Any]:
    function = {"name": name, "args": args} if args is not None else {"name": name} if name else {}
    signature = {"thoughtSignature": fields.pop("signature")} if "signature" in fields else {}
    return {"functionCall": {**function, **fields}, **signature}


def arg(path: str, **value: Any) -> dict[str, Any]:
    return {"jsonPath": path, **value}


def sse(*chunks: Any, end: str = "\r\n\r\n") -> bytes:
    records = [each if isinstance(each, str) else "data: " + json.dumps(each, ensure_ascii=False) for each in chunks]
    return "".join(record + end for record in records).encode()


def read(pieces: Iterable[bytes], **options: Any) -> Outcome:
    return read_pieces(pieces, get_protocol("gemini").parser(mint=numbered_ids(), **options))


def text(index: int, *pieces: str, signature: str | None = None) -> list[Delta]:
    return [TextStart(index), *(TextDelta(index, piece) for piece in pieces), TextEnd(index, signature=signature)]


def thinking(index: int, *pieces: str, signature: str | None = None, **extra: Any) -> list[Delta]:
    end = ThinkingEnd(index, signature=signature, extra=extra or None)
    return [ThinkingStart(index), *(ThinkingDelta(index, piece) for piece in pieces), end]


def called(index: int, id: str, name: str, text: str, signature: str | None = None) -> list[Delta]:
    extra = CALLED if id.startswith("minted") else None
    fragments = [ToolCallDelta(index, text)] if text else []
    return [ToolCallStart(index, id, name), *fragments, ToolCallEnd(index, signature=signature, extra=extra)]


IMAGE = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
DRAFT = {**IMAGE, "thought": True}
CODE = {"executableCode": {"language": "PYTHON", "code": "print(1)"}}
RESULT = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}}
SEARCH = {"toolCall": {"id": "t1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"q": "x"}}, "thoughtSignature": "c2ln"}
FOUND = {"toolResponse": {"id": "t1", "toolType": "GOOGLE_SEARCH_WEB", "response": {"a": 1}}}

# name, chunks, deltas between start and end, why it ended
CASES: list[tuple[str, list[Any], list[Delta], FinishReason]] = [
    ("text", [chunk("Hel"), chunk("lo", finish="STOP")], text(0, "Hello"), STOP),
    ("an end without content", [chunk("Hi"), {"candidates": [{"finishReason": "STOP"}]}], text(0, "Hi"), STOP),
    (
        "an end without parts",
        [chunk("Hi"), {"candidates": [{"content": {"role": "model"}, "finishReason": "STOP", "index": 0}]}],
        text(0, "Hi"),
        STOP,
    ),
    ("an end with empty text", [chunk("Hi"), chunk("", finish="STOP")], text(0, "Hi"), STOP),
    ("an end with no parts in the list", [chunk("Hi"), chunk(finish="STOP")], text(0, "Hi"), STOP),
    ("STOP in every chunk", [chunk("a", finish="STOP"), chunk("b", finish="STOP")], text(0, "ab"), STOP),
    ("STOP before the text", [chunk("", finish="STOP"), chunk("a"), chunk("b")], text(0, "ab"), STOP),
    ("nothing at all but an end", [chunk(finish="STOP")], [], STOP),
    (
        "thoughts, then text",
        [chunk({"text": "Hm", "thought": True}), chunk({"text": ".", "thought": True}, "Yes"), chunk(finish="STOP")],
        thinking(0, "Hm.") + text(1, "Yes"),
        STOP,
    ),
    ("a thought that is none", [chunk({"text": "a", "thought": False}, finish="STOP")], text(0, "a"), STOP),
    (
        "a signature on text",
        [chunk("a"), chunk({"text": "b", "thoughtSignature": "c2ln"}), chunk("c", finish="STOP")],
        text(0, "a") + text(1, "b", signature="c2ln") + text(2, "c"),
        STOP,
    ),
    (
        "a signature on empty text at the end",
        [chunk("a"), chunk({"text": "", "thoughtSignature": "c2ln"}, finish="STOP")],
        text(0, "a") + text(1, signature="c2ln"),
        STOP,
    ),
    (
        "a signature on a thought",
        [chunk({"text": "Hm", "thought": True, "thoughtSignature": "c2ln"}, finish="STOP")],
        thinking(0, "Hm", signature="c2ln"),
        STOP,
    ),
    (
        "a signature on nothing",
        [chunk({"thoughtSignature": "c2ln"}, "a", finish="STOP")],
        thinking(0, opaque={"thoughtSignature": "c2ln"}) + text(1, "a"),
        STOP,
    ),
    (
        "a call, its signature, no id",
        [chunk(call("add", {"b": 1, "a": [2.5, None]}, signature="c2ln"), finish="STOP")],
        called(0, "minted_0", "add", '{"b":1,"a":[2.5,null]}', "c2ln"),
        FinishReason("tool_call", "STOP"),
    ),
    (
        "two calls in one chunk, one tool, no ids",
        [chunk(call("f", {"a": 1}), call("f", {"a": 1})), chunk("", finish="STOP")],
        called(0, "minted_0", "f", '{"a":1}') + called(1, "minted_1", "f", '{"a":1}'),
        FinishReason("tool_call", "STOP"),
    ),
    (
        "two calls in two chunks, with ids",
        [chunk(call("f", {"a": 1}, id="x"), finish="STOP"), chunk(call("g", {}, id="y"), finish="STOP")],
        called(0, "x", "f", '{"a":1}') + called(1, "y", "g", "{}"),
        FinishReason("tool_call", "STOP"),
    ),
    (
        "a call without arguments, then text",
        [chunk(call("f", id="x"), "done", finish="STOP")],
        called(0, "x", "f", "") + text(1, "done"),
        FinishReason("tool_call", "STOP"),
    ),
    (
        "arguments as text, from a gateway",
        [chunk(call("f", '{"a": 1}', id="x"), finish="STOP")],
        called(0, "x", "f", '{"a": 1}'),
        FinishReason("tool_call", "STOP"),
    ),
    (
        "streamed arguments",
        [
            chunk(call("f", id="x", willContinue=True, signature="c2ln")),
            chunk(call(partialArgs=[arg("$.a.b[0]", stringValue="x", willContinue=True)], willContinue=True)),
            chunk(call(partialArgs=[arg("$.a.b[0]", stringValue="y")], willContinue=True)),
            chunk(call(partialArgs=[arg("$.a.b[1]", numberValue=2)], willContinue=True)),
            chunk(call(), finish="STOP"),
        ],
        called(0, "x", "f", '{"a":{"b":["xy",2]}}', "c2ln"),
        FinishReason("tool_call", "STOP"),
    ),
    (
        "streamed arguments, two texts in turns",
        [
            chunk(call("f", id="x", willContinue=True)),
            chunk(call(partialArgs=[arg("$.a", stringValue="1", willContinue=True)], willContinue=True)),
            chunk(call(partialArgs=[arg("$.b", stringValue="2", willContinue=True)], willContinue=True)),
            chunk(call(partialArgs=[arg("$.a", stringValue="3")], willContinue=True)),
            chunk(call(partialArgs=[arg("$.b", stringValue="4")])),
            chunk(finish="STOP"),
        ],
        [
            *(ToolCallStart(0, "x", "f"), ToolCallDelta(0, '{"a":"1","b":"2')),
            *(Replace(0, '{"a":"13","b":"24"}'), ToolCallEnd(0)),
        ],
        FinishReason("tool_call", "STOP"),
    ),
    (
        "a call that another call ends",
        [chunk(call("f", id="x", willContinue=True)), chunk(call("g", {}, id="y"), finish="STOP")],
        called(0, "x", "f", "{}") + called(1, "y", "g", "{}"),
        FinishReason("tool_call", "STOP"),
    ),
    (
        "a streamed call cut by the limit",
        [
            chunk(call("f", id="x", willContinue=True)),
            chunk(call(partialArgs=[arg("$.a", stringValue="1", willContinue=True)], willContinue=True)),
            chunk(finish="MAX_TOKENS"),
        ],
        called(0, "x", "f", '{"a":"1'),
        FinishReason("length", "MAX_TOKENS"),
    ),
    (
        "a streamed call cut before its arguments",
        [chunk(call("f", id="x", willContinue=True)), chunk(finish="MAX_TOKENS")],
        called(0, "x", "f", "{"),
        FinishReason("length", "MAX_TOKENS"),
    ),
    (
        "an image, and a draft of one",
        [chunk(DRAFT), chunk("See: ", {**IMAGE, "thoughtSignature": "c2ln"}, finish="STOP")],
        [
            *thinking(0, opaque=DRAFT),
            *text(1, "See: "),
            BlockAdded(2, ImagePart(EmbeddedImage("image/png", b"\x89PNG pixel")), signature="c2ln"),
        ],
        STOP,
    ),
    (
        "sound over two chunks",
        [
            chunk({"inlineData": {"mimeType": "audio/L16;rate=24000", "data": "AQI="}}),
            chunk({"inlineData": {"mimeType": "audio/L16;rate=24000", "data": "AwQ="}}, finish="STOP"),
        ],
        [
            AudioDelta(0, b"\x01\x02", format="audio/L16;rate=24000"),
            AudioDelta(0, b"\x03\x04", format="audio/L16;rate=24000"),
        ],
        STOP,
    ),
    (
        "a file by its address",
        [chunk({"fileData": {"mimeType": "video/mp4", "fileUri": "gs://b/v.mp4"}}, finish="STOP")],
        [BlockAdded(0, FilePart("video/mp4", url="gs://b/v.mp4"))],
        STOP,
    ),
    (
        "code that was run",
        [chunk(CODE), chunk(RESULT), chunk("1", finish="STOP")],
        [
            BlockAdded(0, ServerToolPart("call", "code_execution_1", "code_execution", CODE)),
            BlockAdded(1, ServerToolPart("result", "code_execution_1", "code_execution", RESULT)),
            *text(2, "1"),
        ],
        STOP,
    ),
    (
        "a tool that the server ran",
        [chunk(SEARCH), chunk(FOUND, "It is.", finish="STOP")],
        [
            BlockAdded(0, ServerToolPart("call", "t1", "GOOGLE_SEARCH_WEB", SEARCH)),
            BlockAdded(1, ServerToolPart("result", "t1", "GOOGLE_SEARCH_WEB", FOUND)),
            *text(2, "It is."),
        ],
        STOP,
    ),
    (
        "a part that nobody knows",
        [chunk({"hologram": {"x": 1}}, finish="STOP")],
        [BlockAdded(0, RawPart({"hologram": {"x": 1}}))],
        STOP,
    ),
    (
        "grounding, repeated and completed",
        [
            chunk("It is so.", groundingMetadata={}),
            chunk(groundingMetadata={"webSearchQueries": ["q"]}),
            chunk("", groundingMetadata={"webSearchQueries": ["q"], "groundingChunks": [{"web": {"uri": "u"}}]}),
            chunk("", {"text": "", "thoughtSignature": "s"}, finish="STOP", groundingMetadata={}),
        ],
        [
            *text(0, "It is so."),
            *text(1, signature="s"),
            CitationAdded(0, {"web": {"uri": "u"}}),
            CitationAdded(0, {"groundingMetadata": {"webSearchQueries": ["q"]}}),
        ],
        STOP,
    ),
    (
        "citations and addresses, each once",
        [
            chunk("a", citationMetadata={"citations": [{"uri": "u"}]}),
            chunk("b", citationMetadata={"citations": [{"uri": "u"}, {"uri": "v"}]}),
            chunk(finish="STOP", urlContextMetadata={"urlMetadata": [{"retrievedUrl": "w"}]}),
        ],
        [
            *(TextStart(0), TextDelta(0, "ab")),
            *(CitationAdded(0, {"uri": "u"}), CitationAdded(0, {"uri": "v"}), CitationAdded(0, {"retrievedUrl": "w"})),
            TextEnd(0),
        ],
        STOP,
    ),
    (
        "a citation without text",
        [chunk(finish="STOP", citationMetadata={"citations": [{"uri": "u"}]})],
        [BlockAdded(0, CitationPart({"uri": "u"}))],
        STOP,
    ),
    (
        "log probabilities",
        [
            chunk(
                "a",
                finish="STOP",
                logprobsResult={
                    "chosenCandidates": [{"token": "a", "logProbability": -0.5}],
                    "topCandidates": [{"candidates": [{"token": "b"}]}],
                },
            )
        ],
        [
            *(TextStart(0), TextDelta(0, "a")),
            Logprobs([{"token": "a", "logProbability": -0.5, "topCandidates": [{"token": "b"}]}]),
            TextEnd(0),
        ],
        STOP,
    ),
    (
        "a malformed call",
        [chunk("I'll", finish="MALFORMED_FUNCTION_CALL", finishMessage="call f(")],
        text(0, "I'll"),
        FinishReason("error", "MALFORMED_FUNCTION_CALL", "call f("),
    ),
    (
        "stopped for safety",
        [
            chunk("Well"),
            {
                "candidates": [
                    {
                        "finishReason": "SAFETY",
                        "safetyRatings": [
                            {"category": "HARM_CATEGORY_HARASSMENT", "blocked": True},
                            {"category": "HARM_CATEGORY_OTHER"},
                        ],
                    }
                ]
            },
        ],
        text(0, "Well"),
        FinishReason("refusal", "SAFETY", category="HARM_CATEGORY_HARASSMENT"),
    ),
    ("a word that nobody knows", [chunk("a", finish="FAKE")], text(0, "a"), FinishReason("other", "FAKE")),
    ("a number for a word", [chunk("a", finish=1)], text(0, "a"), FinishReason("stop", "1")),
    (
        "a blocked prompt",
        [{"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "No."}}],
        [],
        FinishReason("refusal", "SAFETY", "No."),
    ),
    (
        "an answer that is blocked on the way",
        [chunk("We"), {"promptFeedback": {"blockReason": "OTHER"}}],
        text(0, "We"),
        FinishReason("refusal", "OTHER"),
    ),
    (
        "feedback that blocks nothing",
        [chunk("a", finish="STOP", promptFeedback={"safetyRatings": []})],
        text(0, "a"),
        STOP,
    ),
    ("a chunk with nothing that is read", [{"modelVersion": "m"}, chunk("a", finish="STOP")], text(0, "a"), STOP),
    ("null candidates", [{"candidates": [None]}, chunk("a", finish="STOP")], text(0, "a"), STOP),
    (
        "an unknown record",
        [chunk("a"), {"surprise": 1}, chunk("b", finish="STOP")],
        [TextStart(0), TextDelta(0, "a"), UnknownFrame('{"surprise": 1}'), TextDelta(0, "b"), TextEnd(0)],
        STOP,
    ),
    ("[DONE] from a gateway", [chunk("a", finish="STOP"), "data: [DONE]"], text(0, "a"), STOP),
    ("a raw line separator", [chunk("a\u2028\x85b", finish="STOP")], text(0, "a\u2028\x85b"), STOP),
    ("an empty error", [chunk("a", finish="STOP", error={})], text(0, "a"), STOP),
]


@pytest.mark.parametrize(("chunks", "deltas", "reason"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_chunks_become_deltas_in_every_cut(chunks: list[Any], deltas: list[Delta], reason: FinishReason) -> None:
    body = sse(*chunks)
    outcome = read([body])
    assert outcome.error is None
    start = outcome.deltas[0]
    assert isinstance(start, MessageStart) and start.protocol == "gemini"
    assert [delta for delta in coalesce(outcome.deltas[1:]) if not isinstance(delta, MessageEnd)] == deltas
    assert outcome.deltas[-1] == MessageEnd(reason)
    for pieces in (bytewise(body), linewise(body), [sse(*chunks, end="\n\n")], [body.rstrip()]):
        assert read(pieces) == outcome


@pytest.mark.parametrize("chunks", [case[1] for case in CASES], ids=[case[0] for case in CASES])
def test_an_array_says_the_same_as_events(chunks: list[Any]) -> None:
    if not all(isinstance(each, dict) for each in chunks):
        return  # what stands outside of JSON belongs to server-sent events
    body = json.dumps(chunks, indent=1, ensure_ascii=False).encode()
    outcome = read([sse(*chunks)])
    for pieces in ([body], bytewise(body)):
        array = read(pieces, framing="json-array")
        kept = [delta for delta in array.deltas if not isinstance(delta, UnknownFrame)]
        assert kept == [delta for delta in outcome.deltas if not isinstance(delta, UnknownFrame)]
        assert array.outputs == outcome.outputs
    assert read([body]).outputs == outcome.outputs  # a proxy dropped alt=sse, and the parser was not told


def test_the_start_names_the_response() -> None:
    body = sse(chunk("a", finish="STOP", modelVersion="gemini-x", responseId="r1"))
    outcome = read([body], provider="gemini")
    assert outcome.deltas[0] == MessageStart(id="r1", model="gemini-x", provider="gemini", protocol="gemini")


def test_two_candidates_are_two_messages() -> None:
    body = sse(
        {"candidates": [{"content": {"parts": [{"text": "a"}]}}, {"content": {"parts": [{"text": "x"}]}, "index": 1}]},
        {"candidates": [{"content": {"parts": [{"text": "y"}]}, "index": 1, "finishReason": "MAX_TOKENS"}]},
        {"candidates": [{"content": {"parts": [{"text": "b"}]}, "finishReason": "STOP"}]},
    )
    outcome = read([body])
    assert [(out.message.text, out.finish_reason.raw) for out in outcome.outputs if out.finish_reason] == [
        ("ab", "STOP"),
        ("xy", "MAX_TOKENS"),
    ]
    without = body.replace(b', "index": 1', b"")
    assert [out.message.text for out in read([without]).outputs] == ["ayb", "x"]  # a lone candidate is the first


def counts(**given: int) -> dict[str, Any]:
    return {"usageMetadata": given}


# name, chunks, usage
USAGES: list[tuple[str, list[Any], Usage | None]] = [
    ("none", [chunk("a", finish="STOP")], None),
    (
        "zeros first, then all",
        [
            chunk("a", **counts(promptTokenCount=0, totalTokenCount=0)),
            chunk(
                finish="STOP",
                **counts(promptTokenCount=10, cachedContentTokenCount=4, candidatesTokenCount=5, thoughtsTokenCount=7),
            ),
        ],
        Usage(6, 12, 4, None, 7),
    ),
    (
        "thoughts are added once, the last counts hold",
        [
            chunk("a", **counts(promptTokenCount=9, thoughtsTokenCount=7)),
            chunk("b", **counts(promptTokenCount=9, thoughtsTokenCount=7, candidatesTokenCount=1)),
            chunk(finish="STOP", **counts(promptTokenCount=8, candidatesTokenCount=3)),
        ],
        Usage(8, 10, reasoning_tokens=7),
    ),
    (
        "an object that is whole by its total",
        [
            chunk(
                "a", **counts(promptTokenCount=9, candidatesTokenCount=21, thoughtsTokenCount=35, totalTokenCount=65)
            ),
            chunk(finish="STOP", **counts(promptTokenCount=87, thoughtsTokenCount=78, totalTokenCount=165)),
        ],
        Usage(87, 78, reasoning_tokens=78),
    ),
    (
        "server tools add to the input",
        [chunk("a", finish="STOP", **counts(promptTokenCount=10, toolUsePromptTokenCount=5, candidatesTokenCount=1))],
        Usage(15, 1),
    ),
    (
        "a record of counts alone",
        [chunk("a", finish="STOP"), counts(promptTokenCount=1, candidatesTokenCount=2)],
        Usage(1, 2),
    ),
]


@pytest.mark.parametrize(("chunks", "usage"), [case[1:] for case in USAGES], ids=[case[0] for case in USAGES])
def test_token_counts(chunks: list[Any], usage: Usage | None) -> None:
    assert read([sse(*chunks)]).outputs[0].usage == usage


def test_counts_that_change_nothing_are_told_once() -> None:
    same = counts(promptTokenCount=1, candidatesTokenCount=2)
    outcome = read([sse(chunk("a", **same), chunk("b", **same), chunk("c", finish="STOP", **same))])
    assert [delta for delta in outcome.deltas if isinstance(delta, UsageSnapshot)] == [UsageSnapshot(Usage(1, 2))]


ERROR = {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}
PRETTY = json.dumps({"error": {"code": 499, "message": "Gone.", "status": "CANCELLED"}}, indent=2)
DELAY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}

# name, body, the kind of error, its words
ERRORS: list[tuple[str, bytes, type[Exception], str]] = [
    ("as a record", sse(chunk("a"), {"error": ERROR}), Overloaded, "overloaded"),
    ("in a list", sse(chunk("a"), [{"error": ERROR}]), Overloaded, "overloaded"),
    ("after the end", sse(chunk("a", finish="STOP"), {"error": ERROR}), Overloaded, "overloaded"),
    ("beside text", sse(chunk("a", error=ERROR)), Overloaded, "overloaded"),
    ("as raw lines", sse(chunk("a")) + PRETTY.encode(), APIError, "Gone"),
    ("as raw lines, then more", sse(chunk("a")) + PRETTY.encode() + b"\r\n\r\n" + sse(chunk("b")), APIError, "Gone"),
    ("under a name", sse(chunk("a"), 'event: error\r\ndata: {"message":"no"}'), APIError, "no"),
    (
        "with a delay",
        sse(chunk("a"), {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m", "details": [DELAY]}}),
        RateLimited,
        "m",
    ),
    ("a page", b"<html>502</html>", ServerError, "web page"),
    ("a stream that ends early", sse(chunk("a")), TruncatedStream, "no finish reason"),
    ("an empty candidate", sse({"candidates": [{"content": {}, "index": 0}]}), TruncatedStream, "empty"),
    ("nothing", b"", TruncatedStream, "empty"),
    ("[DONE] alone", b"data: [DONE]\n\n", TruncatedStream, "empty"),
    ("arguments of no call", sse(chunk("a", call(args={"x": 1}))), ProtocolError, "no name"),
    (
        "a path that leads nowhere",
        sse(chunk("a", call("f", partialArgs=[arg("a..b", stringValue="")]))),
        ProtocolError,
        "path",
    ),
    (
        "an image that is none",
        sse(chunk("a", {"inlineData": {"mimeType": "image/png", "data": "*"}})),
        ProtocolError,
        "base64",
    ),
    ("a call of the wrong form", sse(chunk("a", {"functionCall": {"name": 1}})), ProtocolError, "not of its form"),
    ("a list in a list", sse([[chunk("a")]]), TruncatedStream, "empty"),
]


@pytest.mark.parametrize(("body", "kind", "words"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS])
def test_what_goes_wrong_is_a_typed_error_after_what_came(body: bytes, kind: type[Exception], words: str) -> None:
    parser = get_protocol("gemini").parser()
    deltas: list[Delta] = []
    with pytest.raises(kind, match=words) as caught:
        deltas += parser.feed(body)
        deltas += parser.finish()
    deltas += getattr(caught.value, "deltas", [])
    begun = b'"a"' in body and b"[[" not in body
    assert accumulate(deltas).message.text == ("a" if begun else "")
    assert not any(isinstance(delta, MessageEnd) for delta in deltas)
    whole = read([body])
    for pieces in (bytewise(body), linewise(body)):
        assert read(pieces) == whole


def test_a_delay_in_the_stream_is_read() -> None:
    body = sse({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m", "details": [DELAY]}})
    parser = get_protocol("gemini").parser(provider="gemini")
    parser.feed(body)
    with pytest.raises(RateLimited) as caught:
        parser.finish()
    assert (caught.value.retry_after_s, caught.value.provider, caught.value.status) == (7.5, "gemini", 200)


def test_a_list_with_an_error_in_place_of_the_stream() -> None:
    body = json.dumps([{"error": ERROR}], indent=2).encode()
    for framing in ("sse", "json-array"):
        outcome = read(bytewise(body), framing=framing)
        assert outcome.error is not None and outcome.error["kind"] == "Overloaded"


def test_what_is_no_chunk_in_a_list_is_kept_and_the_others_are_read() -> None:
    outcome = read([sse([1, chunk("a"), [2], chunk("b", finish="STOP")])])
    assert outcome.outputs[0].message.text == "ab"
    unknown = [delta.raw for delta in outcome.deltas if isinstance(delta, UnknownFrame)]
    assert unknown == ["1", "[2]"]


def test_a_server_that_gives_no_finish_reason() -> None:
    outcome = read([sse(chunk("a"))], quirks=Quirks(end_without_finish=True))
    assert outcome.outputs[0].finish_reason == FinishReason("stop", synthesized=True)


def test_candidates_that_ended_are_whole_where_another_did_not() -> None:
    body = sse(chunk("a", finish="STOP"), chunk("x", index=1))
    outcome = read([body])
    assert outcome.error is not None and outcome.error["kind"] == "TruncatedStream"
    assert MessageEnd(STOP) in outcome.deltas
    assert [out.message.text for out in outcome.outputs] == ["a", "x"]


def test_halves_of_characters_meet_over_chunks() -> None:
    body = sse(chunk("a"), chunk("b", finish="STOP")).replace(b'"a"', b'"\\ud83d"').replace(b'"b"', b'"\\ude00"')
    assert read([body]).outputs[0].message.text == "😀"
    parts = chunk(call("f", {"a": "HALF"}, id="x"), {"x": "HALF"}, finish="STOP", groundingMetadata={"q": "HALF"})
    outcome = read([sse(parts).replace(b"HALF", b"\\ud83d")])
    assert outcome.error is None
    calls = outcome.outputs[0].message.tool_calls or []
    assert calls[0].function.arguments == {"a": "\ufffd"}
    assert RawPart({"x": "\ufffd"}) in outcome.outputs[0].message.contents


def test_arguments_have_a_limit() -> None:
    limits = Limits(max_argument_bytes=10)
    bodies = [sse(chunk(call("f", {"a": "x" * 20})))]
    pieces = [chunk(call("f", willContinue=True))]
    pieces += [chunk(call(partialArgs=[arg("$.a", stringValue="x", willContinue=True)], willContinue=True))] * 20
    turns = [arg("$.b", boolValue=True), arg("$.a.b", boolValue=True), arg("$.a.b", stringValue="x" * 20)]
    bodies += [sse(*pieces), sse(chunk(call("f", partialArgs=turns, willContinue=True)))]
    for body in bodies:
        parser = get_protocol("gemini").parser(limits=limits)
        parser.feed(body)
        with pytest.raises(ProtocolError, match=r"max_argument_bytes \(10\)"):
            parser.finish()
