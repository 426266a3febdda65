"""The records of llama.cpp's native completion → deltas, of old builds and new."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.accumulator import Accumulator, accumulate
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
from streamkit.errors import (
    APIError,
    ContextOverflow,
    InvalidRequest,
    Overloaded,
    ProtocolError,
    ServerError,
    TruncatedStream,
)
from streamkit.messages import FinishReason, MessageOutput
from streamkit.protocols import Parser, Quirks, get_protocol
from streamkit.testing.chunking import bytewise, two_parts
from streamkit.testing.outcome import read_pieces
from streamkit.usage import Usage

START = MessageStart(provider="acme", protocol="llamacpp")
EOS = FinishReason("stop", "eos")


def piece(content: str | None = "", index: int | None = 0, **fields: Any) -> dict[str, Any]:
    record = {"index": index, "content": content, "tokens": [1], "stop": False, "id_slot": 0, **fields}
    return {name: value for name, value in record.items() if value is not None}


def last(index: int | None = 0, **fields: Any) -> dict[str, Any]:
    return piece("", index) | {"stop": True, "stop_type": "eos", "stopping_word": "", "truncated": False, **fields}


def body(*records: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(record).encode() + b"\n\n" for record in records)


def new(**options: Any) -> Parser:
    return get_protocol("llamacpp").parser(provider="acme", **options)


def read(data: bytes, **options: Any) -> list[Delta]:
    parser = new(**options)
    return parser.feed(data) + parser.finish()


def output(data: bytes, **options: Any) -> MessageOutput:
    return accumulate(read(data, **options))


HUGE = {"generation_settings": {"grammar": "x" * 100_000}, "prompt": "y" * 100_000}
HELLO: list[Delta] = [START, TextStart(0), TextDelta(0, "Hel"), TextDelta(0, "lo"), TextEnd(0)]
CASES: list[tuple[str, list[dict[str, Any]], list[Delta]]] = [
    ("text", [piece("Hel"), piece("lo"), last()], [*HELLO, MessageEnd(EOS)]),
    ("a last record with text", [piece("Hel"), last(content="lo")], [*HELLO, MessageEnd(EOS)]),
    ("no index", [piece("Hel", None), piece("lo", None), last(None)], [*HELLO, MessageEnd(EOS)]),
    ("a huge last record", [piece("Hel"), piece("lo"), last(**HUGE)], [*HELLO, MessageEnd(EOS)]),
    (
        "progress of the prompt, without content",
        [{"prompt_progress": {"total": 9, "processed": 4}}, piece("Hel"), piece("lo"), last()],
        [*HELLO, MessageEnd(EOS)],
    ),
    (
        "counts",
        [piece("Hel"), piece("lo"), last(tokens_evaluated=9, tokens_predicted=2, tokens_cached=10)],
        [*HELLO, UsageSnapshot(Usage(9, 2)), MessageEnd(EOS)],
    ),
    (
        "counts with a cache",
        [piece("Hel"), piece("lo"), last(tokens_evaluated=9, tokens_predicted=2, timings={"cache_n": 5})],
        [*HELLO, UsageSnapshot(Usage(4, 2, 5)), MessageEnd(EOS)],
    ),
    (
        "probabilities as logarithms",
        [piece("Hi", completion_probabilities=[{"id": 1, "token": "Hi", "logprob": -0.5, "top_logprobs": []}]), last()],
        [
            START,
            *(TextStart(0), TextDelta(0, "Hi")),
            Logprobs([{"id": 1, "token": "Hi", "logprob": -0.5, "top_logprobs": []}]),
            *(TextEnd(0), MessageEnd(EOS)),
        ],
    ),
    (
        "a record that nobody knows",
        [piece("Hel"), {"x": 1}, piece("lo"), last()],
        [
            START,
            *(TextStart(0), TextDelta(0, "Hel"), UnknownFrame('{"x": 1}'), TextDelta(0, "lo"), TextEnd(0)),
            MessageEnd(EOS),
        ],
    ),
    (
        "choices that take turns",
        [piece("a"), piece("x", 1), piece("b"), last(1, stop_type="limit"), piece("c"), last()],
        [
            START,
            *(TextStart(0), TextDelta(0, "a")),
            MessageStart(provider="acme", protocol="llamacpp", choice=1),
            *(TextStart(0, choice=1), TextDelta(0, "x", choice=1)),
            *(TextDelta(0, "b"), TextDelta(0, "c")),
            *(TextEnd(0), TextEnd(0, choice=1)),
            *(MessageEnd(EOS), MessageEnd(FinishReason("length", "limit"), choice=1)),
        ],
    ),
]


@pytest.mark.parametrize(("records", "deltas"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_records_are_deltas_in_any_cut(records: list[dict[str, Any]], deltas: list[Delta]) -> None:
    data = body(*records)
    assert read(data) == deltas
    whole = read_pieces([data], new())
    assert whole.error is None
    if len(data) < 10_000:
        for pieces in (bytewise(data), *two_parts(data)):
            assert read_pieces(pieces, new()) == whole


REASONS: list[tuple[str, dict[str, Any], FinishReason]] = [
    ("the end of the text", {"stop_type": "eos"}, EOS),
    ("a stop word", {"stop_type": "word", "stopping_word": "\n"}, FinishReason("stop", "word", reason="\n")),
    ("the limit", {"stop_type": "limit"}, FinishReason("length", "limit")),
    (
        "a full context",
        {"stop_type": "limit", "truncated": True},
        FinishReason("length", "limit", reason="the context is full"),
    ),
    ("no telling", {"stop_type": "none"}, FinishReason("other", "none")),
    ("an old build, the end", {"stop_type": None, "stopped_eos": True}, FinishReason("stop", "stopped_eos")),
    (
        "an old build, a stop word",
        {"stop_type": None, "stopped_eos": False, "stopped_word": True, "stopping_word": "END"},
        FinishReason("stop", "stopped_word", reason="END"),
    ),
    ("an old build, the limit", {"stop_type": None, "stopped_limit": True}, FinishReason("length", "stopped_limit")),
    ("a field that was not asked for", {"stop_type": None}, FinishReason("stop", synthesized=True)),
    ("only the type was asked for", {"stop": None, "stop_type": "eos"}, EOS),
]


@pytest.mark.parametrize(("fields", "reason"), [case[1:] for case in REASONS], ids=[case[0] for case in REASONS])
def test_the_reason_is_told_by_builds_of_any_age(fields: dict[str, Any], reason: FinishReason) -> None:
    assert output(body(piece("Hi"), last(**fields))).finish_reason == reason


def test_no_choice_ends_before_the_response_does() -> None:
    parser = new()
    deltas = parser.feed(body(piece("a"), last(tokens_predicted=1)))
    assert not any(isinstance(delta, MessageEnd) for delta in deltas)
    deltas += parser.feed(body(piece("b", 1), last(1, tokens_predicted=2)))
    deltas += parser.finish()
    accumulator = Accumulator()
    for delta in deltas:
        accumulator.feed(delta)
    first, second = accumulator.outputs()
    assert (first.message.text, second.message.text) == ("a", "b")
    assert first.usage == Usage(None, 3)  # of the response, which is that of all its choices
    assert deltas[-2:] == [MessageEnd(EOS), MessageEnd(EOS, choice=1)]


def test_a_sentinel_that_some_builds_send_is_the_end() -> None:
    parser = new()
    assert parser.feed(body(piece("Hi"), last()) + b"data: [DONE]\n\n")[-1] == MessageEnd(EOS)
    assert parser.ended
    unsaid = output(body(piece("Hi")) + b"data: [DONE]\n\n")
    assert unsaid.finish_reason == FinishReason("stop", synthesized=True)
    with pytest.raises(TruncatedStream, match="empty"):
        read(b"data: [DONE]\n\n")


PROBABILITIES = [
    {"id": 1, "token": "Hi", "bytes": [72, 105], "prob": 1.0, "top_probs": [{"token": "Hi", "prob": 1.0}]},
    {"id": 2, "token": "!", "bytes": [33], "prob": 0.0, "top_probs": []},
]


def test_probabilities_become_logarithms() -> None:
    deltas = read(body(piece("Hi!", completion_probabilities=PROBABILITIES), last()))
    assert [delta.content for delta in deltas if isinstance(delta, Logprobs)] == [
        [
            {
                "id": 1,
                "token": "Hi",
                "bytes": [72, 105],
                "logprob": 0.0,
                "top_logprobs": [{"token": "Hi", "logprob": 0.0}],
            },
            {"id": 2, "token": "!", "bytes": [33], "logprob": -9999.0, "top_logprobs": []},
        ]
    ]


def test_pings_between_records_are_heartbeats() -> None:
    parser = new()
    assert parser.feed(b": ping\n\n" * 3) == []
    deltas = parser.feed(body(piece("Hi")) + b": ping\n\n" + body(last()) + b": ping\n\n") + parser.finish()
    assert accumulate(deltas).message.text == "Hi"
    assert parser.heartbeats == 5


def test_an_answer_that_was_not_streamed_is_read_as_well() -> None:
    whole = last(content="Hi", tokens_evaluated=3, tokens_predicted=1)
    assert output(json.dumps(whole).encode()).message.text == "Hi"
    parser = new()
    deltas = parser.feed(json.dumps([whole, last(1, content="Ho")]).encode()) + parser.finish()
    assert [delta.text for delta in deltas if isinstance(delta, TextDelta)] == ["Hi", "Ho"]


def failure(code: int, type: str, message: str, **fields: Any) -> dict[str, Any]:
    return {"code": code, "message": message, "type": type, **fields}


LOADING = failure(503, "unavailable_error", "Loading model")
FULL = failure(
    400,
    "exceed_context_size_error",
    "request (9 tokens) exceeds the available context size (4 tokens)",
    n_prompt_tokens=9,
    n_ctx=4,
)
FAILURES: list[tuple[str, bytes, type[APIError]]] = [
    ("a record", body({"error": failure(500, "server_error", "no")}), ServerError),
    ("a field of its own", b"error: " + json.dumps(failure(500, "server_error", "no")).encode() + b"\n\n", ServerError),
    ("a body that is no stream", json.dumps({"error": LOADING}).encode(), Overloaded),
    ("a full context", body({"error": FULL}), ContextOverflow),
    ("a wrong request", body({"error": failure(400, "invalid_request_error", "no")}), InvalidRequest),
]


@pytest.mark.parametrize(("data", "kind"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES])
def test_an_error_comes_in_many_shapes(data: bytes, kind: type[APIError]) -> None:
    for pieces in ([data], bytewise(data)):
        parser = new()
        with pytest.raises(kind) as caught:
            for each in pieces:
                parser.feed(each)
            parser.finish()
        assert type(caught.value) is kind
        assert (caught.value.status, caught.value.provider) == (200, "acme")


@pytest.mark.parametrize("data", [FAILURES[0][1], FAILURES[1][1]], ids=["a record", "a field of its own"])
def test_an_error_keeps_what_came_before(data: bytes) -> None:
    parser = new()
    assert TextDelta(0, "Hi") in parser.feed(body(piece("Hi")) + data)
    with pytest.raises(ServerError):
        parser.finish()


BROKEN: list[tuple[str, bytes]] = [
    ("no JSON", b"hello"),
    ("half JSON", b'{"content":"a"'),
    ("content that is a number", b'{"content":5}'),
    ("deep nesting", b'{"content":"","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    ("deep probabilities", b'{"content":"","completion_probabilities":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
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
    ("no last record", body(piece("Hi"))),
    ("one of two choices", body(piece("Hi"), piece("Ho", 1), last())),
    ("the field was not asked for", body({"content": "Hi"})),
]


@pytest.mark.parametrize("data", [case[1] for case in CUT], ids=[case[0] for case in CUT])
def test_a_stream_without_its_last_record_is_truncated(data: bytes) -> None:
    parser = new()
    parser.feed(data)
    with pytest.raises(TruncatedStream):
        parser.finish()


def test_where_the_fields_that_end_it_are_not_asked_for_a_quirk_takes_the_end_of_input() -> None:
    said = output(body({"content": "Hi"}, {"content": "!"}), quirks=Quirks(end_without_finish=True))
    assert (said.message.text, said.finish_reason) == ("Hi!", FinishReason("stop", synthesized=True))


def test_thinking_in_tags_is_thinking_where_the_quirk_says_so() -> None:
    data = body(piece("Hm</th"), piece("ink>So"), last())
    said = output(data, quirks=Quirks(think_tag_open=True)).message
    assert (said.thinking, said.text) == ("Hm", "So")


def test_halves_of_a_character_are_joined_and_a_lone_one_is_replaced() -> None:
    pair = body(piece("\ud83d"), piece("\ude00"), last())
    assert b"\\ud83d" in pair
    assert output(pair).message.text == "😀"
    assert output(body(piece("a\ud83d"), last())).message.text == "a\ufffd"
