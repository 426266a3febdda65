"""The one text that a base model goes on with."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import AudioPart, EmbeddedImage, ImagePart, ValuePart
from streamkit.protocols.prompt import encode_prompt, text_prompt

PNG = ImagePart(EmbeddedImage("image/png", b"\x89PNG"))


def test_the_texts_of_the_only_message_are_the_prompt() -> None:
    message = Message("user", ["Q: ", ValuePart({"a": 1}), PNG, "\nA:"])
    assert encode_prompt([message], "/completion") == ('Q: {"a":1}\nA:', [PNG])
    assert encode_prompt([message], "/completion", "<image>")[0] == 'Q: {"a":1}<image>\nA:'


UNFIT: list[tuple[str, list[Message], str]] = [
    ("none", [], "not none"),
    ("two", [Message("user", "a"), Message("assistant", "b")], "not user, assistant"),
    ("a system prompt", [Message("system", "a")], "not system"),
    ("a sound", [Message("user", [AudioPart(b"RIFF")])], "AudioPart"),
]


@pytest.mark.parametrize(("messages", "why"), [case[1:] for case in UNFIT], ids=[case[0] for case in UNFIT])
def test_anything_else_is_refused(messages: list[Message], why: Any) -> None:
    with pytest.raises(ConfigError, match=f"/completion .*{why}"):
        encode_prompt(messages, "/completion")


def test_a_prompt_that_must_be_text_has_no_images() -> None:
    assert text_prompt([Message("user", ["Q: ", "A:"])], "/generate") == "Q: A:"
    with pytest.raises(ConfigError, match="/generate takes no images"):
        text_prompt([Message("user", ["Q: ", PNG])], "/generate")
