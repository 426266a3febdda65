"""The events of an agent in AgentCore's form."""

from __future__ import annotations

from typing import Any, TypeAlias, Union

from msgspec import Struct

from streamkit.interop.agentcore.messages import AgentMessage, ToolResultMessage
from streamkit.tags import snake_case

__all__ = [
    "AgentEndEvent",
    "AgentEvent",
    "AgentStartEvent",
    "MessageEndEvent",
    "MessageStartEvent",
    "MessageUpdateEvent",
    "ToolExecutionEndEvent",
    "ToolExecutionStartEvent",
    "ToolExecutionUpdateEvent",
    "TurnEndEvent",
    "TurnStartEvent",
]


def _tag(name: str) -> str:
    return snake_case(name.removesuffix("Event"))


class _Event(Struct, frozen=True, tag=_tag):
    """What all events share: the tag in their JSON form."""


class AgentStartEvent(_Event, frozen=True):
    """The agent begins."""


class AgentEndEvent(_Event, frozen=True):
    """The agent is done; `messages` are those that it made."""

    messages: list[AgentMessage]


class TurnStartEvent(_Event, frozen=True):
    """The model is about to be asked."""


class TurnEndEvent(_Event, frozen=True):
    """The model has answered, and its calls have been."""

    message: AgentMessage
    tool_results: list[ToolResultMessage]


class MessageStartEvent(_Event, frozen=True):
    """A message begins."""

    message: AgentMessage


class MessageUpdateEvent(_Event, frozen=True):
    """More of a message; what is new is in `assistant_message_event`."""

    message: AgentMessage
    assistant_message_event: Any


class MessageEndEvent(_Event, frozen=True):
    """A message is complete."""

    message: AgentMessage


class ToolExecutionStartEvent(_Event, frozen=True):
    """A tool is about to run."""

    tool_call_id: str
    tool_name: str
    args: Any = None


class ToolExecutionUpdateEvent(_Event, frozen=True):
    """A tool reports progress."""

    tool_call_id: str
    tool_name: str
    args: Any = None
    partial_result: Any = None


class ToolExecutionEndEvent(_Event, frozen=True):
    """A tool has given its result, or failed."""

    tool_call_id: str
    tool_name: str
    result: Any = None
    is_error: bool = False


AgentEvent: TypeAlias = Union[
    AgentStartEvent,
    AgentEndEvent,
    TurnStartEvent,
    TurnEndEvent,
    MessageStartEvent,
    MessageUpdateEvent,
    MessageEndEvent,
    ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
    ToolExecutionEndEvent,
]
