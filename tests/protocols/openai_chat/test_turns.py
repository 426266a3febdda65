"""Messages in turns."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from streamkit.messages import Message
from streamkit.protocols import Request
from streamkit.protocols.openai_chat.turns import alternate
from streamkit.providers import get_provider

PICTURE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **more}


def said(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


SYSTEM = {"role": "system", "content": "s"}
RESULT = {"role": "tool", "tool_call_id": "c", "content": "r"}
CASES: list[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = [
    ("turns", [user("a"), said("b"), user("c")], [user("a"), said("b"), user("c")]),
    ("two users", [user("a"), user("b")], [user("a\n\nb")]),
    ("two answers", [user("a"), said("b"), said("c")], [user("a"), said("b\n\nc")]),
    ("an empty one", [user(""), user("b")], [user("b")]),
    ("two empty ones", [user(""), user("")], [user("")]),
    ("a text and a picture", [user("a"), user([PICTURE])], [user([text("a"), PICTURE])]),
    ("a picture and a text", [user([PICTURE]), user("b")], [user([PICTURE, text("b")])]),
    ("system messages", [SYSTEM, user("a"), SYSTEM, user("b")], [SYSTEM, SYSTEM, user("a\n\nb")]),
    (
        "an answer before one with calls",
        [user("a"), said("b"), said(None, tool_calls=[CALL]), RESULT, RESULT],
        [user("a"), said("b", tool_calls=[CALL]), RESULT, RESULT],
    ),
    (
        "answers of calls alone",
        [user("a"), said(None, tool_calls=[CALL]), said(None, tool_calls=[CALL])],
        [user("a"), said(None, tool_calls=[CALL, CALL])],
    ),
    ("one speaker", [user("a", name="ann"), user("b", name="ann")], [user("a\n\nb", name="ann")]),
    ("two speakers", [user("a", name="ann"), user("b", name="bob")], [user("a\n\nb")]),
    ("the assistant begins", [said("b")], [user("(The conversation begins with the assistant.)"), said("b")]),
    ("nothing", [], []),
]


@pytest.mark.parametrize(("messages", "turns"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_neighbours_of_one_role_are_one_turn(messages: list[dict[str, Any]], turns: list[dict[str, Any]]) -> None:
    before = copy.deepcopy(messages)
    assert alternate(messages) == turns
    assert messages == before


def test_perplexity_gets_turns() -> None:
    row = get_provider("perplexity")
    request = Request(model="sonar", messages=[Message("user", "a"), Message("system", "s"), Message("user", "b")])
    assert row.get_protocol().encode(request, row.quirks).body["messages"] == [SYSTEM, user("a\n\nb")]
