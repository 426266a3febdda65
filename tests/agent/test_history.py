from __future__ import annotations

from typing import Any

import httpx
import msgspec
import pytest

from streamkit.agent import Agent
from streamkit.agent.history import answer_open_calls, load_history, load_query, make_whole, says_anything
from streamkit.agent.results import CALL_LEFT_OUT, RESULT_LEFT_OUT, is_error
from streamkit.blocks import BlockRef
from streamkit.errors import ConfigError, ServerError
from streamkit.messages import Message, Meta
from streamkit.parts import FunctionCall, FunctionPart, ImagePart, ImageUrl, RefusalPart, TextPart, ValuePart
from streamkit.testing import Answer, ReplayTransport, error_reply
from tests.runs import assert_answered

HISTORY = [
    Message("system", [TextPart("Be brief.")]),
    Message("user", [TextPart("1 + 2?"), ImagePart(ImageUrl("https://example.org/a.png"))]),
    Message(
        "assistant", [], thinking="Hm.", signature="sig", tool_calls=[FunctionPart("c", FunctionCall("add", {"a": 1}))]
    ),
    Message("tool", [ValuePart(3)], id="c", meta=Meta(name="add")),
    Message("assistant", [TextPart("3")]),
]

NOBODY: Any = Message("nobody")

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


@pytest.mark.parametrize(
    "saved", ['{"role": "user"}', "[1]", "{", b"\xff", 3, [{"role": "nobody"}], [NOBODY], '"text"x', "3"]
)
def test_what_is_no_history_is_refused(saved: Any) -> None:
    with pytest.raises(ConfigError, match="history"):
        load_history(saved)


def test_a_query_is_a_string_a_message_or_a_dict() -> None:
    message = Message("user", [TextPart("hi")])
    assert load_query("hi") == load_query({"role": "user", "contents": [{"type": "text", "text": "hi"}]}) == message
    assert load_query(message) is message
    for nobody in ({"role": "nobody"}, NOBODY):
        with pytest.raises(ConfigError, match="the query is no message"):
            load_query(nobody)


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


def calling(*ids: str) -> Message:
    return Message("assistant", tool_calls=[FunctionPart(id, FunctionCall("add")) for id in ids])


def answering(id: str | None) -> Message:
    return Message("tool", ["3"], id=id)


OPEN: list[tuple[str, list[Message], list[str]]] = [
    ("nothing", [], []),
    ("no calls", [Message("user", ["hi"])], []),
    ("no answer", [calling("a", "b")], ["a", "b"]),
    ("one answer", [calling("a", "b"), answering("a")], ["b"]),
    ("the other answer", [calling("a", "b"), answering("b")], ["a"]),
    ("all answers", [calling("a", "b"), answering("a"), answering("b")], []),
    ("two calls of one id", [calling("a", "a"), answering("a")], ["a"]),
    ("an answer without an id", [calling("a", "b"), answering(None)], ["b"]),
    ("one without and one with an id", [calling("a", "b", "c"), answering(None), answering("a")], ["c"]),
    ("answers without an id", [calling("a", "b"), answering(""), answering(None)], []),
    ("calls further back", [calling("a"), Message("user", ["hi"])], []),  # which requests answer by themselves
]


@pytest.mark.parametrize(("history", "answered"), [case[1:] for case in OPEN], ids=[case[0] for case in OPEN])
def test_calls_that_nobody_is_running_any_more_get_an_answer(history: list[Message], answered: list[str]) -> None:
    kept = list(history)
    answer_open_calls(history)
    assert history[: len(kept)] == kept
    assert [(message.role, message.id, is_error(message)) for message in history[len(kept) :]] == [
        ("tool", id, True) for id in answered
    ]


