"""Where streams of Ollama's differ from what one expects: a row each, and what a user sees of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, FunctionCall, FunctionPart, ImagePart, ImageUrl, TextPart
from streamkit.protocols import Request, get_protocol
from streamkit.protocols.failures import read_failure
from streamkit.testing.chunking import two_parts
from streamkit.testing.outcome import read_pieces
from streamkit.usage import Usage
from tests.protocols.edges import read, told

STOP, CALLED = ("stop", "stop"), ("tool_call", "stop")


def said(content: str = "", **fields: Any) -> dict[str, Any]:
    return {"model": "m", "message": {"role": "assistant", "content": content, **fields}, "done": False}


def calls(*called: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return said(tool_calls=[{"function": each, **fields} for each in called])


def last(**fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": ""}
    return {"model": "m", "message": message, "done": True, "done_reason": "stop", **fields}


def body(*records: Any, end: str = "\n") -> bytes:
    return "".join(json.dumps(each, ensure_ascii=False) + end for each in records).encode()


NESTED = {"z": {"y": [1, None], "a": "é"}, "b": 2**70}
NO_MESSAGE = {"model": "m", "done": True, "done_reason": "stop"}

EDGES: list[tuple[str, bytes, dict[str, Any]]] = [
    ("lines that end with CR LF", body(said("a"), last(), end="\r\n"), {"text": "a", "finish": STOP}),
    ("blank lines", body(said("a"), last(), end="\n\n"), {"text": "a", "finish": STOP}),
    ("a last line without its end", body(said("a"), last()).rstrip(), {"text": "a", "finish": STOP}),
    (
        "line separators of Unicode inside a text",
        body(said("a\u2028b\u2029c\x85d"), last()),
        {"text": "a\u2028b\u2029c\x85d", "finish": STOP},
    ),
    ("an error on the first line", body({"error": "model 'x' not found"}), {"error": "NotFound"}),
    ("an error after text", body(said("a"), {"error": "it crashed"}), {"text": "a", "error": "ServerError"}),
    (
        "a last record with text",
        body(said("a"), last(message={"role": "assistant", "content": "b"})),
        {"text": "ab", "finish": STOP},
    ),
    ("a last record without a message", body(said("a"), NO_MESSAGE), {"text": "a", "finish": STOP}),
    (
        "a last record with counts",
        body(said("a"), last(prompt_eval_count=9, eval_count=4)),
        {"text": "a", "finish": STOP, "usage": Usage(9, 4)},
    ),
    (
        "a count of zero, which is left out",
        body(said("a"), last(eval_count=4)),
        {"text": "a", "finish": STOP, "usage": Usage(None, 4)},
    ),
    (
        "a call without an id and an index",
        body(calls({"name": "f", "arguments": {"a": 1}}), last()),
        {"calls": [("f", {"a": 1})], "finish": CALLED},
    ),
    (
        "two calls of one tool in one record",
        body(calls({"name": "f", "arguments": {"a": 1}}, {"name": "f", "arguments": {"a": 2}}), last()),
        {"calls": [("f", {"a": 1}), ("f", {"a": 2})], "finish": CALLED},
    ),
    (
        "two calls in two records, each the first of its own",
        body(
            *(calls({"index": 0, "name": name, "arguments": {"a": 1}}) for name in "fg"),
            last(),
        ),
        {"calls": [("f", {"a": 1}), ("g", {"a": 1})], "finish": CALLED},
    ),
    (
        "a call without arguments",
        body(calls({"name": "f", "arguments": {}}), last()),
        {"calls": [("f", {})], "finish": CALLED},
    ),
    (
        "a model that was only loaded",
        body(last(done_reason="load")),
        {"finish": ("other", "load")},
    ),
    ("a model that was unloaded", body(last(done_reason="unload")), {"finish": ("other", "unload")}),
    ("an end without a reason", body(said("a"), last(done_reason=None)), {"text": "a", "finish": ("stop", None)}),
    (
        "thinking, then text",
        body(said(thinking="Hm"), said(thinking="."), said("Yes"), last()),
        {"thinking": "Hm.", "text": "Yes", "finish": STOP},
    ),
    ("thinking alone", body(said(thinking="Hm"), last()), {"thinking": "Hm", "finish": STOP}),
    (
        "an image, after the steps of making it",
        body(
            {"completed": 1, "total": 2, "done": False}, {"image": "iVBORw0KGgo=", "done": True, "done_reason": "stop"}
        ),
        {"parts": ["ImagePart"], "finish": STOP},
    ),
    ("the end of input before the last record", body(said("a")), {"text": "a", "error": "TruncatedStream"}),
    ("a proxy's page", b"<html>502 Bad Gateway</html>", {"error": "ServerError"}),
    ("a proxy's words", b"upstream connect error", {"error": "ServerError"}),
]


@pytest.mark.parametrize(("data", "seen"), [edge[1:] for edge in EDGES], ids=[edge[0] for edge in EDGES])
def test_an_edge_case_is_seen_as_it_is_meant(data: bytes, seen: dict[str, Any]) -> None:
    assert told(read(data, "ollama")) == seen


def test_a_line_may_be_cut_inside_a_character_and_inside_an_escape() -> None:
    data = body(said("é😀"), last()) + body(said("not read"))
    for text in (data, data.replace("é😀".encode(), b"\\u00e9\\ud83d\\ude00")):
        for pieces in two_parts(text):
            assert read_pieces(pieces, get_protocol("ollama").parser()).outputs[0].message.text == "é😀"


def test_arguments_keep_their_order() -> None:
    message = read(body(calls({"name": "f", "arguments": NESTED}), last()), "ollama").outputs[0].message
    arguments = (message.tool_calls or [])[0].function.arguments
    assert json.dumps(arguments) == json.dumps(NESTED)


def test_a_call_that_came_without_an_id_is_answered_by_the_name_of_its_tool() -> None:
    message = read(body(calls({"name": "f", "arguments": NESTED}), last()), "ollama").outputs[0].message
    (call,) = message.tool_calls or []
    messages = [Message("user", "hi"), message, Message("tool", [TextPart("3")], id=call.id)]
    sent = get_protocol("ollama").encode(Request(model="m", messages=messages)).body["messages"]
    assert sent[1]["tool_calls"][0]["function"] == {"name": "f", "arguments": NESTED}
    assert sent[2] == {"role": "tool", "content": "3", "tool_name": "f", "tool_call_id": call.id}


def test_a_request_has_its_options_inside_bare_images_and_arguments_as_objects() -> None:
    call = FunctionPart("x", FunctionCall("f", {"a": 1}))
    messages = [
        Message(
            "user", [ImagePart(EmbeddedImage("image/png", b"hi")), ImagePart(ImageUrl("data:image/png;base64,aGk="))]
        ),
        Message("assistant", tool_calls=[call]),
        Message("tool", [TextPart("1")], id="x"),
    ]
    sent = get_protocol("ollama").encode(Request(model="m", messages=messages, max_tokens=9, stop=["x"])).body
    assert sent["options"] == {"num_predict": 9, "stop": ["x"]}
    assert sent["messages"][0]["images"] == ["aGk=", "aGk="]
    assert sent["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"a": 1}


# name, status, body, the kind of error, whether trying again may help
REFUSALS = [
    ("a text alone", 400, b'{"error":"invalid option"}', "InvalidRequest", False),
    ("no tools", 400, b'{"error":"m does not support tools"}', "InvalidRequest", False),
    ("no such model", 404, b'{"error":"model \'x\' not found"}', "NotFound", False),
    (
        "not signed in",
        401,
        b'{"error":"unauthorized","signin_url":"https://x"}',
        "AuthenticationError",
        False,
    ),
    ("too long", 400, b'{"error":"the prompt is longer than the context length"}', "ContextOverflow", False),
    ("busy", 503, b'{"error":"server busy, please try again"}', "Overloaded", True),
    ("too many requests", 429, b'{"error":"rate limit exceeded"}', "RateLimited", True),
    ("a cloud model out of reach", 502, b'{"error":"upstream unreachable"}', "ServerError", True),
    ("a proxy's words", 502, b"Bad Gateway", "ServerError", True),
    ("a proxy's page", 502, b"<html>Bad Gateway</html>", "ServerError", True),
]


@pytest.mark.parametrize(
    ("status", "data", "kind", "again"), [case[1:] for case in REFUSALS], ids=[case[0] for case in REFUSALS]
)
def test_an_error_in_place_of_the_stream(status: int, data: bytes, kind: str, again: bool) -> None:
    error = read_failure(data, provider="ollama-chat", status=status)
    assert (type(error).__name__, error.status, error.retryable) == (kind, status, again)
