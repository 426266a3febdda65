"""The records of SGLang's native generation → deltas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.accumulator import coalesce
from streamkit.deltas import Logprobs, MessageStart, Replace, TextDelta, UnknownFrame
from streamkit.errors import ProtocolError
from streamkit.messages import FinishReason
from streamkit.protocols import Parser, Quirks, get_protocol
from streamkit.testing.chunking import bytewise, two_parts
from streamkit.testing.outcome import Outcome, read_pieces
from streamkit.usage import Usage

DONE = b"data: [DONE]\n\n"
STOP = {"type": "stop", "matched": 2}


def said(text: str, finish: Any = None, index: int | None = None, **meta: Any) -> dict[str, Any]:
    numbered = {} if index is None else {"index": index}
    return {"text": text, **numbered, "meta_info": {"id": "r", "finish_reason": finish, **meta}}


def body(*records: Any) -> bytes:
    return b"".join(b"data: %s\n\n" % json.dumps(record).encode() for record in records)


def new(**options: Any) -> Parser:
    return get_protocol("sglang").parser(**options)


def read(data: bytes, **options: Any) -> Outcome:
    """Read a body whole and byte by byte, which must be the same."""
    outcome = read_pieces([data], new(**options))
    assert read_pieces(bytewise(data), new(**options)) == outcome
    return outcome


TEXTS: list[tuple[str, str, list[str], str]] = [
    ("snapshots", "cumulative", ["", "Hi", "Hi there"], "Hi there"),
    ("equal snapshots", "cumulative", ["ha", "ha"], "ha"),
    ("a stop word taken back", "cumulative", ["Done.\nUser", "Done."], "Done."),
    ("shrunk and grown", "cumulative", ["abc", "a", "axe"], "axe"),
    ("all withdrawn", "cumulative", ["how to", "", "No."], "No."),
    ("nothing left", "cumulative", ["how to", ""], ""),
    ("white space trimmed", "cumulative", ["ok \n", "ok"], "ok"),
    ("a character in three records", "cumulative", ["a\ufffd", "a\ufffd\ufffd", "a😀"], "a😀"),
    ("an unknown character", "cumulative", ["a\ufffd"], "a\ufffd"),
    ("normalised", "cumulative", ["e\u0301", "é"], "é"),
    ("increments", "incremental", ["Hi", " there", ""], "Hi there"),
    ("increments that repeat", "incremental", ["ha", "ha", "\n", "\n"], "haha\n\n"),
    ("increments that look like snapshots", "incremental", ["a", "and"], "aand"),
]


@pytest.mark.parametrize(("mode", "texts", "text"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS])
def test_text_is_read_as_the_mode_says(mode: str, texts: list[str], text: str) -> None:
    *first, last = texts
    outcome = read(body(*map(said, first), said(last, STOP)) + DONE, mode=mode)
    assert outcome.error is None
    assert outcome.outputs[0].message.text == text
    assert outcome.outputs[0].finish_reason == FinishReason("stop", "stop")


def test_servers_send_all_so_far_by_default() -> None:
    outcome = read(body(said("Hi"), said("Hi there", STOP)) + DONE, provider="acme")
    assert outcome.deltas[0] == MessageStart(id="r", provider="acme", protocol="sglang")
    assert outcome.outputs[0].message.text == "Hi there"


def test_both_modes_give_the_same_deltas() -> None:
    one = read(body(said("ha"), said("haha"), said("haha!", STOP)) + DONE)
    other = read(body(said("ha"), said("ha"), said("!", STOP)) + DONE, mode="incremental")
    assert one.deltas == other.deltas


def test_a_revision_is_one_delta() -> None:
    deltas = read(body(said("cat"), said("car", STOP)) + DONE).deltas
    kept = [delta for delta in deltas if isinstance(delta, (TextDelta, Replace))]
    assert kept == [TextDelta(0, "cat"), Replace(0, "car")]


def test_thinking_in_tags_is_told_from_text() -> None:
    texts = ["<think>h", "<think>hm</think>", "<think>hm</think>yes"]
    output = read(body(*map(said, texts), said(texts[-1], STOP)) + DONE, quirks=Quirks(think_tags=True)).outputs[0]
    assert (output.message.thinking, output.message.text) == ("hm", "yes")


def test_choices_take_turns_and_share_their_prompt() -> None:
    records = [
        said("a", index=0),
        said("b", index=1, prompt_tokens=5, completion_tokens=1),
        said("ac", STOP, index=0, prompt_tokens=5, completion_tokens=2, cached_tokens=3),
        said("bd", {"type": "length", "length": 2}, index=1, prompt_tokens=5, completion_tokens=3, cached_tokens=3),
    ]
    outcome = read(body(*records) + DONE)
    assert [output.message.text for output in outcome.outputs] == ["ac", "bd"]
    assert [output.finish_reason and output.finish_reason.type for output in outcome.outputs] == ["stop", "length"]
    assert outcome.outputs[0].usage == Usage(2, 5, 3)


@pytest.mark.parametrize("mode", ["cumulative", "incremental"])
def test_each_log_probability_is_told_once(mode: str) -> None:
    first, second = [-0.1, 5, "a"], [-0.2, 6, "b"]
    lists = [[first], [first, second]] if mode == "cumulative" else [[first], [second]]
    texts = ["a", "ab"] if mode == "cumulative" else ["a", "b"]
    records = [
        said(text, finish, output_token_logprobs=tokens)
        for text, finish, tokens in zip(texts, (None, STOP), lists, strict=True)
    ]
    told = [delta.content for delta in read(body(*records) + DONE, mode=mode).deltas if isinstance(delta, Logprobs)]
    tokens = [token for content in told for token in content or []]
    assert [token["token"] for token in tokens] == ["a", "b"]


def test_an_answer_may_come_at_once() -> None:
    whole = json.dumps(said("Hi", STOP, prompt_tokens=3, completion_tokens=1)).encode()
    outcome = read(whole)
    assert (outcome.error, outcome.outputs[0].message.text, outcome.outputs[0].usage) == (None, "Hi", Usage(3, 1))


def test_answers_may_come_at_once() -> None:
    outcome = read(json.dumps([said("a", STOP), said("b", STOP)]).encode())
    assert outcome.error is None
    assert [output.message.text for output in outcome.outputs] == ["a", "b"]


FAILURES: list[tuple[str, Any, str, bool]] = [
    ("an object", {"error": {"message": "No."}}, "ServerError", True),
    ("a flat one", {"object": "error", "message": "No.", "type": "odd", "code": 400}, "InvalidRequest", False),
]


@pytest.mark.parametrize(
    ("record", "kind", "retryable"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES]
)
def test_an_error_ends_the_stream(record: Any, kind: str, retryable: bool) -> None:
    outcome = read(body(said("Hi", prompt_tokens=3, completion_tokens=1), record))
    assert outcome.error is not None
    facts = {name: outcome.error[name] for name in ("kind", "message", "retryable")}
    assert facts == {"kind": kind, "message": "No.", "retryable": retryable}
    assert (outcome.outputs[0].message.text, outcome.outputs[0].usage) == ("Hi", Usage(3, 1))


ENDS: list[tuple[str, bytes, str | None]] = [
    ("nothing", b"", "TruncatedStream"),
    ("an end alone", DONE, "TruncatedStream"),
    ("no reason and no end", body(said("Hi")), "TruncatedStream"),
    ("an end without a reason", body(said("Hi")) + DONE, None),
    ("a reason without an end", body(said("Hi", STOP)), None),
    ("one choice of two", body(said("a", STOP, 0), said("b", None, 1)), "TruncatedStream"),
]


@pytest.mark.parametrize(("data", "kind"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS])
def test_a_stream_ends_with_a_reason_or_the_sentinel(data: bytes, kind: str | None) -> None:
    outcome = read(data)
    assert (outcome.error or {}).get("kind") == kind


def test_a_half_character_is_not_lost_where_the_stream_breaks_off() -> None:
    assert read(body(said("a\ufffd"))).outputs[0].message.text == "a\ufffd"


def test_unknown_records_are_kept() -> None:
    deltas = read(body(said("a"), {"weather": "fine"}, 5, said("a", STOP)) + DONE).deltas
    kept = [delta for delta in deltas if isinstance(delta, UnknownFrame)]
    assert kept == [UnknownFrame('{"weather": "fine"}'), UnknownFrame("5")]


@pytest.mark.parametrize("data", [b"hello", b'{"text":5}', b'{"text":"a"', b'{"meta_info":[]}'])
def test_a_broken_record_is_an_error_with_the_frame(data: bytes) -> None:
    parser = new()
    parser.feed(body(said("Hi")) + b"data: " + data + b"\n\n")
    with pytest.raises(ProtocolError) as caught:
        parser.finish()
    assert caught.value.frame == data


def test_every_split_in_two_gives_the_same() -> None:
    data = body(said("né"), said("né😀"), said("né😀.", STOP)) + DONE
    whole = read_pieces([data], new())
    assert coalesce(whole.deltas) == whole.deltas
    for pieces in two_parts(data):
        assert read_pieces(pieces, new()) == whole