HI, SO = Message("user", ["hi"]), Message("assistant", ["So."])
# What was kept, and what stands in its place: the numbers of messages that are as they were, and what was mended.
PARTED: list[tuple[str, list[Message], list[Any]]] = [
    ("nothing", [], []),
    ("no calls", [HI, SO], [0, 1]),
    ("whole", [HI, calling("a", "b"), answering("a"), answering("b"), SO], [0, 1, 2, 3, 4]),
    ("a call without its result", [HI, calling("a"), SO], [0, 1, "no a", 2]),
    ("one of two", [calling("a", "b"), answering("b"), SO], [0, "no a", 1, 2]),
    ("the last call", [HI, calling("a")], [0, 1, "no a"]),
    ("a result without its call", [answering("a"), SO], ["told", 1]),
    ("the last results", [answering("a"), answering("b")], ["told", "told"]),
    ("a result before its call", [answering("a"), calling("a")], ["told", 1, "no a"]),
    ("a second result", [calling("a"), answering("a"), answering("a"), SO], [0, 1, "told", 3]),
    ("a result among those of others", [calling("a"), answering("x"), answering("a")], [0, 2, "told"]),
    ("a result further down", [calling("a"), HI, answering("a"), SO], [0, 2, 1, 3]),
    ("an id used again", [calling("a"), SO, calling("a"), answering("a")], [0, "no a", 1, 2, 3]),
    ("an id used twice in one", [calling("a", "a"), answering("a"), SO], [0, 1, "no a", 2]),
    ("no ids", [calling("a", "b"), Message("tool", ["3"]), answering("a"), SO], [0, 2, answering("b"), 3]),
    ("no id and no call", [calling("a"), answering("a"), Message("tool", ["3"]), HI], [0, 1, "told", 3]),
]


@pytest.mark.parametrize(("kept", "expected"), [case[1:] for case in PARTED], ids=[case[0] for case in PARTED])
def test_calls_and_results_that_were_parted_are_mended(kept: list[Message], expected: list[Any]) -> None:
    whole = make_whole(kept)
    assert_answered(whole)
    assert len(whole) == len(expected)
    for message, wanted in zip(whole, expected, strict=True):
        if wanted == "told":
            assert message == Message("user", [TextPart(CALL_LEFT_OUT[False].format("a tool")), TextPart("3")])
        elif isinstance(wanted, str):
            assert (message.id, message.contents, is_error(message)) == ("a", [ValuePart(RESULT_LEFT_OUT)], True)
        else:
            assert message == (kept[wanted] if isinstance(wanted, int) else wanted)
    assert make_whole(whole) == whole


def test_a_result_whose_call_was_left_out_keeps_all_that_it_says() -> None:
    image = ImagePart(ImageUrl("https://example.org/a.png"))
    meta = Meta(name="add", is_error=True, details={"took_ms": 3}, added_tool_names=("subtract",), timestamp=7)
    (told,) = make_whole([Message("tool", [ValuePart({"a": 1}), image, TextPart("x")], id="c", meta=meta)])
    assert told.contents[1:] == [TextPart('{"a":1}'), image, TextPart("x")]
    assert "of add," in told.text and "failed" in told.text
    assert told.meta == Meta(details={"took_ms": 3}, added_tool_names=("subtract",), timestamp=7)
    assert (told.role, told.id, meta.name) == ("user", None, "add")


async def test_a_conversation_that_ends_in_the_middle_of_its_calls_goes_on() -> None:
    transport = ReplayTransport([Answer(["Again?"])])
    async with httpx.AsyncClient(transport=transport) as http:
        history = [Message("user", ["hi"]), calling("a", "b"), answering("a")]
        agent = Agent("openai/m", api_key="key", http_client=http, history=history)
        assert [piece async for piece in agent.continue_()]
    assert [message.role for message in agent.history] == ["user", "assistant", "tool", "tool", "assistant"]
    assert "the program that ran the call ended" in str(agent.history[3].contents)


async def test_a_query_that_is_the_result_of_an_open_call_answers_it() -> None:
    transport = ReplayTransport([error_reply(500, "no"), Answer(["Thanks."])])
    async with httpx.AsyncClient(transport=transport) as http:
        history = [Message("user", ["hi"]), calling("a", "b")]
        agent = Agent("openai/m", api_key="key", http_client=http, history=history, retry=0)
        with pytest.raises(ServerError):
            await anext(agent.run(answering("b")))
        assert [output.message.text async for output in agent.run()] == ["Thanks."]
    assert [message.id for message in agent.history] == [None, None, "b", "a", None]
    assert transport.requests[1].json["messages"][3] == {"role": "tool", "tool_call_id": "b", "content": "3"}
