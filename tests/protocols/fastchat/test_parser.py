"""The records of FastChat's workers → deltas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.deltas import Replace, TextDelta, UsageSnapshot
from streamkit.messages import FinishReason
from streamkit.protocols import Parser, Quirks, get_protocol
from streamkit.testing.chunking import bytewise, two_parts
from streamkit.testing.outcome import Outcome, read_pieces
from streamkit.usage import Usage


def said(text: str, finish: Any = None, **fields: Any) -> dict[str, Any]:
    return {"text": text, "error_code": 0, "finish_reason": finish, **fields}


def body(*records: Any) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\0" for record in records)


def new(**options: Any) -> Parser:
    return get_protocol("fastchat").parser(**options)


def read(data: bytes, **options: Any) -> Outcome:
    """Read a body whole and byte by byte, which must be the same."""
    outcome = read_pieces([data], new(**options))
    assert read_pieces(bytewise(data), new(**options)).outputs == outcome.outputs
    return outcome


HI = said("Hi"), said("Hi there"), said("Hi there", "stop")
# Edge case 9 of backends that send all so far.
FRAMES: list[tuple[str, bytes]] = [
    ("objects that end with NUL", body(*HI)),
    ("the last one without its NUL", body(*HI)[:-1]),
    ("empty objects", b"\0".join([body(record) for record in HI]) + b"\0\0"),
    ("line ends between", b"\n".join([body(record) for record in HI])),
    ("a line end inside", body(*HI).replace(b', "', b',\n"')),
]


@pytest.mark.parametrize("data", [case[1] for case in FRAMES], ids=[case[0] for case in FRAMES])
def test_objects_are_told_apart(data: bytes) -> None:
    outcome = read(data)
    assert (outcome.error, outcome.outputs[0].message.text) == (None, "Hi there")


def test_a_character_of_several_bytes_may_be_cut_anywhere() -> None:
    data = body(said("né"), said("né😀"), said("né😀", "stop"))
    whole = read_pieces([data], new())
    assert whole.outputs[0].message.text == "né😀"
    for pieces in two_parts(data):
        assert read_pieces(pieces, new()) == whole


def test_the_last_text_that_comes_twice_is_said_once() -> None:
    deltas = read(body(*HI)).deltas
    kept = [delta for delta in deltas if isinstance(delta, (TextDelta, Replace))]
    assert kept == [TextDelta(0, "Hi there")]


REASONS: list[tuple[str, Any, FinishReason]] = [
    ("a stop", "stop", FinishReason("stop", "stop")),
    ("a limit", "length", FinishReason("length", "length")),
    ("an abort", "abort", FinishReason("aborted", "abort")),
    ("of each of several outputs", ["stop", "stop"], FinishReason("stop", "stop")),
    ("of several outputs that end differently", ["stop", "length"], FinishReason("length", "length")),
]


@pytest.mark.parametrize(("raw", "reason"), [case[1:] for case in REASONS], ids=[case[0] for case in REASONS])
def test_why_an_answer_ended(raw: Any, reason: FinishReason) -> None:
    assert read(body(said("Hi", None), said("Hi", raw))).outputs[0].finish_reason == reason


UNENDED: list[Any] = [None, "", [], [None, None], ["stop", None]]


@pytest.mark.parametrize("raw", UNENDED, ids=str)
def test_while_an_output_goes_on_there_is_no_end(raw: Any) -> None:
    outcome = read(body(said("Hi", raw)))
    assert outcome.error is not None
    assert outcome.error["kind"] == "TruncatedStream"
    assert outcome.outputs[0].message.text == "Hi"
    assert read(body(said("Hi", raw)), quirks=Quirks(end_without_finish=True)).error is None


def test_counts_are_those_so_far() -> None:
    counts = [{"prompt_tokens": 9, "completion_tokens": n, "total_tokens": 9 + n} for n in (1, 2)]
    outcome = read(body(said("a", usage=counts[0]), said("ab", usage=counts[1]), said("ab", "stop", usage=counts[1])))
    assert outcome.outputs[0].usage == Usage(9, 2)
    assert [delta.usage for delta in outcome.deltas if isinstance(delta, UsageSnapshot)] == [Usage(9, 2)]


@pytest.mark.parametrize("prompt", ["Say hi: ", "Hi"])
def test_a_prompt_that_is_echoed_is_taken_off(prompt: str) -> None:
    records = [said(prompt + text) for text in ("", "Hi", "Hi Hi")]
    outcome = read(body(*records, said(prompt + "Hi Hi", "stop")), prompt=prompt)
    assert outcome.outputs[0].message.text == "Hi Hi"


FAILURES: list[tuple[int, str, bool]] = [
    (40001, "InvalidRequest", False),
    (40101, "AuthenticationError", False),
    (40103, "PermissionDenied", False),
    (40301, "NotFound", False),
    (40302, "InvalidRequest", False),
    (40303, "ContextOverflow", False),
    (42901, "RateLimited", True),
    (42902, "QuotaExceeded", False),
    (42903, "Overloaded", True),
    (50001, "ServerError", True),
    (50002, "ServerError", True),
    (50006, "ServerError", True),
]


@pytest.mark.parametrize(("code", "kind", "retryable"), FAILURES, ids=[str(case[0]) for case in FAILURES])
def test_an_error_code_ends_the_stream_and_is_no_text(code: int, kind: str, retryable: bool) -> None:
    outcome = read(body(said("Hi"), {"text": "**NETWORK ERROR**", "error_code": code}))
    assert outcome.error is not None
    facts = {name: outcome.error[name] for name in ("kind", "message", "code", "retryable")}
    assert facts == {"kind": kind, "message": "**NETWORK ERROR**", "code": str(code), "retryable": retryable}
    assert outcome.outputs[0].message.text == "Hi"
