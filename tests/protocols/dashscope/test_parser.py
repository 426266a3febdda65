"""DashScope's records → deltas: both modes, calls, reasoning, choices that take turns, errors, the ends of streams."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamkit.accumulator import coalesce
from streamkit.deltas import Delta, Logprobs, MessageStart, Replace, TextDelta, UnknownFrame, UsageSnapshot
from streamkit.errors import (
    APIError,
    AuthenticationError,
    InvalidRequest,
    ProtocolError,
    RateLimited,
    ServerError,
    TruncatedStream,
)
from streamkit.messages import FinishReason, MessageOutput
from streamkit.parts import AudioPart, CitationPart, ImagePart, ImageUrl, RawPart, ServerToolPart
from streamkit.protocols import Parser, Quirks, get_protocol
from streamkit.testing.answers import Answer
from streamkit.testing.chunking import bytewise, two_parts
from streamkit.testing.dashscope_body import render
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.testing.strategies import answers
from streamkit.usage import Usage


def said(content: Any = "", finish: Any = "null", index: int | None = 0, **message: Any) -> dict[str, Any]:
    """A record of one choice."""
    numbered = {} if index is None else {"index": index}
    choice = {"message": {"role": "assistant", "content": content, **message}, **numbered, "finish_reason": finish}
    return {"output": {"choices": [choice]}, "request_id": "r"}


def call(at: int | None, arguments: str, id: str = "", name: str | None = None) -> dict[str, Any]:
    function = {"arguments": arguments} | ({"name": name} if name else {})
    numbered = {} if at is None else {"index": at}
    return {**numbered, "id": id, "type": "function", "function": function}


def event(at: int, record: Any, name: str = "result", status: str = ":HTTP_STATUS/200\n", blank: str = "\n") -> bytes:
    data = record if isinstance(record, str) else json.dumps(record)
    return f"id:{at}\nevent:{name}\n{status}data:{data}\n{blank}".encode()


def body(*records: Any, blank: str = "\n") -> bytes:
    return b"".join(event(at, record, blank=blank) for at, record in enumerate(records, 1))


def new(**options: Any) -> Parser:
    return get_protocol("dashscope").parser(mint=numbered_ids(), **options)


def read(data: bytes, **options: Any) -> Outcome:
    """Read a body whole and byte by byte, which must be the same."""
    outcome = read_pieces([data], new(**options))
    assert read_pieces(bytewise(data), new(**options)) == outcome
    return outcome


def answer(*records: Any, **options: Any) -> MessageOutput:
    outcome = read(body(*records), **options)
    assert outcome.error is None
    return outcome.outputs[0]


TEXTS: list[tuple[str, str, list[Any], str]] = [
    ("increments", "incremental", [said("Hi"), said(" there"), said("", "stop")], "Hi there"),
    ("increments that repeat", "incremental", [said("ha"), said("ha"), said("\n"), said("\n", "stop")], "haha\n\n"),
    ("increments that look like snapshots", "incremental", [said("a"), said("and", "stop")], "aand"),
    ("snapshots", "cumulative", [said("Hi"), said("Hi there", "stop")], "Hi there"),
    ("equal snapshots", "cumulative", [said("Hi"), said("Hi"), said("Hi", "stop")], "Hi"),
    ("a shorter last snapshot", "cumulative", [said("Done.\nUser"), said("Done.", "stop")], "Done."),
    ("shrunk and grown", "cumulative", [said("abc"), said("a"), said("axe", "stop")], "axe"),
    ("text rewritten inside", "cumulative", [said("Paris is"), said("Paris [1] is", "stop")], "Paris [1] is"),
    ("half a character", "cumulative", [said("caf\ufffd"), said("café", "stop")], "café"),
    ("an unknown character", "cumulative", [said("a"), said("a\ufffd", "stop")], "a\ufffd"),
    ("a list of texts", "incremental", [said([{"text": "a"}, {"text": "b"}]), said([], "stop")], "ab"),
    ("lists of all so far", "cumulative", [said([{"text": "a"}]), said([{"text": "a"}, {"text": "b"}], "stop")], "ab"),
    (
        "bare text",
        "incremental",
        [{"output": {"text": "1+", "finish_reason": "null"}}, {"output": {"text": "1", "finish_reason": "stop"}}],
        "1+1",
    ),
    (
        "bare text so far",
        "cumulative",
        [{"output": {"text": "1+", "finish_reason": "null"}}, {"output": {"text": "1+1", "finish_reason": "stop"}}],
        "1+1",
    ),
    (
        "deep research",
        "incremental",
        [
            {"output": {"message": {"phase": "KeepAlive", "content": ""}, "fininshed_reason": "null"}},
            {"output": {"message": {"phase": "answer", "content": "#"}, "fininshed_reason": "stop"}},
        ],
        "#",
    ),
]


@pytest.mark.parametrize(("mode", "records", "text"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS])
def test_text_is_read_as_the_mode_says(mode: str, records: list[Any], text: str) -> None:
    output = answer(*records, mode=mode)
    assert output.message.text == text
    assert output.finish_reason == FinishReason("stop", "stop")


def test_a_revision_is_one_delta_and_growth_is_none() -> None:
    deltas = read(body(said("cat"), said("cats"), said("cars", "stop")), mode="cumulative").deltas
    assert [each for each in deltas if isinstance(each, (TextDelta, Replace))] == [
        TextDelta(0, "cats"),
        Replace(0, "cars"),
    ]


def test_the_first_record_names_the_response() -> None:
    first = new(provider="acme").feed(body(said("a")))[0]
    assert first == MessageStart(id="r", provider="acme", protocol="dashscope")


def test_records_without_blank_lines_come_one_by_one() -> None:
    records = said("Hi"), said(" there"), said("", "stop")
    assert read(body(*records, blank="")) == read(body(*records))
    parser = new()
    pieces = [event(at, record, blank="") for at, record in enumerate(records, 1)]
    assert not any(isinstance(delta, TextDelta) for delta in parser.feed(pieces[0]))
    assert TextDelta(0, "Hi") in parser.feed(pieces[1])


def test_the_status_of_a_record_is_no_heartbeat() -> None:
    assert read(body(said("a", "stop"))).heartbeats == 0
    assert read(b":keep-alive\n\n" + body(said("a", "stop"))).heartbeats == 1


THOUGHT_AND_CALLED = [
    ("incremental", [
        said("", reasoning_content="Let me"),
        said("", reasoning_content=" see."),
        said("", tool_calls=[call(0, "", "c1", "add")]),
        said("", tool_calls=[call(0, '{"a":')]),
        said("", tool_calls=[call(0, "1}"), call(1, "", "c2", "sub")]),
        said("", "tool_calls", tool_calls=[call(1, '{"b":2}')]),
    ]),
    ("cumulative", [
        said("", reasoning_content="Let me"),
        said("", reasoning_content="Let me see."),
        said("", reasoning_content="Let me see.", tool_calls=[call(0, "", "c1", "add")]),
        said("", reasoning_content="Let me see.", tool_calls=[call(0, '{"a":', "c1", "add")]),
        said(
            "",
            reasoning_content="Let me see.",
            tool_calls=[call(0, '{"a":1}', "c1", "add"), call(1, "", "c2", "sub")],
        ),
        said(
            "",
            "tool_calls",
            reasoning_content="Let me see.",
            tool_calls=[call(0, '{"a":1}', "c1", "add"), call(1, '{"b":2}', "c2", "sub")],
        ),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("mode", "records"), THOUGHT_AND_CALLED, ids=[case[0] for case in THOUGHT_AND_CALLED])
def test_reasoning_and_calls_come_together(mode: str, records: list[Any]) -> None:
    output = answer(*records, mode=mode)
    assert output.message.thinking == "Let me see."
    calls = [(each.id, each.function.name, each.function.arguments) for each in output.message.tool_calls or []]
    assert calls == [("c1", "add", {"a": 1}), ("c2", "sub", {"b": 2})]
    assert output.finish_reason == FinishReason("tool_call", "tool_calls")


def test_calls_without_a_number_are_told_by_their_place() -> None:
    calls = [call(None, '{"a":1}', "c1", "f"), call(None, '{"b":2}', "", "f")]
    output = answer(said("", "tool_calls", tool_calls=calls))
    assert [(each.id, each.function.arguments) for each in output.message.tool_calls or []] == [
        ("c1", {"a": 1}),
        ("minted_0", {"b": 2}),
    ]


def cumulative(data: list[bytes]) -> bytes:
    """The same records with all so far in each."""
    so_far: defaultdict[tuple[Any, ...], str] = defaultdict(str)
    records = [json.loads(frame.decode().split("data:", 1)[1]) for frame in data]
    for record in records:
        (choice,) = record["output"]["choices"]
        message = choice["message"]
        for field in ("content", "reasoning_content"):
            place = choice["index"], field
            so_far[place] += message.get(field, "")
            message[field] = so_far[place]
        for each in message.get("tool_calls", []):
            place = choice["index"], "call", each["index"]
            so_far[place] += each["function"]["arguments"]
            each["function"]["arguments"] = so_far[place]
    return body(*records)


def spoken(outcome: Outcome) -> list[list[Delta]]:
    """The deltas block by block, of each choice in the order in which its blocks begin.

    Half a character is held back, and arguments of `{}` may be known later in one mode than in the other.
    """
    blocks: defaultdict[Any, list[Delta]] = defaultdict(list)
    for delta in outcome.deltas:
        if not isinstance(delta, UsageSnapshot):
            blocks[getattr(delta, "choice", 0), getattr(delta, "index", type(delta))].append(delta)
    return [coalesce(block) for block in sorted(blocks.values(), key=lambda block: getattr(block[0], "choice", 0))]


@example(Answer(["\ufffd"], choices=[Answer(["a"])]), 1, False)
@given(answers("dashscope"), st.integers(1, 5), st.booleans())
def test_both_modes_give_the_same_deltas(given_answer: Answer, piece: int, interleave: bool) -> None:
    frames = render(given_answer, piece, interleave)
    one = read_pieces([b"".join(frames)], new())
    other = read_pieces([cumulative(frames)], new(mode="cumulative"))
    assert spoken(other) == spoken(one)
    assert other.outputs == one.outputs
    assert other.error is one.error is None


def counts(given_tokens: int, written: int, **more: Any) -> dict[str, Any]:
    return {"usage": {"input_tokens": given_tokens, "output_tokens": written, **more}}


@pytest.mark.parametrize("mode", ["incremental", "cumulative"])
def test_choices_take_turns_and_end_together(mode: str) -> None:
    more = ("d", "ef") if mode == "incremental" else ("ad", "bef")
    records = [
        said("a", index=0) | counts(5, 1),
        said("b", index=1) | counts(5, 1),
        said(more[0], "stop", index=0) | counts(5, 2),
        said(more[1], "length", index=1) | counts(5, 3),
    ]
    outcome = read(body(*records), mode=mode)
    assert [output.message.text for output in outcome.outputs] == ["ad", "bef"]
    assert [output.finish_reason for output in outcome.outputs] == [
        FinishReason("stop", "stop"),
        FinishReason("length", "length"),
    ]
    assert outcome.outputs[0].usage == Usage(5, 5)


def test_a_choice_without_its_end_is_cut_while_another_is_whole() -> None:
    outcome = read(body(said("a", "stop", index=0), said("b", index=1)))
    assert outcome.error is not None
    assert outcome.error["kind"] == "TruncatedStream"
    assert [output.finish_reason and output.finish_reason.type for output in outcome.outputs] == ["stop", "other"]


def test_usage_is_replaced_and_never_added() -> None:
    records = said("a") | counts(3, 1, total_tokens=4), said("b", "stop") | counts(3, 2, total_tokens=5)
    output = answer(*records)
    assert output.usage == Usage(3, 2)


def test_sources_are_cited_once() -> None:
    first, second = {"index": 1, "url": "https://a.example"}, {"index": 2, "url": "https://b.example"}
    found = [said(""), said("It rains"), said(" [1].", "stop")]
    for record, results in zip(found, ([first], [first, second], [first, second]), strict=True):
        record["output"]["search_info"] = {"search_results": results}
    contents = answer(*found).message.contents
    assert [part.citation for part in contents if isinstance(part, CitationPart)] == [first, second]


def test_what_deep_research_found_is_cited() -> None:
    message = {"content": "#", "extra": {"deep_research": {"references": [{"url": "https://a.example"}]}}}
    contents = answer({"output": {"message": message, "finish_reason": "stop"}}).message.contents
    assert CitationPart({"url": "https://a.example"}) in contents


def test_a_tool_that_the_provider_ran_is_kept_once() -> None:
    tool = {"type": "code_interpreter", "code_interpreter": {"code": "1+1"}}
    records = [said("", reasoning_content="Hm."), said("2"), said("", "stop")]
    for record in records[1:]:
        record["output"]["tool_info"] = [tool]
    contents = answer(*records).message.contents
    assert [part for part in contents if isinstance(part, ServerToolPart)] == [
        ServerToolPart("call", "0", "code_interpreter", tool)
    ]


def test_a_tool_costs_the_same_however_many_ran_before() -> None:
    def seconds_a_tool(count: int) -> float:
        records = [said("a") for _ in range(count)]
        for at, record in enumerate(records):
            record["output"]["tool_info"] = [{"type": "code_interpreter", "code_interpreter": {"code": str(at)}}]
        pieces = [event(at, record) for at, record in enumerate(records)]
        parser = new()
        began = time.thread_time()
        for piece in pieces:
            parser.feed(piece)
        return (time.thread_time() - began) / count

    assert min(seconds_a_tool(3000) / min(seconds_a_tool(300) for _ in range(3)) for _ in range(3)) < 2.5


@pytest.mark.parametrize("mode", ["incremental", "cumulative"])
def test_parts_that_are_no_text_come_whole(mode: str) -> None:
    shown = [{"text": "See: "}, {"image": "https://a.example/1.png"}, {"box": [1, 2]}]
    last = [] if mode == "incremental" else shown
    contents = answer(said(shown), said(last, "stop"), mode=mode).message.contents
    assert contents[0].text == "See: "
    assert contents[1:] == [ImagePart(ImageUrl("https://a.example/1.png")), RawPart({"box": [1, 2]})]


def test_sound_is_decoded() -> None:
    contents = answer(said([{"audio": {"data": "AAE=", "id": "a1"}}]), said([], "stop")).message.contents
    assert [(part.data, part.id) for part in contents if isinstance(part, AudioPart)] == [(b"\x00\x01", "a1")]


def test_log_probabilities_pass_through() -> None:
    record = said("a", "stop")
    record["output"]["choices"][0]["logprobs"] = {"content": [{"token": "a", "logprob": -0.5}]}
    assert Logprobs([{"token": "a", "logprob": -0.5}]) in read(body(record)).deltas


def failed(code: str, message: str = "No.", status: str = "") -> bytes:
    return event(2, {"code": code, "message": message, "request_id": "q"}, "error", status)


FAILURES: list[tuple[str, bytes, type[APIError], int, bool]] = [
    ("by its code", failed("InvalidParameter"), InvalidRequest, 200, False),
    ("by its status in a comment", failed("Odd", status=":HTTP_STATUS/400\n"), InvalidRequest, 400, False),
    ("by its status in a line", failed("Odd", status="status:400\n"), InvalidRequest, 400, False),
    ("by a status of the server's", failed("Odd", status=":HTTP_STATUS/500\n"), ServerError, 500, True),
    ("a key that is wrong", failed("InvalidApiKey", status=":HTTP_STATUS/401\n"), AuthenticationError, 401, False),
    ("too many requests", failed("Throttling.RateQuota", status=":HTTP_STATUS/429\n"), RateLimited, 429, True),
    ("without the name of an error", event(2, {"code": "InternalError", "message": "No."}), ServerError, 200, True),
    ("no JSON", event(2, "No.", "error"), ServerError, 200, True),
    ("without a blank line", failed("InvalidParameter", status=":HTTP_STATUS/400\n")[:-1], InvalidRequest, 400, False),
]  # fmt: skip


@pytest.mark.parametrize(
    ("frame", "kind", "status", "retryable"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES]
)
def test_an_error_ends_the_stream(frame: bytes, kind: type[APIError], status: int, retryable: bool) -> None:
    data = body(said("Hi")) + frame
    outcome = read(data, provider="acme")
    assert outcome.error is not None
    assert (outcome.error["status"], outcome.error["retryable"]) == (status, retryable)
    assert outcome.error["message"] == "No."
    assert outcome.outputs[0].message.text == "Hi"
    parser = new()
    parser.feed(data)
    with pytest.raises(kind):
        parser.finish()


def test_the_error_of_a_stream_without_blank_lines_is_told_from_the_records_before_it() -> None:
    outcome = read(body(said("Hi"), blank="") + failed("InvalidParameter", status=":HTTP_STATUS/400\n")[:-1])
    assert outcome.error is not None
    assert (outcome.error["kind"], outcome.error["status"]) == ("InvalidRequest", 400)
    assert outcome.outputs[0].message.text == "Hi"


def test_an_error_may_come_as_the_whole_body() -> None:
    data = json.dumps({"code": "InvalidApiKey", "message": "Invalid API-key provided.", "request_id": "q"}).encode()
    outcome = read(data)
    assert outcome.error is not None
    assert (outcome.error["kind"], outcome.error["request_id"]) == ("AuthenticationError", "q")


def test_an_answer_may_come_at_once() -> None:
    whole = said("Hi", "stop") | {"status_code": 200, "code": "", "message": ""} | counts(3, 1)
    outcome = read(json.dumps(whole).encode())
    assert (outcome.error, outcome.outputs[0].message.text, outcome.outputs[0].usage) == (None, "Hi", Usage(3, 1))


ENDS: list[tuple[str, bytes]] = [
    ("nothing", b""),
    ("no finish reason", body(said("Hi"))),
    ('the word "null"', body(said("Hi", "null"), said("", "null"))),
    ("null itself", body(said("Hi", None))),
    ("half a record", body(said("Hi")) + body(said("", "stop"))[:-8]),
]


@pytest.mark.parametrize("data", [case[1] for case in ENDS], ids=[case[0] for case in ENDS])
def test_a_stream_without_its_end_is_truncated(data: bytes) -> None:
    outcome = read(data)
    assert outcome.error is not None
    assert outcome.error["kind"] == "TruncatedStream"
    with pytest.raises(TruncatedStream):
        new().finish()


def test_a_server_that_never_gives_a_reason_may_be_believed() -> None:
    output = answer(said("Hi"), quirks=Quirks(end_without_finish=True))
    assert output.finish_reason == FinishReason("stop", synthesized=True)


BROKEN: list[tuple[str, str]] = [
    ("no JSON", "hello"),
    ("half JSON", '{"output":{"choices":['),
    ("choices that are a number", '{"output":{"choices":5}}'),
    ("content that is a number", '{"output":{"choices":[{"message":{"content":5}}]}}'),
    ("deep nesting", '{"output":{"choices":[]},"usage":' + "[" * 100_000 + "]" * 100_000 + "}"),
]


@pytest.mark.parametrize("data", [case[1] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_record_is_an_error_with_the_frame(data: str) -> None:
    parser = new()
    deltas = parser.feed(body(said("Hi"), data))
    assert TextDelta(0, "Hi") in deltas
    with pytest.raises(ProtocolError) as caught:
        parser.finish()
    assert caught.value.frame
    assert data.encode().startswith(caught.value.frame)


def test_halves_of_a_surrogate_pair_are_rejoined() -> None:
    first, second = '{"output":{"choices":[{"message":{"content":"\\ud83d"}}]}}', (
        '{"output":{"choices":[{"message":{"content":"\\ude00"},"finish_reason":"stop"}]}}'
    )  # fmt: skip
    assert answer(first, second).message.text == "😀"


def test_unknown_events_are_kept() -> None:
    deltas = read(body(said("a"), {"weather": "fine"}, "[1]", said("", "stop"))).deltas
    kept = [delta for delta in deltas if isinstance(delta, UnknownFrame)]
    assert kept == [UnknownFrame('{"weather": "fine"}', "result"), UnknownFrame("[1]", "result")]


def test_every_split_in_two_gives_the_same() -> None:
    data = body(
        said("", reasoning_content="né"), said("é😀", tool_calls=[call(0, '{"a":1}', "c", "f")]), said("", "stop")
    )
    whole = read_pieces([data], new())
    for pieces in two_parts(data):
        assert read_pieces(pieces, new()) == whole


def test_a_gateways_sentinel_ends_an_answer_and_is_none() -> None:
    answered = read(body(said("Hi")) + b"data: [DONE]\n\nmore")
    assert (answered.error, answered.outputs[0].message.text) == (None, "Hi")
    nothing = read(b"data: [DONE]\n\n")
    assert nothing.error is not None
    assert nothing.error["kind"] == "TruncatedStream"
