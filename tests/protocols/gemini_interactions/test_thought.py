"""A step of thinking while it grows."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.deltas import Delta, ThinkingDelta, ThinkingEnd, ThinkingStart
from streamkit.protocols.gemini_interactions.shelf import Shelf
from streamkit.protocols.gemini_interactions.thought import ThoughtStep
from streamkit.testing.outcome import numbered_ids


def told(step: dict[str, Any], *deltas: dict[str, Any]) -> list[Delta]:
    out: list[Delta] = []
    shelf = Shelf(100, numbered_ids())
    thought = ThoughtStep(4, step, shelf, out)
    assert list(shelf.open) == [4]
    assert all(thought.take(delta, out) for delta in deltas)
    thought.stop(out)
    assert shelf.open == {}
    assert out[0] == ThinkingStart(0)
    return out[1:]


SIGNED = [
    ({"signature": "a"}, [], "a"),
    ({"signature": "a"}, ["", "b"], "b"),
    ({"signature": ""}, [], None),
    ({}, ["a", ""], "a"),
]


@pytest.mark.parametrize(("step", "later", "signature"), SIGNED)
def test_the_last_signature_that_is_one_holds(step: dict[str, Any], later: list[str], signature: str | None) -> None:
    deltas = [{"type": "thought_signature", "signature": each} for each in later]
    assert told(step, *deltas) == [ThinkingEnd(0, signature=signature)]


def test_texts_are_one_and_images_are_kept_beside() -> None:
    image = {"type": "image", "uri": "files/1"}
    texts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    more = [{"type": "thought_summary", "content": image}, {"type": "thought_summary", "content": None}]
    assert told({"summary": [texts[0], image, texts[1]]}, *more) == [
        ThinkingDelta(0, "a"),
        ThinkingDelta(0, "b"),
        ThinkingEnd(0, extra={"summary": [image, image]}),
    ]


def test_a_thought_takes_nothing_else() -> None:
    out: list[Delta] = []
    assert not ThoughtStep(0, {}, Shelf(1, numbered_ids()), out).take({"type": "text", "text": "a"}, out)
