"""Reasoning text, and the details that a provider wants back."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols.openai_chat.reasoning import ReasoningDetails, detail_text, details_text, reasoning_text
from streamkit.protocols.openai_chat.views import Delta


def text(piece: str, index: int = 0, **fields: Any) -> dict[str, Any]:
    return {"type": "reasoning.text", "text": piece, "index": index, **fields}


def encrypted(data: str, index: int = 0, **fields: Any) -> dict[str, Any]:
    return {"type": "reasoning.encrypted", "data": data, "index": index, **fields}


FIELDS = [
    (Delta(reasoning_content="a"), "a"),
    (Delta(reasoning="a"), "a"),
    (Delta(reasoning_text="a"), "a"),
    (Delta(reasoning_content="a", reasoning="a"), "a"),
    (Delta(reasoning_content="", reasoning="a"), "a"),
    (Delta(reasoning_content=None, reasoning=None), ""),
    (Delta(reasoning={"effort": "low"}), ""),
    (Delta(content="a"), ""),
]


@pytest.mark.parametrize(("delta", "expected"), FIELDS, ids=repr)
def test_one_field_a_chunk_has_the_reasoning(delta: Delta, expected: str) -> None:
    assert reasoning_text(delta) == expected


def test_details_have_text_under_the_name_of_their_type() -> None:
    summary = {"type": "reasoning.summary", "summary": "b"}
    assert details_text([text("a"), summary, encrypted("x"), {"type": "reasoning.text", "text": None}]) == "ab"


CASES: list[tuple[str, list[list[dict[str, Any]]], list[dict[str, Any]]]] = [
    ("none", [], []),
    (
        "pieces of one",
        [[text("a", format=None)], [text("b", format="f")], [text("c")]],
        [text("abc", format="f")],
    ),
    ("a signature that comes last", [[text("a")], [text("", signature="s")]], [text("a", signature="s")]),
    (
        "a signature without text",
        [[text("a")], [{"type": "reasoning.text", "signature": "s", "index": 0}]],
        [text("a", signature="s")],
    ),
    ("two of one type", [[text("a")], [text("b", 1)], [text("c", 1)]], [text("a"), text("bc", 1)]),
    ("two ids at one index", [[text("a", id="x")], [text("b", id="y")]], [text("a", id="x"), text("b", id="y")]),
    ("an id said once", [[text("a", id="x")], [text("b")]], [text("ab", id="x")]),
    (
        "text, then encrypted",
        [[text("a")], [encrypted("x")], [encrypted("y")]],
        [text("a"), encrypted("x"), encrypted("y")],
    ),
    (
        "summaries",
        [[{"type": "reasoning.summary", "summary": piece, "index": 0}] for piece in "ab"],
        [{"type": "reasoning.summary", "summary": "ab", "index": 0}],
    ),
    ("a pair in two", [[text("\ud83d")], [text("\ude00")]], [text("😀")]),
    ("an unknown type", [[{"type": "reasoning.new", "x": [1]}]], [{"type": "reasoning.new", "x": [1]}]),
    ("no index", [[{"text": "a"}], [{"text": "b"}]], [{"text": "ab"}]),
]


def add(details: ReasoningDetails, chunk: list[dict[str, Any]]) -> None:
    details.add(chunk, [detail_text(detail) for detail in chunk])


@pytest.mark.feature("D: pi#8619")
@pytest.mark.parametrize(("chunks", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_details_are_put_together(chunks: list[list[dict[str, Any]]], expected: list[dict[str, Any]]) -> None:
    details = ReasoningDetails()
    for chunk in chunks:
        add(details, chunk)
    assert details.take() == expected
    assert details.take() == []


def test_what_is_taken_does_not_change_any_more() -> None:
    details = ReasoningDetails()
    piece = text("a")
    add(details, [piece])
    first = details.take()
    add(details, [text("b")])
    assert first == [text("a")]
    assert piece == text("a")
    assert details.take() == [text("b")]


def test_the_text_of_a_cumulative_detail_is_the_last_one() -> None:
    details = ReasoningDetails(cumulative=True)
    for piece in ("a", "ab", "abc"):
        add(details, [text(piece)])
    assert details.take() == [text("abc")]


def test_a_secret_is_new_once() -> None:
    details = ReasoningDetails()
    assert not details.brings_secret([text("a"), text("", signature=None)])
    for secret in (text("", signature="s"), encrypted("x")):
        assert details.brings_secret([secret])
        add(details, [secret])
        details.take()
        assert not details.brings_secret([secret])


def test_the_text_of_a_detail_may_be_cut_within_a_surrogate_pair() -> None:
    details = ReasoningDetails()
    details.add([text("a\ufffd"), text("\ufffd")], ["a\ud83d", "\ude00"])
    assert details.take() == [text("a😀")]
