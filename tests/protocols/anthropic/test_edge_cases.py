"""Where streams of the Messages API differ from what one expects: a row each, and what a user sees of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.accumulator import accumulate
from streamkit.deltas import MessageEnd
from streamkit.messages import MessageOutput, as_message
from streamkit.parts import CitationPart, RawPart, ServerToolPart
from streamkit.protocols import Request, get_protocol
from streamkit.protocols.failures import read_failure
from streamkit.usage import Usage
from tests.protocols.edges import read, told

END = ("stop", "end_turn")
CALLED = ("tool_call", "tool_use")
COUNTS = Usage(12, 1, 100)


def event(record: Any, name: str | None = None) -> str:
    name = record["type"] if name is None else name
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(record)}\n\n"


def start(**usage: Any) -> str:
    counts = {"input_tokens": 12, "cache_read_input_tokens": 100, "output_tokens": 1} | usage
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": counts}
    return event({"type": "message_start", "message": message})


def begin(index: int, kind: str, **fields: Any) -> str:
    return event({"type": "content_block_start", "index": index, "content_block": {"type": kind, **fields}})


def delta(index: int, kind: str, **fields: Any) -> str:
    return event({"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}})


def end(index: int) -> str:
    return event({"type": "content_block_stop", "index": index})


def text(index: int, *pieces: str) -> str:
    said = "".join(delta(index, "text_delta", text=piece) for piece in pieces)
    return begin(index, "text", text="") + said + end(index)


def call(index: int, *pieces: str) -> str:
    said = "".join(delta(index, "input_json_delta", partial_json=piece) for piece in pieces)
    return begin(index, "tool_use", id=f"toolu_{index}", name="add", input={}) + said + end(index)


def stop(reason: str | None = "end_turn", usage: Any = None, record: Any = None, **fields: Any) -> str:
    given = {"stop_reason": reason, "stop_sequence": None, **fields}
    return event({"type": "message_delta", "delta": given, "usage": usage or {}, **(record or {})})


LAST = event({"type": "message_stop"})
PING = event({"type": "ping"})
OVERLOADED = event({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
NEW = event({"type": "novelty", "n": 1})


def body(*events: str) -> bytes:
    return "".join(events).encode()


def answer(*events: str) -> bytes:
    return body(start(), *events, stop(), LAST)


SIGNED = begin(0, "thinking", thinking="", signature="") + delta(0, "signature_delta", signature="sig") + end(0)
HI = {"text": "Hi", "finish": END, "usage": COUNTS}

EDGES: list[tuple[str, bytes, dict[str, Any]]] = [
    (
        "the placeholder of the input is no part of it",
        body(start(), call(0, "", '{"a"', ":1}"), stop("tool_use"), LAST),
        {"calls": [("add", {"a": 1})], "finish": CALLED, "usage": COUNTS},
    ),
    (
        "a call without any arguments",
        body(start(), call(0), stop("tool_use"), LAST),
        {"calls": [("add", {})], "finish": CALLED, "usage": COUNTS},
    ),
    (
        "arguments that the limit of tokens cut",
        body(start(), call(0, '{"a":"x'), stop("max_tokens"), LAST),
        {"cut calls": [("add", '{"a":"x')], "finish": ("length", "max_tokens"), "usage": COUNTS},
    ),
    ("thinking that is withheld, with its signature", answer(SIGNED, text(1, "Hi")), HI),
    (
        "thinking of empty pieces",
        answer(begin(0, "thinking"), delta(0, "thinking_delta", thinking=""), text(1, "Hi")),
        HI,
    ),
    (
        "blocks that take turns",
        body(
            start(),
            begin(0, "thinking", thinking="") + delta(0, "thinking_delta", thinking="Hm. ") + end(0),
            call(1, "{}"),
            begin(4, "thinking", thinking="") + delta(4, "thinking_delta", thinking="So.") + end(4),
            text(7, "Hi"),
            stop("tool_use"),
            LAST,
        ),
        {"thinking": "Hm. So.", "text": "Hi", "calls": [("add", {})], "finish": CALLED, "usage": COUNTS},
    ),
    (
        "a citation before the text that it is of",
        answer(
            begin(0, "text", text=""),
            delta(0, "citations_delta", citation={"type": "char_location", "cited_text": "x"}),
            delta(0, "text_delta", text="Hi"),
            end(0),
        ),
        {**HI, "parts": ["CitationPart"]},
    ),
    (
        "a server's result as a list",
        answer(begin(0, "web_search_tool_result", tool_use_id="s", content=[{"url": "u"}]) + end(0), text(1, "Hi")),
        {**HI, "parts": ["ServerToolPart"]},
    ),
    (
        "a server's result as an error",
        answer(
            begin(0, "web_search_tool_result", tool_use_id="s", content={"error_code": "max_uses_exceeded"}) + end(0),
            text(1, "Hi"),
        ),
        {**HI, "parts": ["ServerToolPart"]},
    ),
    (
        "counts of the prompt that grow",
        body(start(), text(0, "Hi"), stop(usage={"input_tokens": 500, "output_tokens": 31}), LAST),
        {**HI, "usage": Usage(500, 31, 100)},
    ),
    (
        "counts that are left out or null",
        body(start(), text(0, "Hi"), stop(usage={"output_tokens": 31, "cache_read_input_tokens": None}), LAST),
        {**HI, "usage": Usage(12, 31, 100)},
    ),
    (
        "two counts of one answer",
        body(start(), text(0, "Hi"), stop(None, {"output_tokens": 7}), stop(usage={"output_tokens": 9}), LAST),
        {**HI, "usage": Usage(12, 9, 100)},
    ),
    (
        "counts that come at the end alone",
        body(start(input_tokens=0, cache_read_input_tokens=0, output_tokens=0), text(0, "Hi"))
        + body(stop(usage={"input_tokens": 5, "output_tokens": 2}), LAST),
        {**HI, "usage": Usage(5, 2)},
    ),
    (
        "thinking is part of the output",
        body(start(), text(0, "Hi"), stop(usage={"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}))
        + LAST.encode(),
        {**HI, "usage": Usage(12, 9, 100, reasoning_tokens=4)},
    ),
    (
        "an error after text",
        body(start(), begin(0, "text", text="") + delta(0, "text_delta", text="Hi"), OVERLOADED),
        {"text": "Hi", "usage": COUNTS, "error": "Overloaded"},
    ),
    ("an error before anything else", body(OVERLOADED), {"error": "Overloaded"}),
    (
        "the end of input before the end of the answer",
        body(start(), begin(0, "text", text="") + delta(0, "text_delta", text="Hi")),
        {"text": "Hi", "usage": COUNTS, "error": "TruncatedStream"},
    ),
    ("the end of input after the reason to stop", body(start(), text(0, "Hi"), stop()), HI),
    ("no reason to stop", body(start(), text(0, "Hi"), LAST), {**HI, "finish": ("stop", None)}),
    (
        "a loop of the server's that pauses",
        body(start(), text(0, "Hi"), stop("pause_turn"), LAST),
        {**HI, "finish": ("other", "pause_turn")},
    ),
    (
        "a compaction that pauses",
        body(start(), text(0, "Hi"), stop("compaction"), LAST),
        {**HI, "finish": ("other", "compaction")},
    ),
    (
        "a stop sequence",
        body(start(), text(0, "Hi"), stop("stop_sequence", stop_sequence="X"), LAST),
        {**HI, "finish": ("stop", "stop_sequence")},
    ),
    (
        "a full window",
        body(start(), text(0, "Hi"), stop("model_context_window_exceeded"), LAST),
        {**HI, "finish": ("length", "model_context_window_exceeded")},
    ),
    (
        "an unknown reason to stop",
        body(start(), text(0, "Hi"), stop("novelty"), LAST),
        {**HI, "finish": ("other", "novelty")},
    ),
    ("an unknown event", answer(NEW, text(0, "Hi")), {**HI, "unknown": ['{"type": "novelty", "n": 1}']}),
    ("an unknown block", answer(begin(0, "novelty", n=1) + end(0), text(1, "Hi")), {**HI, "parts": ["RawPart"]}),
    (
        "an unknown piece",
        answer(begin(0, "text", text=""), delta(0, "novelty_delta", n=1), delta(0, "text_delta", text="Hi"), end(0)),
        {**HI, "unknown": [delta(0, "novelty_delta", n=1).partition("data: ")[2].strip()]},
    ),
    ("records without event names", body(start(), text(0, "Hi"), stop(), LAST).replace(b"event: ", b": "), HI),
    ("names without types", body(start(), text(0, "Hi"), stop(), event({}, "message_stop")), HI),
    (
        "a ping inside a call",
        body(start(), call(0, '{"a"', ":1}").replace("event: content_block_stop", f"{PING}event: content_block_stop"))
        + body(stop("tool_use"), LAST),
        {"calls": [("add", {"a": 1})], "finish": CALLED, "usage": COUNTS},
    ),
    ("no space after the field names", answer(text(0, "Hi")).replace(b": {", b":{"), HI),
    ("a sentinel of another dialect", answer(text(0, "Hi")) + b"data: [DONE]\n\n", HI),
    ("no pings, ids of another form", answer(text(0, "Hi")).replace(b"msg_1", b"chatcmpl-1"), HI),
    (
        "a compaction replaces what it began with",
        answer(
            begin(0, "compaction", content=None),
            delta(0, "compaction_delta", content="old", encrypted_content="e1"),
            delta(0, "compaction_delta", content=None, encrypted_content="e2"),
            end(0),
            text(1, "Hi"),
        ),
        {**HI, "parts": ["RawPart"]},
    ),
]


@pytest.mark.parametrize(("said", "seen"), [case[1:] for case in EDGES], ids=[case[0] for case in EDGES])
def test_a_stream_that_differs_is_read(said: bytes, seen: dict[str, Any]) -> None:
    assert told(read(said, "anthropic")) == seen


def output(said: bytes) -> MessageOutput:
    return read(said, "anthropic", provider="anthropic").outputs[0]


def sent_back(said: bytes, provider: str = "anthropic", **params: Any) -> list[dict[str, Any]]:
    """The answer's content as it goes back with the next request."""
    history = [as_message("q"), output(said).message, as_message("more")]
    encoded = get_protocol("anthropic").encode(Request(model="m", messages=history, provider=provider, **params))
    content: list[dict[str, Any]] = encoded.body["messages"][1]["content"]
    return content


