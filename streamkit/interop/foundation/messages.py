"""Messages in foundation's form: what a user, a model or a tool says, one thing in each."""

from __future__ import annotations

import re
from typing import TypeAlias, Union

from msgspec import Struct, field

from streamkit.interop.foundation.content import (
    GenerationMetadata,
    MessageRole,
    ModelOutput,
    StopReason,
    TextContent,
    UsageReport,
    UserModelContent,
    parse_stop_reason,
    to_usage,
)
from streamkit.interop.foundation.ids import new_scru128
from streamkit.messages import Message, MessageOutput
from streamkit.models import ModelId
from streamkit.protocols.failures import is_overflow
from streamkit.protocols.failures.overflow import says_overflow

__all__ = [
    "Assistant",
    "Messages",
    "ToolResult",
    "User",
    "agent",
    "as_messages",
    "is_context_overflow",
    "system",
    "user",
]


# What stands in an error's text where its code or its status is all that there is.
_CODES = re.compile(r"(?:context[_ ](?:length|window)|token limit)[_ ]exceeded|request_too_large", re.IGNORECASE)
_NO_BODY = re.compile(r"4(?:00|13)\b.{0,40}\(no body\)", re.IGNORECASE)


class User(Struct, tag="user", omit_defaults=True):
    """What goes to the model beside its own words and results: see `MessageRole`."""

    content: UserModelContent
    role: MessageRole = "user"
    id: str = field(default_factory=new_scru128)
    signature: str | None = None


class Assistant(Struct, tag="assistant", omit_defaults=True):
    """One thing that the model said, or one chunk of it; `timestamp` is in ms since 1970, 0 where it is not known."""

    content: ModelOutput
    model: ModelId = ModelId("")
    provider: str = ""
    stop_reason: StopReason = "stop"
    usage: UsageReport = UsageReport()
    id: str = field(default_factory=new_scru128)
    timestamp: int = 0
    error_detail: str | None = None
    signature: str | None = None
    metadata: list[GenerationMetadata] | None = None

    def __post_init__(self) -> None:
        self.stop_reason = parse_stop_reason(self.stop_reason)


class ToolResult(Struct, tag="tool_result", omit_defaults=True):
    """What a tool gave, or why it failed."""

    tool_call_id: str
    name: str
    content: UserModelContent
    id: str = field(default_factory=new_scru128)
    timestamp: int = 0
    details: str | None = None
    error_detail: str | None = None
    signature: str | None = None


Messages: TypeAlias = Union[User, Assistant, ToolResult]


def user(text: str) -> User:
    """Return what a human says."""
    return User(TextContent(text))


def agent(text: str) -> User:
    """Return what another agent says."""
    return User(TextContent(text), "agent")


def system(text: str) -> User:
    """Return an instruction in the middle of a conversation."""
    return User(TextContent(text), "system")


def as_messages(value: Messages | str) -> Messages:
    """Return `value`; a string is what a human says."""
    return user(value) if isinstance(value, str) else value


def is_context_overflow(message: Messages, context_window: int | None = None) -> bool:
    """Whether an answer shows that the conversation was too long: by its error's words, or by usage above the window.

    `context_window` is in tokens; without it usage shows nothing.
    """
    if not isinstance(message, Assistant):
        return False
    if message.error_detail:
        words = ["contextlengthexceeded"] if _CODES.search(message.error_detail) else []
        empty = _NO_BODY.match(message.error_detail) is not None
        if says_overflow(400, words, message.error_detail, empty=empty, provider=message.provider):
            return True
    return is_overflow(MessageOutput(Message("assistant"), usage=to_usage(message.usage)), context_window)
