from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.agent.history import load_history, load_query, says_anything
from streamkit.blocks import BlockRef
from streamkit.errors import ConfigError
from streamkit.messages import Message, Meta
from streamkit.parts import FunctionCall, FunctionPart, ImagePart, ImageUrl, RefusalPart, TextPart, ValuePart

HISTORY = [
    Message("system", [TextPart("Be brief.")]),
    Message("user", [TextPart("1 + 2?"), ImagePart(ImageUrl("https://example.org/a.png"))]),
    Message(
        "assistant", [], thinking="Hm.", signature="sig", tool_calls=[FunctionPart("c", FunctionCall("add", {"a": 1}))]
    ),
    Message("tool", [ValuePart(3)], id="c", meta=Meta(name="add")),
    Message("assistant", [TextPart("3")]),
]

FORMS: list[tuple[str, Any]] = [
    ("messages", HISTORY),
    ("a generator", (message for message in HISTORY)),
    ("plain data", msgspec.to_builtins(HISTORY)),
    ("JSON", msgspec.json.encode(HISTORY)),
    ("JSON as text", msgspec.json.encode(HISTORY).decode()),
]


@pytest.mark.feature("0.29")
@pytest.mark.parametrize("saved", [case[1] for case in FORMS], ids=[case[0] for case in FORMS])
def test_a_history_loads_unchanged_from_every_form(saved: Any) -> None:
    assert load_history(saved) == HISTORY


def test_a_history_is_a_list_of_its_own() -> None:
    given = list(HISTORY)
    load_history(given).append(Message("user"))
    assert given == HISTORY


@pytest.mark.feature("0.4")
def test_an_instruction_is_message_0_unless_there_is_one() -> None:
    assert load_history(None, "Hi.") == [Message("system", [TextPart("Hi.")])]
    assert load_history(HISTORY[1:], "Hi.") == [Message("system", [TextPart("Hi.")]), *HISTORY[1:]]
    assert load_history(HISTORY, "Hi.") == HISTORY


@pytest.mark.parametrize("saved", ['{"role": "user"}', "[1]", "{", b"\xff", 3, [{"role": "nobody"}], '"text"x', "3"])
def test_what_is_no_history_is_refused(saved: Any) -> None:
    with pytest.raises(ConfigError, match="history"):
        load_history(saved)


def test_a_query_is_a_string_a_message_or_a_dict() -> None:
    message = Message("user", [TextPart("hi")])
    assert load_query("hi") == load_query({"role": "user", "contents": [{"type": "text", "text": "hi"}]}) == message
    assert load_query(message) is message
    with pytest.raises(ConfigError, match="the query is no message"):
        load_query({"role": "nobody"})


SAID: list[tuple[str, Message, bool]] = [
    ("nothing", Message("assistant"), False),
    ("empty text", Message("assistant", [TextPart("")]), False),
    ("text", Message("assistant", [TextPart(""), TextPart("a")]), True),
    ("thinking", Message("assistant", thinking="a"), True),
    ("a refusal", Message("assistant", [RefusalPart("no")]), True),
    ("an image", Message("assistant", [ImagePart(ImageUrl("u"))]), True),
    ("a call", Message("assistant", tool_calls=[FunctionPart("c", FunctionCall("f"))]), True),
    ("redacted thinking", Message("assistant", blocks=[BlockRef("opaque", data="x")]), True),
]


@pytest.mark.parametrize(("message", "said"), [case[1:] for case in SAID], ids=[case[0] for case in SAID])
def test_a_message_cut_off_is_kept_where_it_says_anything(message: Message, said: bool) -> None:
    assert says_anything(message) is said
