"""An agent as a tool of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from streamkit.agent.history import load_query
from streamkit.agent.loop import Loop
from streamkit.agent.run import EventRun
from streamkit.errors import ToolError
from streamkit.events import OutputEnd, SubAgent
from streamkit.messages import MessageOutput
from streamkit.parts import TextPart
from streamkit.structured import OutputType
from streamkit.tools import Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    from streamkit.agent.agent import Agent

__all__ = ["make_tool"]

# What an answer that ended so is worth to who asked: nothing.
_FAILED = {"error", "aborted", "refusal"}


def make_tool(agent: Agent, name: str, description: str, output_type: Any) -> Tool:
    """Return a tool that asks the agent; see `Agent.as_tool`."""
    kind = None if output_type is None else OutputType.make(output_type)

    async def ask(query: str, context: ToolContext) -> Any:
        asked = agent._fresh()
        loop = Loop(load_query(query), kind, context.depth + 1, context._count)
        answer: MessageOutput | None = None
        async with EventRun(asked, loop) as run:
            async for event in run:
                await context._forward(SubAgent(context.call_id, context.name, event))
                if isinstance(event, OutputEnd):
                    answer = event.output
        if kind is not None:
            if not loop.ended:
                raise ToolError(f"{agent.name} ended without a value")
            return msgspec.to_builtins(run.value, str_keys=True)
        return _result(agent, answer)

    return Tool(ask, name=name, description=description)


def _result(agent: Agent, answer: MessageOutput | None) -> Any:
    """What the last message of a run says, to who asked."""
    if answer is None or answer.finish_reason is None:
        raise ToolError(f"{agent.name} gave no answer")
    parts, reason = answer.message.contents, answer.finish_reason
    value: Any = list(parts)
    if all(isinstance(part, TextPart) for part in parts):
        value = answer.message.text
    if reason.type in _FAILED:
        raise ToolError(f"{agent.name} ended by {reason.type}: {reason.reason or answer.message.text or reason.raw}")
    return ToolResult(value, details={"finish_reason": reason.type})
