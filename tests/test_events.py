from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from streamkit.deltas import MessageDeltaOutput, TextDelta
from streamkit.events import (
    Done,
    Event,
    Failed,
    MessageAdded,
    OutputDelta,
    OutputEnd,
    Progress,
    RunStart,
    RunSummary,
    SubAgent,
    ToolEnd,
    ToolStart,
    ToolUpdate,
    TurnEnd,
    TurnStart,
)
from streamkit.messages import FinishReason, Message, MessageOutput, Meta
from streamkit.parts import TextPart, ValuePart
from streamkit.usage import Usage

RESULT = Message("tool", [ValuePart("no")], id="c1", meta=Meta(is_error=True, name="f"))

CASES: list[tuple[str, Event]] = [
    ("run_start", RunStart("agent")),
    ("turn_start", TurnStart(1)),
    ("output_delta", OutputDelta(MessageDeltaOutput(TextDelta(0, "a"), source_agent="agent"))),
    ("output_end", OutputEnd(MessageOutput(Message("assistant", [TextPart("a")]), FinishReason("stop")))),
    ("tool_start", ToolStart("c1", "f", {"x": 1})),
    ("tool_update", ToolUpdate("c1", "f", [1, None])),
    ("tool_end", ToolEnd("c1", "f", RESULT, is_error=True)),
    ("turn_end", TurnEnd(1)),
    ("message_added", MessageAdded(Message("user", ["hi"]), "steering")),
    ("progress", Progress("retrying", {"number": 1})),
    ("sub_agent", SubAgent("call_1", "ask", TurnStart(1))),
    ("done", Done(RunSummary(2, FinishReason("stop"), Usage(1, 2)))),
    ("failed", Failed("Overloaded", "no capacity", MessageOutput(Message("assistant")))),
]


@pytest.mark.parametrize(("tag", "event"), CASES, ids=[case[0] for case in CASES])
def test_an_event_comes_back_from_json(tag: str, event: Event) -> None:
    encoded = msgspec.json.encode(event)
    assert msgspec.json.decode(encoded)["type"] == tag
    assert msgspec.json.decode(encoded, type=Event) == event


def test_every_event_is_tested() -> None:
    assert {type(event) for _, event in CASES} == set(get_args(Event))
