"""The text in an output of a Gradio app."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ProtocolError
from streamkit.protocols.gradio.outputs import output_text

USER = {"role": "user", "content": "hi"}

CASES: list[tuple[str, Any, str]] = [
    ("a text", "Hi", "Hi"),
    ("nothing", None, ""),
    ("no chat yet", [], ""),
    ("a chat with an answer", [USER, {"role": "assistant", "content": "Hi"}], "Hi"),
    ("a chat without one", [USER], ""),
    ("a chat of several turns", [USER, {"role": "assistant", "content": "a"}, USER, {"role": "assistant"}], ""),
    ("parts", [USER, {"role": "assistant", "content": [{"text": "H", "type": "text"}, {"text": "i"}]}], "Hi"),
    ("parts that are files", [{"role": "assistant", "content": [{"path": "a.png"}, {"text": "Hi"}]}], "Hi"),
    ("a file", [{"role": "assistant", "content": {"path": "a.png"}}], ""),
    ("pairs", [["hi", "Hello"], ["and?", "Hi"]], "Hi"),
    ("a pair without its answer", [["hi", None]], ""),
    ("a multimodal text box", {"text": "Hi", "files": []}, "Hi"),
    ("a message", {"role": "assistant", "content": "Hi"}, "Hi"),
    ("an update", {"__type__": "update", "value": "Hi"}, "Hi"),
]


@pytest.mark.parametrize(("value", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_text_of_an_output(value: Any, text: str) -> None:
    assert output_text(value) == text


@pytest.mark.parametrize("value", [5, True, {"path": "a.png"}, ["a"], [[1, 2, 3]]], ids=str)
def test_an_output_without_text_is_an_error_that_shows_it(value: Any) -> None:
    with pytest.raises(ProtocolError, match="the output"):
        output_text(value)
