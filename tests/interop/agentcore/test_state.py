from __future__ import annotations

import pytest

from streamkit import Message
from streamkit.interop.agentcore.event_writer import EventWriter
from streamkit.interop.agentcore.events import (
    AgentEndEvent,
    AgentStartEvent,
    MessageEndEvent,
    MessageStartEvent,
    MessageUpdateEvent,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
)
from streamkit.interop.agentcore.messages import AssistantMessage, TextContent, UserMessage
from streamkit.interop.agentcore.models import Model
from streamkit.interop.agentcore.state import AgentContext, AgentState, from_context, to_context
from streamkit.parts import TextPart
from streamkit.testing import error_reply
from tests.interop.agentcore.runs import SCRIPT, run

HI = UserMessage([TextContent("What is 2 + 2?")])


@pytest.mark.feature("4.30")
async def test_the_state_is_right_after_every_event() -> None:
    state = AgentState("Be brief.", Model("x"), messages=[HI])
    writer = EventWriter()
    pending: set[str] = set()
    seen: list[set[str]] = []
    for event in await run(*SCRIPT):
        for made in writer.feed(event):
            before = len(state.messages)
            state.apply(made)
            assert state.is_streaming == (not isinstance(made, AgentEndEvent))
            if isinstance(made, (MessageStartEvent, MessageUpdateEvent)):
                assert state.streaming_message == made.message
            elif isinstance(made, MessageEndEvent):
                assert state.messages[before:] == [made.message]
                assert state.streaming_message is None
            elif isinstance(made, ToolExecutionStartEvent):
                pending.add(made.tool_call_id)
            elif isinstance(made, ToolExecutionEndEvent):
                pending.discard(made.tool_call_id)
            assert state.pending_tool_calls == pending
            seen.append(set(pending))
    assert {"call_0", "call_1"} in seen
    assert [message.role for message in state.messages] == [
        "user",
        "assistant",
        "toolResult",
        "toolResult",
        "assistant",
    ]
    assert state.error_message is None


@pytest.mark.feature("4.30")
async def test_an_error_stays_until_the_agent_begins_again() -> None:
    state, writer = AgentState(), EventWriter()
    for event in await run(error_reply(400, "anthropic")):
        for made in writer.feed(event):
            state.apply(made)
    assert (state.error_message or "").startswith("InvalidRequest: ")
    assert not state.is_streaming
    state.apply(AgentStartEvent())
    assert state.error_message is None


def test_an_answer_that_was_stopped_is_an_error_too() -> None:
    state = AgentState()
    state.apply(MessageEndEvent(AssistantMessage([], stop_reason="aborted")))
    assert state.error_message == "aborted"


@pytest.mark.feature("4.22")
def test_a_context_does_not_change_with_the_state() -> None:
    state = AgentState("Be brief.", messages=[HI])
    context = state.context()
    state.messages.append(HI)
    state.system_prompt = ""
    assert context == AgentContext("Be brief.", (HI,), None)
    with pytest.raises(AttributeError):
        context.messages = ()


@pytest.mark.parametrize(
    ("conversation", "context"),
    [
        ([], AgentContext()),
        ([Message("user", [TextPart("What is 2 + 2?")])], AgentContext(messages=(HI,))),
        (
            [Message("system", [TextPart("Be brief.")]), Message("user", [TextPart("What is 2 + 2?")])],
            AgentContext("Be brief.", (HI,)),
        ),
    ],
)
def test_a_conversation_is_a_context_and_back(conversation: list[Message], context: AgentContext) -> None:
    assert to_context([*conversation]) == context
    assert from_context(context) == conversation
