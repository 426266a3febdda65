"""How an agent says that it stands."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.agent.state import AgentState
from streamkit.errors import ServerError
from streamkit.events import Done, OutputDelta, OutputEnd, RunStart, ToolEnd, ToolStart
from streamkit.messages import Message
from streamkit.testing import Answer, Call, error_reply

pytestmark = pytest.mark.parametrize("provider", ["openai"], indirect=True)


async def add(a: int) -> int:
    """Add one."""
    return a + 1


@pytest.mark.feature("4.30")
async def test_the_state_is_right_at_every_event(make_agent: Any) -> None:
    script = [Answer(["I add. ", Call("add", {"a": 1}), Call("add", {"a": 2})]), Answer(["Five."])]
    agent = make_agent(script, tools=[add], instruction="Add.", thinking="low")
    before = agent.state
    assert before == AgentState(
        system_prompt="Add.",
        model="openai/m",
        thinking_level="low",
        tools=["add"],
        messages=[Message("system", ["Add."])],
        is_streaming=False,
        streaming_message=None,
        pending_tool_calls=frozenset(),
        error_message=None,
    )
    shown, ended = "", 0
    async for event in agent.run_events("go"):
        state: AgentState = agent.state
        assert state.messages == agent.history
        assert state.is_streaming is (agent._conversation.holder is not None)
        if isinstance(event, OutputDelta) and hasattr(event.output.delta, "text"):
            shown += event.output.delta.text
            assert state.streaming_message is not None
            assert state.streaming_message.text == shown
        elif isinstance(event, OutputEnd):
            assert state.streaming_message is None
            assert state.messages[-1] == event.output.message
            shown = ""
        elif isinstance(event, ToolStart):
            assert event.id in state.pending_tool_calls
        elif isinstance(event, ToolEnd):
            ended += 1
            assert event.id not in state.pending_tool_calls
        elif isinstance(event, (RunStart, Done)):
            assert not state.pending_tool_calls
    assert ended == 2
    assert before.messages == [Message("system", ["Add."])]  # a picture stays as it was


async def test_the_state_tells_what_ended_the_last_run(make_agent: Any) -> None:
    agent = make_agent([error_reply(500, "broken"), Answer(["Fine."])])
    with pytest.raises(ServerError):
        async for _ in agent.run("go"):
            pass
    assert "broken" in (agent.state.error_message or "")
    async for _ in agent.run("go"):
        pass
    assert agent.state.error_message is None
