"""Messages of any kind → those that go to a model.

A kind of an application's own takes part by a converter: `@convert_message.register` on a function whose parameter is
of that type, which returns a message for the model, or None to leave it out.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any

from streamkit.errors import ConfigError
from streamkit.interop.agentcore.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    CustomWrapper,
    LlmMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
)

__all__ = [
    "BRANCH_SUMMARY_PREFIX",
    "BRANCH_SUMMARY_SUFFIX",
    "COMPACTION_SUMMARY_PREFIX",
    "COMPACTION_SUMMARY_SUFFIX",
    "bash_text",
    "convert_message",
    "convert_to_llm",
    "normalize_prompt",
]

# What tells the model that a text is a summary.
COMPACTION_SUMMARY_PREFIX = "What was said before this point has been summed up:\n\n<summary>\n"
COMPACTION_SUMMARY_SUFFIX = "\n</summary>"
BRANCH_SUMMARY_PREFIX = "Another branch of this conversation, which was left, has been summed up:\n\n<summary>\n"
BRANCH_SUMMARY_SUFFIX = "</summary>"


def convert_to_llm(messages: Iterable[Any]) -> list[LlmMessage]:
    """Return what the model sees of messages, in order; raises `ConfigError` for a kind without a converter."""
    converted = (convert_message(message) for message in messages)
    return [message for message in converted if message is not None]


def normalize_prompt(prompt: str | AgentMessage | Iterable[AgentMessage], timestamp: int = 0) -> list[Any]:
    """Return a prompt as messages; a string is one message of the user, made at `timestamp`."""
    if isinstance(prompt, str):
        return [UserMessage([TextContent(prompt)], timestamp)]
    return list(prompt) if isinstance(prompt, Iterable) else [prompt]


def bash_text(message: BashExecutionMessage) -> str:
    """Return what the model is told of a command."""
    text = f"Ran `{message.command}`\n"
    if message.output:
        end = "" if message.output.endswith("\n") else "\n"
        text += f"```\n{message.output}{end}```\n"
    else:
        text += "(no output)\n"
    if message.cancelled:
        text += "(cancelled)\n"
    elif message.exit_code:
        text += f"Exit code: {message.exit_code}\n"
    if message.truncated and message.full_output_path:
        text += f"The output was cut; all of it is in {message.full_output_path}\n"
    return text


@singledispatch
def convert_message(message: Any) -> LlmMessage | None:
    """Return what the model sees of one message, None for nothing."""
    raise ConfigError(
        f"there is no converter for a {type(message).__name__}: register one by @convert_message.register"
    )


@convert_message.register
def _(message: UserMessage) -> LlmMessage:
    return message


@convert_message.register
def _(message: AssistantMessage) -> LlmMessage:
    return message


@convert_message.register
def _(message: ToolResultMessage) -> LlmMessage:
    return message


@convert_message.register
def _(message: BashExecutionMessage) -> LlmMessage | None:
    return None if message.exclude_from_context else _said(bash_text(message), message.timestamp)


@convert_message.register
def _(message: CompactionSummaryMessage) -> LlmMessage:
    return _said(f"{COMPACTION_SUMMARY_PREFIX}{message.summary}{COMPACTION_SUMMARY_SUFFIX}", message.timestamp)


@convert_message.register
def _(message: BranchSummaryMessage) -> LlmMessage:
    return _said(f"{BRANCH_SUMMARY_PREFIX}{message.summary}{BRANCH_SUMMARY_SUFFIX}", message.timestamp)


@convert_message.register
def _(message: CustomMessage) -> LlmMessage:
    if isinstance(message.content, str):
        return _said(message.content, message.timestamp)
    return UserMessage(message.content, message.timestamp)


@convert_message.register
def _(message: CustomWrapper) -> None:
    return None


def _said(text: str, timestamp: int) -> UserMessage:
    return UserMessage([TextContent(text)], timestamp)