RESULT = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"type": "web_search_result", "url": "u"}]}
CALL = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}
REDACTED = {"type": "redacted_thinking", "data": "opaque"}
NOVELTY = {"type": "novelty", "n": {"x": [1, None]}}
COMPACTED = {"type": "compaction", "content": None, "encrypted_content": "e2"}
CITED = {"type": "web_search_result_location", "url": "u", "title": "t", "encrypted_index": "i", "cited_text": "c"}

# What of an answer goes back to where it came from, as it came.
BACK: list[tuple[str, str, list[dict[str, Any]]]] = [
    ("withheld thinking", SIGNED, [{"type": "thinking", "thinking": "", "signature": "sig"}]),
    ("redacted thinking", event({"type": "content_block_start", "index": 0, "content_block": REDACTED}), [REDACTED]),
    (
        "a server's call and its result",
        begin(0, "server_tool_use", id="s", name="web_search", input={})
        + delta(0, "input_json_delta", partial_json='{"query":"q"}')
        + end(0)
        + event({"type": "content_block_start", "index": 1, "content_block": RESULT}),
        [CALL, RESULT],
    ),
    (
        "an unknown block",
        event({"type": "content_block_start", "index": 0, "content_block": NOVELTY}) + end(0),
        [NOVELTY],
    ),
    (
        "a compaction",
        begin(0, "compaction", content=None)
        + delta(0, "compaction_delta", content=None, encrypted_content="e2")
        + end(0),
        [COMPACTED],
    ),
]


