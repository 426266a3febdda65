"""What a tool is told of its call."""

from __future__ import annotations

from functools import partial
from typing import Any, Optional

import pytest
from msgspec import Struct

from streamkit.messages import Message
from streamkit.tools import Tool, ToolContext


class Place(Struct):
    city: str


async def first(context: ToolContext, city: str) -> Any:
    return context.name, city


async def last(city: str, *, context: ToolContext) -> Any:
    return context.name, city


async def optional(city: str, told: Optional[ToolContext] = None) -> Any:  # noqa: UP045 # the older spelling
    return told and told.name, city


async def union(city: str, told: ToolContext | None = None) -> Any:
    return told and told.name, city


async def whole(place: Place, context: ToolContext) -> Any:
    return context.name, place.city


class Called:
    async def __call__(self, city: str, context: ToolContext) -> Any:
        return context.name, city


SCHEMA = {"properties": {"city": {}}}

TOOLS: list[tuple[str, Tool]] = [
    ("first", Tool(first)),
    ("last", Tool(last)),
    ("optional", Tool(optional)),
    ("a union", Tool(union)),
    ("an object", Tool(Called(), name="called")),
    ("a struct", Tool(whole, parameters=Place)),
]


@pytest.mark.parametrize("made", [case[1] for case in TOOLS], ids=[case[0] for case in TOOLS])
async def test_the_parameter_of_that_type_is_filled_and_no_argument(made: Tool) -> None:
    assert list(made.spec.parameters["properties"]) == ["city"]
    context = ToolContext("id", "its-name")
    assert await made.call(made.validate({"city": "Oslo"}), context) == ("its-name", "Oslo")


async def test_one_that_a_partial_fills_already_is_left_alone() -> None:
    given = ToolContext("id", "given")
    made = Tool(partial(last, context=given), name="last")
    assert await made.call(made.validate({"city": "Oslo"}), ToolContext("id", "other")) == ("given", "Oslo")


async def test_one_made_by_hand_reports_to_nobody_and_is_never_aborted() -> None:
    context = ToolContext("id", "name")
    await context.update({"done": 1})
    assert (context.messages, context.aborted, context.depth, context.source_agent) == ((), False, 0, "agent")
    assert repr(context) == "<ToolContext of name 'id'>"


def test_the_messages_are_a_snapshot() -> None:
    history = [Message("user", "hi")]
    context = ToolContext("id", "name", messages=lambda: tuple(history))
    assert context.messages == (Message("user", "hi"),)
    history.append(Message("user", "later"))
    assert len(context.messages) == 1
