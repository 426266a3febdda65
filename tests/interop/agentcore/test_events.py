from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from streamkit.interop.agentcore.events import (
    AgentEndEvent,
    AgentEvent,
    AgentStartEvent,
    MessageEndEvent,
    MessageStartEvent,
    MessageUpdateEvent,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
    TurnEndEvent,
    TurnStartEvent,
)
from streamkit.interop.agentcore.messages import AssistantMessage, TextContent, ToolResultMessage

ANSWER = AssistantMessage([TextContent("a")])
RESULT = ToolResultMessage("c", "f", [TextContent("a")])

CASES: list[tuple[str, AgentEvent]] = [
    ("agent_start", AgentStartEvent()),
    ("agent_end", AgentEndEvent([ANSWER, RESULT])),
    ("turn_start", TurnStartEvent()),
    ("turn_end", TurnEndEvent(ANSWER, [RESULT])),
    ("message_start", MessageStartEvent(ANSWER)),
    ("message_update", MessageUpdateEvent(ANSWER, {"delta": "a"})),
    ("message_end", MessageEndEvent(ANSWER)),
    ("tool_execution_start", ToolExecutionStartEvent("c", "f", {"x": 1})),
    ("tool_execution_update", ToolExecutionUpdateEvent("c", "f", {"x": 1}, 50)),
    ("tool_execution_end", ToolExecutionEndEvent("c", "f", "a", True)),
]


@pytest.mark.feature("4.23", "4.24", "4.25", "4.26")
@pytest.mark.parametrize(("tag", "event"), CASES, ids=[case[0] for case in CASES])
def test_an_event_is_decoded_as_it_was(tag: str, event: AgentEvent) -> None:
    encoded = msgspec.json.encode(event)
    assert msgspec.json.decode(encoded)["type"] == tag
    assert msgspec.json.decode(encoded, type=AgentEvent) == event


def test_the_table_has_every_event() -> None:
    assert {type(event) for _, event in CASES} == set(get_args(AgentEvent))
