"""What an agent is at, in AgentCore's form, kept up to date by its events."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from streamkit.interop.agentcore.convert import from_agentcore, to_agentcore
from streamkit.interop.agentcore.events import (
    AgentEndEvent,
    AgentEvent,
    AgentStartEvent,
    MessageEndEvent,
    MessageStartEvent,
    MessageUpdateEvent,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
)
from streamkit.interop.agentcore.messages import AgentMessage, AssistantMessage
from streamkit.interop.agentcore.models import Model, ThinkingLevel
from streamkit.interop.agentcore.tools import AgentTool
from streamkit.messages import Message, MessageLike, as_message
from streamkit.parts import TextPart

__all__ = ["AgentContext", "AgentState", "from_context", "to_context"]


class AgentContext(Struct, frozen=True):
    """What goes into one call of the model: a snapshot, which later changes of the state do not show in."""

    system_prompt: str = ""
    messages: tuple[Any, ...] = ()
    tools: tuple[AgentTool, ...] | None = None


class AgentState(Struct):
    """What an agent has and does; `apply` each event in order, and it is right after every one.

    `streaming_message` is the message that is being written; `pending_tool_calls` are ids of calls whose tools run.
    What the user says is no event of a run: add it to `messages` before.
    """

    system_prompt: str = ""
    model: Model = Model("")
    thinking_level: ThinkingLevel = "off"
    tools: list[AgentTool] = field(default_factory=list)
    messages: list[Any] = field(default_factory=list)
    is_streaming: bool = False
    streaming_message: AgentMessage | None = None
    pending_tool_calls: set[str] = field(default_factory=set)
    error_message: str | None = None

    def apply(self, event: AgentEvent) -> None:
        """Take in one event."""
        match event:
            case AgentStartEvent():
                self.is_streaming, self.error_message = True, None
            case AgentEndEvent():
                self.is_streaming, self.streaming_message = False, None
                self.pending_tool_calls.clear()
            case MessageStartEvent(message=message) | MessageUpdateEvent(message=message):
                self.streaming_message = message
            case MessageEndEvent(message=message):
                self.streaming_message = None
                self.messages.append(message)
                if isinstance(message, AssistantMessage) and message.stop_reason in ("error", "aborted"):
                    self.error_message = message.error_message or message.stop_reason
            case ToolExecutionStartEvent(tool_call_id=id):
                self.pending_tool_calls.add(id)
            case ToolExecutionEndEvent(tool_call_id=id):
                self.pending_tool_calls.discard(id)

    def context(self) -> AgentContext:
        """Return what the model is to be asked with, as it is now."""
        return AgentContext(self.system_prompt, tuple(self.messages), tuple(self.tools) or None)


def to_context(conversation: list[MessageLike]) -> AgentContext:
    """Return a conversation as a context; a system message at its front is the prompt."""
    messages = [as_message(message) for message in conversation]
    prompt = messages.pop(0).text if messages and messages[0].role == "system" else ""
    return AgentContext(prompt, tuple(to_agentcore(messages)))


def from_context(context: AgentContext) -> list[Message]:
    """Return what a context tells a model as a conversation."""
    system = [Message("system", [TextPart(context.system_prompt)])] if context.system_prompt else []
    return [*system, *from_agentcore(context.messages)]
