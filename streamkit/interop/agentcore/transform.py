"""Messages of any kind → those that go to a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from streamkit.custom.conversion import to_llm
from streamkit.interop.agentcore.convert import to_agentcore
from streamkit.interop.agentcore.custom import to_custom
from streamkit.interop.agentcore.messages import (
    AgentMessage,
    AssistantMessage,
    LlmMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
)

__all__ = ["convert_message", "convert_to_llm", "normalize_prompt"]


def convert_to_llm(messages: Iterable[Any]) -> list[LlmMessage]:
    """Return what the model sees of messages, in order; raises `ConfigError` for a type that is not registered."""
    converted = (convert_message(message) for message in messages)
    return [message for message in converted if message is not None]


def convert_message(message: Any) -> LlmMessage | None:
    """Return what the model sees of one message, None for nothing.

    A message of the model's, of the user's or of a tool is the same object; any other is what its converter makes of
    it, which `streamkit.register_message` sets.
    """
    if isinstance(message, (UserMessage, AssistantMessage, ToolResultMessage)):
        return message
    seen = to_llm(to_custom(message))
    if seen is None:
        return None
    told: LlmMessage
    (told,) = to_agentcore([seen])
    return told


def normalize_prompt(prompt: str | AgentMessage | Iterable[AgentMessage], timestamp: int = 0) -> list[Any]:
    """Return a prompt as messages; a string is one message of the user, made at `timestamp`."""
    if isinstance(prompt, str):
        return [UserMessage([TextContent(prompt)], timestamp)]
    return list(prompt) if isinstance(prompt, Iterable) else [prompt]
