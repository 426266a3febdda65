"""Where streams of chat completions differ from what one expects: a row each, and what a user sees of it."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from streamkit.deltas import RawFrame, UnknownFrame
from streamkit.messages import FinishReason, Message, as_message
from streamkit.parts import AudioPart, FunctionCall, FunctionPart, TextPart
from streamkit.protocols import Quirks, Request, get_protocol
from streamkit.providers import get_provider
from streamkit.usage import Usage
from tests.protocols.edges import read, told

DONE = b"data: [DONE]\n\n"
STOP = ("stop", "stop")
CALLED = ("tool_call", "tool_calls")


def event(value: Any) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def chunk(choices: Any = (), **fields: Any) -> bytes:
    return event({"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": list(choices), **fields})


def said(*deltas: Any, index: int = 0, **fields: Any) -> bytes:
    """A chunk for each delta, or for each text."""
    each = [{"content": delta} if isinstance(delta, str) else delta for delta in deltas]
    return b"".join(chunk([{"index": index, "delta": delta, "finish_reason": None, **fields}]) for delta in each)


def end(word: Any = "stop", index: int = 0, delta: Any = None, **fields: Any) -> bytes:
    return chunk([{"index": index, "delta": delta or {}, "finish_reason": word, **fields}])


def calls(*fragments: dict[str, Any]) -> dict[str, Any]:
    return {"tool_calls": list(fragments)}


def piece(arguments: Any = None, index: Any = 0, **fields: Any) -> dict[str, Any]:
    """A fragment of a call; `name` and `id` where they come."""
    function = {"name": fields.pop("name")} if "name" in fields else {}
    place = {} if index is None else {"index": index}
    return {**place, **fields, "function": {**function, **({} if arguments is None else {"arguments": arguments})}}


def begin(id: str = "call_a", index: Any = 0, arguments: Any = "", name: str = "add") -> dict[str, Any]:
    return piece(arguments, index, id=id, type="function", name=name)


COUNTS = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
USED = Usage(9, 5)
HI = {"text": "Hi", "finish": STOP}
ADD = {"calls": [("add", {"a": 1})], "finish": CALLED}
TWICE = {"calls": [("add", {"a": 1}), ("add", {"a": 2})], "finish": CALLED}
FILTERS = {"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]}
SOUND = [base64.b64encode(part).decode() for part in (b"\x00\x01\x02", b"\x03\x04")]

WHOLE = {
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
    "usage": COUNTS,
}

# Chunks without a choice, and the five places of the counts.
COUNTED: list[tuple[str, bytes, dict[str, Any]]] = [
    ("no choice at first", chunk(id="", model="", **FILTERS) + said("Hi") + end() + DONE, HI),
    ("no choice in the middle", said("H") + chunk(moderation={"flagged": False}) + said("i") + end() + DONE, HI),
    ("no choice at last", said("Hi") + end() + chunk(usage=COUNTS) + DONE, {**HI, "usage": USED}),
    ("offsets of a filter and no delta", said("Hi") + chunk([{"index": 0, "content_filter_offsets": {}}]) + end(), HI),
    (
        "counts with the reason to stop",
        said("Hi") + chunk([{"index": 0, "delta": {}, "finish_reason": "stop"}], usage=COUNTS),
        {**HI, "usage": USED},
    ),
    (
        "counts on every chunk",
        chunk([{"index": 0, "delta": {"content": "Hi"}}], usage={**COUNTS, "completion_tokens": 1})
        + chunk([{"index": 0, "delta": {}, "finish_reason": "stop"}], usage=COUNTS),
        {**HI, "usage": USED},
    ),
    ("counts in the choice", said("Hi") + end(usage=COUNTS) + DONE, {**HI, "usage": USED}),
    (
        "counts in a field of the vendor's",
        said("Hi")
        + chunk([{"index": 0, "delta": {}, "finish_reason": "stop"}], x_groq={"id": "r", "usage": COUNTS})
        + DONE,
        {**HI, "usage": USED},
    ),
    ("null after counts", said("Hi") + end() + chunk(usage=COUNTS) + chunk(usage=None) + DONE, {**HI, "usage": USED}),
    ("no counts", said("Hi") + end() + DONE, HI),
    (
        "interim counts of nothing",
        chunk([{"index": 0, "delta": {"content": "Hi"}}], usage={"total_tokens": 0}) + end(),
        HI,
    ),
]

# How fragments of calls are numbered, named, cut and repeated.
CALLS: list[tuple[str, bytes, dict[str, Any]]] = [
    ("as they should come", said(calls(begin()), calls(piece('{"a"')), calls(piece(":1}"))) + end("tool_calls"), ADD),
    ("no number", said(calls(begin(index=None, arguments='{"a":1}'))) + end("tool_calls"), ADD),
    ("no number, pieces", said(calls(begin(index=None)), calls(piece('{"a":1}', None))) + end("tool_calls"), ADD),
    (
        "no number, found by the id",
        said(
            calls(begin("x", None), begin("y", None)),
            calls(piece('{"a":2}', None, id="y")),
            calls(piece('{"a":1}', None, id="x")),
        )
        + end("tool_calls"),
        TWICE,
    ),
    (
        "one number for all, told apart by the ids",
        said(calls(begin("x", 0, '{"a":1}')), calls(begin("y", 0, '{"a":2}'))) + end("tool_calls"),
        TWICE,
    ),
    ("numbers from 1 on", said(calls(begin("x", 1)), calls(piece('{"a":1}', 1))) + end("tool_calls"), ADD),
    ("an id of null", said(calls({**begin(), "id": None}), calls(piece('{"a":1}'))) + end("tool_calls"), ADD),
    ("an empty id", said(calls(begin("", 0, '{"a":1}'))) + end("tool_calls"), ADD),
    ("no id", said(calls(piece('{"a":1}', name="add"))) + end("tool_calls"), ADD),
    ("an empty id on later pieces", said(calls(begin()), calls(piece('{"a":1}', id=""))) + end("tool_calls"), ADD),
    (
        "an id that changes on later pieces",
        said(calls(begin()), calls(piece('{"a":1}', id="other"))) + end("tool_calls"),
        ADD,
    ),
    (
        "a name in pieces",
        said(calls(piece("", id="x", name="a")), calls(piece("", name="dd")), calls(piece('{"a":1}')))
        + end("tool_calls"),
        ADD,
    ),
    (
        "a name and an id that are repeated",
        said(calls(begin()), calls(begin(arguments='{"a"')), calls(begin(arguments=":1}"))) + end("tool_calls"),
        ADD,
    ),
    ("arguments as an object", said(calls(begin(arguments={"a": 1}))) + end("tool_calls"), ADD),
    (
        "arguments of null",
        said(calls({**begin(), "function": {"name": "add", "arguments": None}})) + end("tool_calls"),
        {"calls": [("add", {})], "finish": CALLED},
    ),
    (
        "a placeholder, then pieces",
        said(calls(begin(arguments="{}")), calls(piece('{"a":1}'))) + end("tool_calls"),
        ADD,
    ),
    (
        "the whole once more after its pieces",
        said(calls(begin()), calls(piece('{"a"')), calls(piece(":1}")), calls(begin(arguments='{"a":1}')))
        + end("tool_calls"),
        ADD,
    ),
    ("no type", said(calls(piece('{"a":1}', id="x", name="add"))) + end("tool_calls"), ADD),
    ("no calls in a list", said({"content": "H", "tool_calls": []}, {"content": "i", "tool_calls": None}) + end(), HI),
    (
        "a plain stop after calls",
        said(calls(begin(arguments='{"a":1}'))) + end(),
        {**ADD, "finish": ("tool_call", "stop")},
    ),
    (
        "several whole calls in one chunk",
        said(calls(begin("x", 0, '{"a":1}'), begin("y", 1, '{"a":2}'))) + end("tool_calls"),
        TWICE,
    ),
    (
        "two calls that take turns",
        said(
            calls(begin("x", 0)),
            calls(begin("y", 1)),
            calls(piece('{"a"', 0)),
            calls(piece('{"a"', 1)),
            calls(piece(":1}", 0)),
            calls(piece(":2}", 1)),
        )
        + end("tool_calls"),
        TWICE,
    ),
    ("two pieces of one call in one chunk", said(calls(begin(), piece('{"a"'), piece(":1}"))) + end("tool_calls"), ADD),
    (
        "the legacy form",
        said({"function_call": {"name": "add", "arguments": ""}}, {"function_call": {"arguments": '{"a":1}'}})
        + end("function_call"),
        {**ADD, "finish": ("tool_call", "function_call")},
    ),
]

# Where the reason to stop and the end stand, or do not.
ENDED: list[tuple[str, bytes, dict[str, Any]]] = [
    ("a reason, then content", said("H") + end() + said("i") + DONE, HI),
    ("a reason with content", said("H") + end(delta={"content": "i"}) + DONE, HI),
    ("two reasons", said("Hi") + end("length") + end("stop") + DONE, HI),
    ("an empty reason on each chunk", said("Hi", finish_reason="") + end() + DONE, HI),
    ("the sentinel and no reason", said("Hi") + DONE, {"text": "Hi", "finish": ("stop", None)}),
    ("a reason and no sentinel", said("Hi") + end(), HI),
    ("neither", said("Hi"), {"text": "Hi", "error": "TruncatedStream"}),
    ("the sentinel within blanks", said("Hi") + end() + b"data:  [DONE] \n\n", HI),
    ("more after the sentinel", said("Hi") + end() + DONE + said("no") + b"garbage", HI),
    ("a word in capitals", said("Hi") + end("STOP") + DONE, {"text": "Hi", "finish": ("stop", "STOP")}),
    ("a word of another dialect", said("Hi") + end("max_tokens"), {"text": "Hi", "finish": ("length", "max_tokens")}),
    ("a word that nobody knows", said("Hi") + end("novelty"), {"text": "Hi", "finish": ("other", "novelty")}),
    ("nothing at all", b"", {"error": "TruncatedStream"}),
    ("no delta and no reason", said({"role": "assistant", "content": ""}) + DONE, {"error": "TruncatedStream"}),
    ("a reason and no word", said({"role": "assistant"}) + end() + DONE, {"finish": STOP}),
    ("comments for a long time", b": PROCESSING\n\n" * 99 + said("Hi") + b": PROCESSING\n\n" * 99 + end() + DONE, HI),
]

# The shapes of an error after text.
FAILED: list[tuple[str, bytes, str]] = [
    ("an object", event({"error": {"message": "no", "type": "server_error"}}), "ServerError"),
    ("a string", event({"error": "no"}), "ServerError"),
    (
        "an object beside a choice",
        chunk([{"index": 0, "delta": {}, "finish_reason": "error"}], error={"code": 502, "message": "no"}),
        "ServerError",
    ),
    ("in the choice", said({}, error={"code": 429, "message": "no"}), "RateLimited"),
    ("in a field of the vendor's", chunk([{"index": 0, "delta": {}}], x_groq={"error": "over capacity"}), "Overloaded"),
    ("a status in place of a choice", event({"base_resp": {"status_code": 1002, "status_msg": "no"}}), "RateLimited"),
    ("a text and a number", event({"text": "no", "error_code": 50002}), "ServerError"),
    ("a status of HTTP inside", event({"error": {"message": "no", "http_status_code": 422}}), "InvalidRequest"),
    ("flat", event({"object": "error", "message": "no", "type": "BadRequestError", "code": 400}), "InvalidRequest"),
    ("under a name", b'event: error\ndata: {"message":"no"}\n\n', "ServerError"),
    ("a text under a name", b"event: error\ndata: upstream failed\n\n", "ServerError"),
    ("a field of its own", b'error: {"code":500,"message":"no"}\n\n', "ServerError"),
]

# What stands in a delta, or in its place.
MESSAGES: list[tuple[str, bytes, dict[str, Any]]] = [
    ("null and empty content", said({"content": None}, "", "Hi", {}) + end(), HI),
    (
        "content as a list of parts",
        said({"content": [{"type": "text", "text": "H"}, {"type": "text", "text": "i"}]}) + end(),
        HI,
    ),
    ("an unknown part", said({"content": [{"type": "novelty", "n": 1}]}, "Hi") + end(), {**HI, "parts": ["RawPart"]}),
    ("reasoning_content", said({"reasoning_content": "Hm"}, "Hi") + end(), {**HI, "thinking": "Hm"}),
    ("reasoning", said({"reasoning": "Hm"}, "Hi") + end(), {**HI, "thinking": "Hm"}),
    (
        "reasoning_details",
        said({"reasoning_details": [{"type": "reasoning.text", "text": "Hm", "index": 0}]}, "Hi") + end(),
        {**HI, "thinking": "Hm"},
    ),
    (
        "thinking as a part",
        said({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]}, "Hi") + end(),
        {**HI, "thinking": "Hm"},
    ),
    (
        "reasoning as a part",
        said({"content": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm"}]}]}, "Hi") + end(),
        {**HI, "thinking": "Hm"},
    ),
    (
        "the same reasoning in two fields",
        said({"reasoning": "Hm", "reasoning_content": "Hm"}, "Hi") + end(),
        {**HI, "thinking": "Hm"},
    ),
    ("no delta", chunk([{"index": 0, "finish_reason": None}]) + said("Hi") + end(), HI),
    ("a delta of null", chunk([{"index": 0, "delta": None}]) + said("Hi") + end(), HI),
    (
        "a message beside the delta",
        said("H", message={"content": "H"}) + said("i", message={"content": "Hi"}) + end(),
        HI,
    ),
    ("a message in its place", chunk([{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}]), HI),
    (
        "the whole message at last",
        said("H", "i") + chunk([{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}]),
        HI,
    ),
    (
        "a refusal",
        said({"refusal": "No", "content": None}, {"refusal": "."}) + end(),
        {"parts": ["RefusalPart"], "finish": ("refusal", "stop")},
    ),
    (
        "two answers that take turns",
        said("H") + said("Y", index=1) + said("i") + said("o", index=1) + end() + end("length", 1),
        {**HI, "others": [{"text": "Yo", "finish": ("length", "length")}]},
    ),
    (
        "a role that is empty or said again",
        said({"role": "", "content": "H"}, {"role": "assistant", "content": "i"}) + end(),
        HI,
    ),
    ("padding and unknown keys", said({"content": "Hi", "novelty": {"x": 1}}, obfuscation="aX9") + end(novelty=1), HI),
    (
        "a whole answer as JSON",
        b"\n\n  " + json.dumps(WHOLE).encode(),
        {**HI, "usage": USED},
    ),
    ("records without blank lines between", (said("H", "i") + end()).replace(b"\n\n", b"\n") + b"\n", HI),
]

EDGES = [*COUNTED, *CALLS, *ENDED, *MESSAGES]


@pytest.mark.parametrize(("body", "seen"), [case[1:] for case in EDGES], ids=[case[0] for case in EDGES])
def test_a_stream_that_differs_is_read(body: bytes, seen: dict[str, Any]) -> None:
    assert told(read(body, "openai-chat")) == seen


@pytest.mark.parametrize(("frame", "kind"), [case[1:] for case in FAILED], ids=[case[0] for case in FAILED])
@pytest.mark.parametrize("sentinel", [b"", DONE], ids=["", "and the sentinel"])
def test_an_error_ends_the_stream_after_what_it_said(frame: bytes, kind: str, sentinel: bytes) -> None:
    assert told(read(said("Hi") + frame + sentinel, "openai-chat")) == {"text": "Hi", "error": kind}


def test_an_answer_that_ends_with_the_word_error_is_no_success() -> None:
    (output,) = read(said("Hi") + end("error") + DONE, "openai-chat").outputs
    assert output.finish_reason == FinishReason("error", "error")


@pytest.mark.parametrize("cut", range(1, 7))
def test_a_tag_of_thinking_may_be_cut_anywhere(cut: int) -> None:
    for body in (
        said("<think>"[:cut], "<think>"[cut:] + "Hm</think>Hi"),
        said("<think>Hm" + "</think>"[:cut], "</think>"[cut:] + "Hi"),
    ):
        assert told(read(body + end(), "openai-chat", quirks=Quirks(think_tags=True))) == {**HI, "thinking": "Hm"}


def test_a_tag_that_never_opened_closes_the_thinking() -> None:
    body = said("Hm</th", "ink>Hi") + end()
    assert told(read(body, "openai-chat", quirks=Quirks(think_tag_open=True))) == {**HI, "thinking": "Hm"}


def test_log_probabilities_are_joined_with_the_bytes_of_tokens_that_are_no_characters() -> None:
    halves = [{"token": "\ufffd", "logprob": -0.1, "bytes": list("😀".encode())[at : at + 2]} for at in (0, 2)]
    body = b"".join(said("", logprobs={"content": [half], "refusal": None}) for half in halves) + said("😀") + end()
    (output,) = read(body, "openai-chat").outputs
    assert output.logprobs == halves
    assert bytes(byte for token in output.logprobs for byte in token["bytes"]).decode() == "😀"


def test_sound_comes_in_pieces_that_are_each_base64_and_ends_with_its_date() -> None:
    audio = [
        {"id": "au", "data": SOUND[0]},
        {"data": SOUND[1], "transcript": "H"},
        {"transcript": "i"},
        {"expires_at": 9},
    ]
    (output,) = read(said(*({"audio": each} for each in audio)) + DONE, "openai-chat").outputs
    assert output.message.contents == [AudioPart(b"\x00\x01\x02\x03\x04", "Hi", None, "au", 9)]


def test_what_is_not_read_is_in_the_frames_where_they_are_asked_for() -> None:
    body = said({"content": "Hi", "novelty": {"x": 1}}, obfuscation="aX9") + event({"novelty": 1}) + end()
    deltas = read(body, "openai-chat", include_raw=True).deltas
    frames = [delta.raw for delta in deltas if isinstance(delta, RawFrame)]
    assert frames == [line.removeprefix("data: ") for line in body.decode().split("\n\n") if line]
    assert [delta for delta in deltas if isinstance(delta, UnknownFrame)] == [UnknownFrame('{"novelty": 1}')]


# Vendor, field of the limit, role of the system, what an answer with nothing but a call has as content.
REQUESTS = [("openai", "max_completion_tokens", "developer"), ("deepseek", "max_tokens", "system")]


@pytest.mark.parametrize(("vendor", "limit", "role"), REQUESTS, ids=[case[0] for case in REQUESTS])
def test_fields_are_named_as_each_vendor_knows_them(vendor: str, limit: str, role: str) -> None:
    call = FunctionPart("call_a", FunctionCall("add", {"a": 1}))
    history = [
        Message("system", [TextPart("Be brief.")]),
        as_message("q"),
        Message("assistant", [], tool_calls=[call]),
        Message("tool", [TextPart("2")], id="call_a"),
    ]
    body = (
        get_protocol("openai-chat")
        .encode(Request(model="m", messages=history, max_tokens=9, provider=vendor), get_provider(vendor).quirks)
        .body
    )
    assert body[limit] == 9
    assert body["messages"][0]["role"] == role
    assert body["messages"][2]["content"] is None
    assert body["messages"][2]["tool_calls"][0]["function"]["arguments"] == '{"a":1}'
