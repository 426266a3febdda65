"""The parts of messages, named by their fields."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols.dashscope.content import Contents
from streamkit.protocols.openai_chat.views import Delta

IMAGE = {"image": "https://a.example/1.png"}
READ_IMAGE = {"type": "image_url", "image_url": {"url": "https://a.example/1.png"}}
CASES: list[tuple[str, bool, list[Any], list[Any]]] = [
    ("text that is no list", False, ["a", "b"], ["a", "b"]),
    ("increments", False, [[{"text": "a"}, {"text": "b"}], ["c"]], [["a", "b"], ["c"]]),
    ("an image among texts", False, [[{"text": "a"}, IMAGE, {"text": "b"}]], [["a", READ_IMAGE, "b"]]),
    ("the same image in two increments", False, [[IMAGE], [IMAGE]], [[READ_IMAGE], [READ_IMAGE]]),
    ("snapshots", True, [[{"text": "a"}], [{"text": "a"}, {"text": "b"}]], [["a"], ["ab"]]),
    ("an image in each snapshot", True, [[IMAGE], [IMAGE, {"text": "a"}]], [[READ_IMAGE], ["a"]]),
    ("a second image", True, [[IMAGE], [IMAGE, IMAGE]], [[READ_IMAGE], [READ_IMAGE]]),
    ("text behind an image in one snapshot", True, [[IMAGE, {"text": "a"}]], [["a", READ_IMAGE]]),
    ("unknown parts", False, [[{"box": 1}, 5, {"text": 5}]], [[{"box": 1}, 5, {"text": 5}]]),
]


@pytest.mark.parametrize(
    ("cumulative", "contents", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_parts_become_those_of_chat_completions(cumulative: bool, contents: list[Any], expected: list[Any]) -> None:
    reader, messages = Contents(cumulative=cumulative), [Delta(content) for content in contents]
    for message in messages:
        reader.read(message)
    assert [message.content for message in messages] == expected


def test_sound_stands_beside_the_content() -> None:
    message = Delta([{"text": "a"}, {"audio": {"data": "AAE="}}])
    Contents(cumulative=False).read(message)
    assert (message.content, message.audio) == (["a"], {"data": "AAE="})