@pytest.mark.parametrize(("said", "back"), [case[1:] for case in BACK], ids=[case[0] for case in BACK])
def test_a_block_goes_back_to_its_origin_as_it_came_and_nowhere_else(said: str, back: list[dict[str, Any]]) -> None:
    stream = answer(said, text(9, "Hi"))
    hi = {"type": "text", "text": "Hi"}
    assert sent_back(stream) == [*back, hi]
    assert sent_back(stream, "another") == [hi]


def test_a_citation_goes_back_with_its_text() -> None:
    said = answer(
        begin(0, "text", text=""),
        delta(0, "citations_delta", citation=CITED),
        delta(0, "text_delta", text="Hi"),
        end(0),
    )
    assert output(said).message.contents[1] == CitationPart(CITED)
    assert sent_back(said) == [{"type": "text", "text": "Hi", "citations": [CITED]}]


def test_a_servers_result_keeps_a_list_and_an_error_as_they_are() -> None:
    failed = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    for content in ([{"type": "web_search_result", "url": "u"}], failed):
        (part,) = output(answer(begin(0, "web_search_tool_result", tool_use_id="s", content=content))).message.contents
        assert isinstance(part, ServerToolPart)
        assert part.raw["content"] == content


@pytest.mark.feature("D: pi#5591")
@pytest.mark.parametrize("details", [None, {"type": "refusal", "category": "cyber", "explanation": "Not that."}])
def test_a_refusal_says_why_where_it_does(details: dict[str, str] | None) -> None:
    finish = output(body(start(), text(0, "Hi"), stop("refusal", stop_details=details), LAST)).finish_reason
    assert finish is not None
    told_why = ("Not that.", "cyber") if details else (None, None)
    assert (finish.type, finish.raw, finish.reason, finish.category) == ("refusal", "refusal", *told_why)


