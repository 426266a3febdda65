"""What the model says while it grows: which blocks it becomes."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.deltas import AudioDelta, BlockAdded, CitationAdded, Delta, TextDelta, TextEnd, TextStart
from streamkit.parts import FilePart, ImagePart, ImageUrl
from streamkit.protocols.gemini_interactions.output import OutputStep
from streamkit.protocols.gemini_interactions.shelf import Shelf
from streamkit.testing.outcome import numbered_ids

SOURCE = {"type": "url_citation", "url": "u"}
IMAGE = {"type": "image", "uri": "files/1"}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def cite(*sources: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text_annotation_delta", "annotations": list(sources)}


def sound(data: str, mime_type: str | None = None) -> dict[str, Any]:
    return {"type": "audio", "data": data, "mime_type": mime_type}


SAID: list[tuple[str, list[dict[str, Any]], list[Delta]]] = [
    (
        "a source that comes after an image is the text's",
        [text("a"), IMAGE, cite(SOURCE)],
        [
            *(TextStart(0), TextDelta(0, "a"), TextEnd(0)),
            BlockAdded(1, ImagePart(ImageUrl("files/1"))),
            CitationAdded(0, SOURCE),
        ],
    ),
    ("no sources", [text("a"), cite()], [TextStart(0), TextDelta(0, "a"), TextEnd(0)]),
    (
        "an image of nothing",
        [text("a"), {"type": "image"}, text("b")],
        [TextStart(0), TextDelta(0, "a"), TextDelta(0, "b"), TextEnd(0)],
    ),
    (
        "sound goes on until something else comes",
        [sound("AA==", "audio/wav"), sound("AQ=="), sound("Ag==", "audio/wav"), text("a"), sound("Aw==", "audio/wav")],
        [
            AudioDelta(0, b"\x00", format="audio/wav"),
            AudioDelta(0, b"\x01"),
            AudioDelta(0, b"\x02", format="audio/wav"),
            *(TextStart(1), TextDelta(1, "a"), TextEnd(1)),
            AudioDelta(2, b"\x03", format="audio/wav"),
        ],
    ),
    (
        "sound of another format is another sound",
        [sound("AA==", "audio/wav"), sound("AQ==", "audio/mp3")],
        [AudioDelta(0, b"\x00", format="audio/wav"), AudioDelta(1, b"\x01", format="audio/mp3")],
    ),
    (
        "sound by its address is a file",
        [{"type": "audio", "uri": "files/2", "mime_type": "audio/wav"}],
        [BlockAdded(0, FilePart("audio/wav", url="files/2"))],
    ),
]


@pytest.mark.parametrize(("deltas", "said"), [case[1:] for case in SAID], ids=[case[0] for case in SAID])
def test_what_is_said_becomes_blocks(deltas: list[dict[str, Any]], said: list[Delta]) -> None:
    out: list[Delta] = []
    step = OutputStep(0, {}, Shelf(100, numbered_ids()), out)
    assert all(step.take(delta, out) for delta in deltas)
    step.stop(out)
    assert out == said


def test_a_model_says_nothing_else() -> None:
    out: list[Delta] = []
    assert not OutputStep(0, {}, Shelf(1, numbered_ids()), out).take({"type": "thought_signature"}, out)
