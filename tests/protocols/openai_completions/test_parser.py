"""The records of legacy completions → deltas, as OpenAI, vLLM, llama.cpp and others send them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.accumulator import accumulate
from streamkit.deltas import (
    Delta,
    Logprobs,
    MessageEnd,
    MessageStart,
    TextDelta,
    TextEnd,
    TextStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.errors import APIError, InvalidRequest, Overloaded, ProtocolError, ServerError, TruncatedStream
from streamkit.messages import FinishReason, MessageOutput
from streamkit.protocols import Parser, Quirks, get_protocol
from streamkit.testing.chunking import bytewise, two_parts
from streamkit.testing.outcome import read_pieces
from streamkit.usage import Usage

DONE = b"data: [DONE]\n\n"
START = MessageStart(id="cmpl-1", model="m", provider="acme", protocol="openai-completions")


def piece(text: str | None = "", index: int = 0, reason: str | None = None, **fields: Any) -> dict[str, Any]:
    return record([{"text": text, "index": index, "logprobs": None, "finish_reason": reason, **fields}])


def record(choices: list[Any], **fields: Any) -> dict[str, Any]:
    return {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "m", "choices": choices, **fields}


def body(*records: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in records)


def new(**options: Any) -> Parser:
    return get_protocol("openai-completions").parser(provider="acme", **options)


def read(data: bytes, **options: Any) -> list[Delta]:
    parser = new(**options)
    return parser.feed(data) + parser.finish()


def output(data: bytes, **options: Any) -> MessageOutput:
    return accumulate(read(data, **options))


HELLO: list[Delta] = [START, TextStart(0), TextDelta(0, "Hel"), TextDelta(0, "lo"), TextEnd(0)]
STOP = MessageEnd(FinishReason("stop", "stop"))
USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
CASES: list[tuple[str, list[dict[str, Any]], list[Delta]]] = [
    ("text", [piece("Hel"), piece("lo"), piece("", reason="stop")], [*HELLO, STOP]),
    ("a last record with text", [piece("Hel"), piece("lo", reason="stop")], [*HELLO, STOP]),
    (
        "a last choice without text or index, as of a proxy",
        [piece("Hel"), piece("lo"), record([{"delta": {}, "finish_reason": "stop"}])],
        [*HELLO, STOP],
    ),
    ("text that is null", [piece(None), piece("Hel"), piece("lo"), piece(None, reason="stop")], [*HELLO, STOP]),
    (
        "usage in a record of its own",
        [piece("Hel"), piece("lo", reason="stop"), record([], usage=USAGE)],
        [*HELLO[:-1], UsageSnapshot(Usage(9, 2)), TextEnd(0), STOP],
    ),
    (
        "usage beside the reason",
        [piece("Hel"), piece("lo"), piece("", reason="length") | {"usage": USAGE}],
        [*HELLO[:-1], UsageSnapshot(Usage(9, 2)), TextEnd(0), MessageEnd(FinishReason("length", "length"))],
    ),
    (
        "a filter",
        [piece("Hel"), piece("lo"), piece("", reason="content_filter")],
        [*HELLO, MessageEnd(FinishReason("refusal", "content_filter"))],
    ),
    (
        "choices that take turns",
        [piece("a"), piece("x", 1), piece("b", reason="stop"), piece("", 1, "length")],
        [
            START,
            *(TextStart(0), TextDelta(0, "a")),
            MessageStart(id="cmpl-1", model="m", provider="acme", protocol="openai-completions", choice=1),
            *(TextStart(0, choice=1), TextDelta(0, "x", choice=1), TextDelta(0, "b")),
            *(TextEnd(0), TextEnd(0, choice=1)),
            *(STOP, MessageEnd(FinishReason("length", "length"), choice=1)),
        ],
    ),
    (
        "two choices in one record, without indices",
        [record([{"text": "a"}, {"text": "x"}]), record([{"finish_reason": "stop"}, {"finish_reason": "stop"}])],
        [
            START,
            *(TextStart(0), TextDelta(0, "a")),
            MessageStart(id="cmpl-1", model="m", provider="acme", protocol="openai-completions", choice=1),
            *(TextStart(0, choice=1), TextDelta(0, "x", choice=1)),
            *(TextEnd(0), TextEnd(0, choice=1)),
            *(STOP, MessageEnd(FinishReason("stop", "stop"), choice=1)),
        ],
    ),
    (
        "log probabilities, side by side",
        [
            piece("Hi", reason="stop", logprobs={"tokens": ["H", "i"], "token_logprobs": [-1.0], "top_logprobs": None}),
        ],
        [
            START,
            *(TextStart(0), TextDelta(0, "Hi")),
            Logprobs(
                [
                    {"token": "H", "logprob": -1.0, "top_logprobs": []},
                    {"token": "i", "logprob": None, "top_logprobs": []},
                ]
            ),
            *(TextEnd(0), STOP),
        ],
    ),
    (
        "a record that nobody knows",
        [piece("Hel"), {"x": 1}, piece("lo", reason="stop")],
        [*HELLO[:3], UnknownFrame('{"x": 1}'), *HELLO[3:], STOP],
    ),
]


@pytest.mark.parametrize(("records", "deltas"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_records_are_deltas_in_any_cut(records: list[dict[str, Any]], deltas: list[Delta]) -> None:
    data = body(*records) + DONE
    assert read(data) == deltas
    assert read(body(*records)) == deltas  # transformers sends no sentinel
    whole = read_pieces([data], new())
    assert whole.error is None
    for pieces in (bytewise(data), *two_parts(data)):
        assert read_pieces(pieces, new()) == whole


def test_the_sentinel_ends_a_text_without_a_reason() -> None:
    assert output(body(piece("Hi")) + DONE).finish_reason == FinishReason("stop", synthesized=True)


def test_an_answer_that_was_not_streamed_is_read_as_well() -> None:
    said = output(json.dumps(piece("Hi", reason="stop") | {"usage": USAGE}).encode())
    assert (said.message.text, said.usage, said.id, said.model) == ("Hi", Usage(9, 2), "cmpl-1", "m")


ERROR = {"message": "no", "type": "server_error", "param": None, "code": None}
FAILURES: list[tuple[str, bytes, type[APIError]]] = [
    ("a record", body({"error": ERROR}), ServerError),
    ("a record with choices", body(piece("!") | {"error": ERROR}), ServerError),
    ("a named event", b'event: error\ndata: {"message":"no","code":503}\n\n', Overloaded),
    ("no JSON in a named event", b"event: error\ndata: no\n\n", ServerError),
    ("a flat one", body({"object": "error", "message": "no", "code": 400}), InvalidRequest),
    ("in a choice", body(piece("", error={"message": "no", "code": 503})), Overloaded),
    ("half a character in it", body({"error": {**ERROR, "message": "no\ud83d"}}), ServerError),
]


@pytest.mark.parametrize(("data", "kind"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES])
def test_an_error_comes_in_the_shapes_of_chat_completions(data: bytes, kind: type[APIError]) -> None:
    parser = new()
    assert TextDelta(0, "Hi") in parser.feed(body(piece("Hi")) + data)
    with pytest.raises(kind) as caught:
        parser.finish()
    assert type(caught.value) is kind
    assert caught.value.message.rstrip("\ufffd") == "no"


BROKEN: list[tuple[str, bytes]] = [
    ("no JSON", b"hello"),
    ("half JSON", b'{"choices":[{"text":"a"'),
    ("text that is a number", b'{"choices":[{"text":5}]}'),
    ("choices that are a number", b'{"choices":5}'),
    ("deep nesting", b'{"choices":[],"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
]


@pytest.mark.parametrize("frame", [case[1] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_record_is_an_error_with_the_frame(frame: bytes) -> None:
    parser = new()
    assert TextDelta(0, "Hi") in parser.feed(body(piece("Hi")) + b"data: " + frame + b"\n\n")
    with pytest.raises(ProtocolError) as caught:
        parser.finish()
    assert caught.value.frame
    assert frame.startswith(bytes(caught.value.frame))


CUT = [
    ("nothing", b""),
    ("only the sentinel", DONE),
    ("no reason", body(piece("Hi"))),
    ("one of two choices", body(piece("Hi"), piece("Ho", 1), piece("", reason="stop"))),
]


@pytest.mark.parametrize("data", [case[1] for case in CUT], ids=[case[0] for case in CUT])
def test_a_stream_without_its_end_is_truncated(data: bytes) -> None:
    parser = new()
    parser.feed(data)
    with pytest.raises(TruncatedStream):
        parser.finish()


def test_a_server_without_reasons_may_be_taken_at_its_word() -> None:
    said = output(body(piece("Hi")), quirks=Quirks(end_without_finish=True))
    assert (said.message.text, said.finish_reason) == ("Hi", FinishReason("stop", synthesized=True))


def test_thinking_in_tags_is_thinking_where_the_quirk_says_so() -> None:
    data = body(piece("<think>Hm</th"), piece("ink>So", reason="stop"))
    said = output(data, quirks=Quirks(think_tags=True)).message
    assert (said.thinking, said.text) == ("Hm", "So")


def test_halves_of_a_character_are_joined_and_a_lone_one_is_replaced() -> None:
    assert output(body(piece("\ud83d"), piece("\ude00", reason="stop"))).message.text == "😀"
    assert output(body(piece("a\ud83d", reason="stop"))).message.text == "a\ufffd"
