"""How an agent stands at a moment, for a user interface."""

from __future__ import annotations

from msgspec import Struct

from streamkit.messages import Message

__all__ = ["AgentState"]


class AgentState(Struct, frozen=True):
    """What an agent is, and what it is doing: a picture that later events do not change.

    `model` is `provider/model`; `thinking_level` is the agent's parameter `thinking`; `tools` are the names of those
    that the model may call. `messages` are the conversation so far, and `streaming_message` what has come of the
    message that is under way. `pending_tool_calls` are the ids of the calls that are being run. `error_message` says
    what ended the last run, if it was an error.
    """

    system_prompt: str
    model: str
    thinking_level: str | int | None
    tools: list[str]
    messages: list[Message]
    is_streaming: bool
    streaming_message: Message | None
    pending_tool_calls: frozenset[str]
    error_message: str | None
