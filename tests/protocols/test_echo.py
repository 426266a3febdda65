"""Prompts that come back in front of the answer: edge case 7 of backends that send all so far."""

from __future__ import annotations

import pytest

from streamkit.protocols.echo import Echo

CASES: list[tuple[str, str | None, list[str], list[str]]] = [
    ("no prompt", None, ["Hi", "Hi there"], ["Hi", "Hi there"]),
    ("an empty prompt", "", ["Hi"], ["Hi"]),
    ("a prompt", "Say hi: ", ["Say hi: ", "Say hi: Hi"], ["", "Hi"]),
    ("a prompt that comes again in the answer", "ha", ["ha", "haha", "hahaha"], ["", "ha", "haha"]),
    ("a prompt without its special tokens", "A </s> B", ["A  B", "A  Bc"], [" B", " Bc"]),
    ("no prompt in the text", "xyz", ["Hi"], ["Hi"]),
    ("a text that is shorter later", "Say: ", ["Say: Hi", "Say", ""], ["Hi", "", ""]),
    ("characters of several bytes", "é😀", ["é😀ö"], ["ö"]),
]


@pytest.mark.parametrize(("prompt", "texts", "left"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_prompt_is_taken_off_once(prompt: str | None, texts: list[str], left: list[str]) -> None:
    echo = Echo(prompt)
    assert [echo.strip(text) for text in texts] == left
