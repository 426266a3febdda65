"""The records of a TGI server's native generation → deltas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.deltas import Delta, Logprobs, Replace, TextDelta
from streamkit.errors import APIError
from streamkit.messages import FinishReason
from streamkit.protocols import Parser, Quirks, get_protocol
from streamkit.testing.chunking import bytewise, two_parts
from streamkit.testing.outcome import Outcome, read_pieces
from streamkit.usage import Usage


def token(text: str, *, special: bool = False, **fields: Any) -> dict[str, Any]:
    return {"index": 1, "token": {"id": 7, "text": text, "logprob": -0.5, "special": special}, **fields}


def last(text: str | None, word: str = "eos_token", *, end: str = "</s>", special: bool = True) -> dict[str, Any]:
    details = {"finish_reason": word, "generated_tokens": 3, "seed": None, "input_length": 9}
    return token(end, special=special, generated_text=text, details=details)


def body(*records: Any) -> bytes:
    return b"".join(b"data:%s\n\n" % json.dumps(record).encode() for record in records)


def new(**options: Any) -> Parser:
    return get_protocol("tgi").parser(**options)


def read(data: bytes, **options: Any) -> Outcome:
    """Read a body whole and byte by byte, which must be the same."""
    outcome = read_pieces([data], new(**options))
    assert read_pieces(bytewise(data), new(**options)) == outcome
    return outcome


def said(outcome: Outcome) -> list[Delta]:
    return [delta for delta in outcome.deltas if isinstance(delta, (TextDelta, Replace))]


TEXTS: list[tuple[str, list[dict[str, Any]], list[Delta]]] = [
    ("tokens", [token("Hi"), token(" there"), last("Hi there")], [TextDelta(0, "Hi there")]),
    ("the same token again", [token("ha"), token("ha"), last("haha")], [TextDelta(0, "haha")]),
    ("special tokens", [token("<s>", special=True), token("Hi"), last("Hi")], [TextDelta(0, "Hi")]),
    ("a last token that is text", [token("Hi"), last("Hi!", end="!", special=False)], [TextDelta(0, "Hi!")]),
    (
        "a stop word taken off",
        [token("Done."), token("\nUser"), last("Done.", "stop_sequence")],
        [TextDelta(0, "Done.\nUser"), Replace(0, "Done.")],
    ),
    (
        "a character of two tokens",
        [token("caf"), token("\ufffd"), token("\ufffd"), last("café")],
        [TextDelta(0, "café")],
    ),
    (
        "half a character that was taken for whole",
        [token("caf"), token("\ufffd"), token("s"), last("cafés")],
        [TextDelta(0, "caf\ufffds"), Replace(0, "cafés")],
    ),
    ("more than the tokens", [token("Hi"), last("Hi there")], [TextDelta(0, "Hi there")]),
    ("nothing left", [token("No"), last("")], [TextDelta(0, "No"), Replace(0, "")]),
    ("nothing at all", [last("")], []),
]


@pytest.mark.parametrize(("records", "deltas"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS])
def test_the_generated_text_is_the_answer(records: list[dict[str, Any]], deltas: list[Delta]) -> None:
    outcome = read(body(*records))
    assert outcome.error is None
    assert said(outcome) == deltas
    assert outcome.outputs[0].message.text == records[-1]["generated_text"]


REASONS = [
    ("eos_token", FinishReason("stop", "eos_token")),
    ("stop_sequence", FinishReason("stop", "stop_sequence")),
    ("length", FinishReason("length", "length")),
    ("bored", FinishReason("other", "bored")),
]


@pytest.mark.parametrize(("word", "reason"), REASONS)
def test_the_last_record_tells_why_it_ended_and_what_it_cost(word: str, reason: FinishReason) -> None:
    (output,) = read(body(token("Hi"), last("Hi", word))).outputs
    assert (output.finish_reason, output.usage) == (reason, Usage(9, 3))


def test_an_answer_without_details_has_ended_all_the_same() -> None:
    parser = new()
    parser.feed(body(token("Hi"), token("", generated_text="Hi")))
    assert parser.ended
    assert read(body(token("", generated_text="Hi"))).outputs[0].finish_reason == FinishReason("stop", synthesized=True)


def test_what_follows_the_last_record_is_not_read() -> None:
    assert read(body(token("Hi"), last("Hi"), token("!"), {"error": "late"})).outputs[0].message.text == "Hi"


@pytest.mark.parametrize("wrap", [lambda whole: whole, lambda whole: [whole]], ids=["an object", "a list of one"])
def test_an_answer_may_come_at_once(wrap: Any) -> None:
    details = {"finish_reason": "length", "generated_tokens": 3, "prefill": [], "tokens": [], "seed": 1}
    outcome = read(json.dumps(wrap({"generated_text": "Hi", "details": details})).encode())
    assert (outcome.error, outcome.outputs[0].message.text) == (None, "Hi")
    assert outcome.outputs[0].usage == Usage(None, 3)


def test_thinking_in_tags_is_told_from_text() -> None:
    records = [token("<think>"), token("hm"), token("</th"), token("ink>"), token("yes"), token("\nUser")]
    (output,) = read(body(*records, last("<think>hm</think>yes")), quirks=Quirks(think_tags=True)).outputs
    assert (output.message.thinking, output.message.text) == ("hm", "yes")


def test_log_probabilities_come_where_alternatives_were_asked_for() -> None:
    top = {"id": 8, "text": "Ho", "logprob": -1.5, "special": False}
    outcome = read(body(token("Hi", top_tokens=[top]), token("!", top_tokens=[]), last("Hi!")))
    expected = {
        "logprob": -0.5,
        "token_id": 7,
        "token": "Hi",
        "top_logprobs": [{"logprob": -1.5, "token_id": 8, "token": "Ho"}],
    }
    assert [delta.content for delta in outcome.deltas if isinstance(delta, Logprobs)] == [[expected]]


FAILURES = [
    ("generation", "Request failed during generation: CUDA error", "ServerError", True),
    ("overloaded", "Model is overloaded", "Overloaded", True),
    ("validation", "Input validation error: `inputs` must be shorter", "InvalidRequest", False),
    ("incomplete_generation", "Incomplete generation", "ServerError", True),
]


@pytest.mark.parametrize(("type", "message", "kind", "retryable"), FAILURES, ids=[case[0] for case in FAILURES])
@pytest.mark.parametrize("name", [b"", b"event: error\n"], ids=["bare", "named"])
def test_an_error_ends_the_stream(name: bytes, type: str, message: str, kind: str, retryable: bool) -> None:
    record = body({"error": message, "error_type": type})
    outcome = read(body(token("Hi")) + name + record)
    assert outcome.error is not None
    facts = {fact: outcome.error[fact] for fact in ("kind", "message", "retryable")}
    assert facts == {"kind": kind, "message": message, "retryable": retryable}
    assert outcome.outputs[0].message.text == "Hi"


def test_an_error_before_the_first_token_is_one() -> None:
    with pytest.raises(APIError, match="overloaded"):
        _ = (parser := new()).feed(body({"error": "Model is overloaded", "error_type": "overloaded"})) + parser.finish()


def test_every_split_in_two_gives_the_same() -> None:
    data = b":\n\n" + body(token("né"), token("😀"), last("né😀"))
    whole = read_pieces([data], new())
    assert whole.heartbeats == 1
    for pieces in two_parts(data):
        assert read_pieces(pieces, new()) == whole