def test_an_error_inside_the_stream_is_told_by_its_type_and_keeps_its_id() -> None:
    record = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "req_1"}
    facts = read(body(start(), event(record)), "anthropic").error
    assert facts is not None
    assert (facts["kind"], facts["status"], facts["retryable"]) == ("Overloaded", 200, True)
    assert (facts["type"], facts["request_id"]) == ("overloaded_error", "req_1")


@pytest.mark.parametrize(
    ("code", "kind", "retryable"),
    [
        ("enforced_spend_limit_reached", "QuotaExceeded", False),
        ("contract_spend_limit_reached", "QuotaExceeded", False),
        ("ramp_limit_exceeded", "RateLimited", True),
        (None, "RateLimited", True),
    ],
)
def test_a_limit_of_what_may_be_spent_is_not_tried_again(code: str | None, kind: str, retryable: bool) -> None:
    said = {"type": "rate_limit_error", "message": "no", "details": {"error_code": code}}
    error = read_failure({"type": "error", "error": said}, provider="anthropic", status=429)
    assert (type(error).__name__, error.retryable) == (kind, retryable)


CONTAINER = {"id": "container_1", "expires_at": "2026-12-01T00:00:00Z"}
CLEARED = {"applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 3}]}


def test_what_is_said_of_the_answer_as_a_whole_is_kept() -> None:
    said = body(start(), text(0, "Hi"), stop(container=CONTAINER, record={"context_management": CLEARED}), LAST)
    assert output(said).extra == {"container": CONTAINER, "context_management": CLEARED}
    assert output(answer(text(0, "Hi"))).extra is None


def test_the_same_is_kept_of_an_answer_that_was_not_streamed() -> None:
    whole = {"type": "message", "id": "m", "role": "assistant", "model": "m", "content": [], "stop_reason": "end_turn"}
    assert output(json.dumps(whole | {"container": CONTAINER}).encode()).extra == {"container": CONTAINER}


def test_a_model_that_takes_over_is_the_one_that_answered() -> None:
    fallback = {"type": "fallback", "from": {"model": "m"}, "to": {"model": "n"}, "trigger": {"type": "refusal"}}
    said = answer(event({"type": "content_block_start", "index": 0, "content_block": fallback}), end(0), text(1, "Hi"))
    answered = output(said)
    assert answered.model == "n"
    assert answered.message.contents[0] == RawPart(fallback)
    assert answered.message.meta is not None
    assert answered.message.meta.origin is not None
    assert answered.message.meta.origin.model == "n"
    assert accumulate(read(said, "anthropic", provider="anthropic").deltas) == answered
    assert isinstance(read(said, "anthropic").deltas[-1], MessageEnd)


def test_an_answer_in_place_of_another_forgets_what_was_said_of_that() -> None:
    other = start().replace("msg_1", "msg_2")
    said = body(start(), text(0, "No"), stop(None, container=CONTAINER), other, text(0, "Hi"), stop(), LAST)
    assert (output(said).message.text, output(said).extra) == ("Hi", None)
