"""Custom messages in conversations: stored, loaded and sent like any others, and seen as their converters say.

A kind of message of a user's own stands beside those that are built in, and gives parts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import httpx
import msgspec
import pytest
from msgspec import Struct

from streamkit import Agent, Client
from streamkit.custom import (
    BashExecution,
    BranchSummary,
    CompactionSummary,
    CustomContent,
    convert_to_llm,
    custom_message,
    custom_value,
    register_message,
)
from streamkit.interop.content_items import to_items
from streamkit.interop.foundation import to_foundation
from streamkit.messages import Message
from streamkit.params import build_request
from streamkit.parts import EmbeddedImage, FunctionCall, FunctionPart, ImagePart, Part, TextPart
from streamkit.protocols import PROTOCOLS, get_protocol
from streamkit.sessions import Sessions
from streamkit.testing import Answer, ReplayTransport
from tests.laws.acceptance import CHECKERS, check

PNG = ImagePart(EmbeddedImage("image/png", b"\x89PNG\r\n\x1a\n"))


class Place(Struct, tag="test_custom_place"):
    name: str
    picture: bool = False


def seen_place(place: Place) -> list[Part] | None:
    if not place.name:
        return None
    return [TextPart(f"The user is in {place.name}."), *([PNG] if place.picture else [])]


register_message(Place, seen_place)

HISTORY = [
    Message("system", [TextPart("Be brief.")]),
    custom_message(CompactionSummary("They talked of rivers.", 90_000, 1)),
    Message("user", [TextPart("Where am I?")]),
    custom_message(Place("Basel", picture=True)),
    Message("assistant", [TextPart("Let me see.")], tool_calls=[FunctionPart("c1", FunctionCall("f", {}))]),
    custom_message(BashExecution("env", "SECRET=1", exclude_from_context=True)),
    Message("tool", [TextPart("47.56 N")], id="c1"),
    custom_message(BashExecution("date", "Mon Nov 30\n", 0)),
    custom_message(Place("")),
    custom_message(BranchSummary("They tried the train.", "m1")),
    custom_message(CustomContent("note", "A note.", details={"hidden": "DETAIL"})),
    Message("user", [TextPart("Go on.")]),
]
WORDS = ["They talked of rivers.", "The user is in Basel.", "Ran `date`", "They tried the train.", "A note."]
TAKERS = sorted(CHECKERS.keys() & PROTOCOLS.keys())


@pytest.mark.feature("0.2", "4.14", "4.31")
@pytest.mark.parametrize("protocol", TAKERS)
def test_every_dialect_takes_what_the_model_sees(protocol: str) -> None:
    before = msgspec.json.encode(HISTORY)
    request = build_request("m", HISTORY, None, {})
    assert request.messages == convert_to_llm(HISTORY)
    body = get_protocol(protocol).encode(request, None).body
    check(body, protocol)
    text = msgspec.json.encode(body).decode()
    places = [text.find(word) for word in WORDS]
    assert -1 not in places
    assert places == sorted(places)
    for word in ("SECRET", "DETAIL", "test_custom_place", "tokens_before"):
        assert word not in text
    assert msgspec.json.encode(HISTORY) == before


@pytest.mark.parametrize("to_form", [to_items, to_foundation])
def test_a_form_without_custom_messages_holds_what_the_model_sees(to_form: Callable[[list[Message]], Any]) -> None:
    history = [message for message in HISTORY if message.meta is None or message.meta.custom != "test_custom_place"]
    assert msgspec.to_builtins(without_ids(to_form(history))) == msgspec.to_builtins(
        without_ids(to_form(convert_to_llm(history)))
    )
    assert "Ran `date`" in str(to_form(history))
    assert "SECRET" not in str(to_form(history))


def without_ids(form: list[Any]) -> list[Any]:
    """What was made without the ids that are new each time."""
    return [msgspec.structs.replace(one, id="") if hasattr(one, "id") else one for one in form]


def transport() -> tuple[ReplayTransport, httpx.AsyncClient]:
    replies = ReplayTransport([Answer(["In Basel."]), Answer(["Yes."])])
    return replies, httpx.AsyncClient(transport=replies)


def check_sent(transport: ReplayTransport) -> None:
    for request in transport.requests:
        text = request.body.decode()
        assert all(word in text for word in WORDS)
        assert "SECRET" not in text and "DETAIL" not in text


async def test_a_client_sends_what_the_model_sees() -> None:
    replies, http_client = transport()
    async with Client("openai/m", api_key="key", http_client=http_client) as client:
        output = await client.send(HISTORY)
    assert output.message.text == "In Basel."
    check_sent(replies)


@pytest.mark.parametrize("store", ["jsonl", "sqlite"])
async def test_an_agent_keeps_the_messages_themselves_and_so_does_a_session(
    store: Literal["jsonl", "sqlite"], tmp_path: Path
) -> None:
    replies, http_client = transport()
    options: dict[str, Any] = {"api_key": "key", "http_client": http_client}
    sessions = Sessions(tmp_path, store=store, fsync=False)
    async with Agent("openai/m", history=msgspec.json.encode(HISTORY[:-1]), **options) as agent:
        assert [out.message.text async for out in agent.run("Go on.")] == ["In Basel."]
        async with sessions.open("a") as session:
            await session.keep(agent.history)
    assert agent.history[:-2] == HISTORY[:-1]
    async with sessions.open("a") as session:
        loaded = session.messages()
    assert loaded == agent.history
    assert [type(value) for value in map(custom_value, loaded) if value is not None] == [
        CompactionSummary,
        Place,
        BashExecution,
        BashExecution,
        Place,
        BranchSummary,
        CustomContent,
    ]
    again = Agent("openai/m", history=loaded, **options)
    query = custom_message(CustomContent("ask", "Sure?"))
    assert [out.message.text async for out in again.run(query)] == ["Yes."]
    assert again.history[-2] is query
    check_sent(replies)
