"""Messages in AgentCore's form: those that go to a model, and those of the application beside them.

A role does not tell the kinds apart (`custom` is two of them), so each is tagged by its own name in JSON. A
`timestamp` is in ms since 1970, 0 where it is not known.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, Union

from msgspec import Struct, field

from streamkit.tags import snake_case

__all__ = [
    "AgentMessage",
    "AssistantContent",
    "AssistantMessage",
    "BashExecutionMessage",
    "BranchSummaryMessage",
    "CompactionSummaryMessage",
    "CustomMessage",
    "CustomWrapper",
    "ImageContent",
    "LlmMessage",
    "MessageContent",
    "TextContent",
    "ToolCall",
    "ToolResultMessage",
    "Usage",
    "UsageCost",
    "UserMessage",
]


class TextContent(Struct, frozen=True, tag="text"):
    """Text."""

    text: str


class ImageContent(Struct, frozen=True, tag="image"):
    """An image; `data` is base64."""

    data: str
    mime_type: str


class ToolCall(Struct, frozen=True, tag="tool", omit_defaults=True):
    """A call; `partial_json` is the text of arguments that are no JSON object, or not all of one yet."""

    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    partial_json: str | None = None

    @property
    def type(self) -> str:
        """The word for it."""
        return "tool"


MessageContent: TypeAlias = Union[TextContent, ImageContent]
AssistantContent: TypeAlias = Union[TextContent, ToolCall]


class UsageCost(Struct, frozen=True):
    """What it cost, in US dollars."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0
    total: float = 0.0


class Usage(Struct, frozen=True):
    """Token counts; `input` leaves out what was read from or written to a cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    total_tokens: int = 0
    cost: UsageCost = UsageCost()


class UserMessage(Struct, frozen=True, tag=snake_case):
    """What the user says."""

    content: list[MessageContent]
    timestamp: int = 0
    role: Literal["user"] = "user"


class AssistantMessage(Struct, frozen=True, tag=snake_case):
    """What the model says; `stop_reason` is `done`, `length`, `error`, `aborted` or the provider's own word."""

    content: list[AssistantContent]
    api: str = ""
    provider: str = ""
    model: str = ""
    usage: Usage = Usage()
    stop_reason: str = "done"
    error_message: str | None = None
    timestamp: int = 0
    role: Literal["assistant"] = "assistant"


class ToolResultMessage(Struct, frozen=True, tag=snake_case):
    """What a tool gave; `details` is for the application, `added_tool_names` are tools that it made available."""

    tool_call_id: str
    tool_name: str
    content: list[MessageContent]
    details: Any = None
    usage: Usage | None = None
    added_tool_names: list[str] | None = None
    is_error: bool = False
    timestamp: int = 0
    role: Literal["toolResult"] = "toolResult"


class BashExecutionMessage(Struct, tag=snake_case):
    """A command that the user ran; `exclude_from_context` keeps it from the model."""

    command: str
    output: str = ""
    exit_code: int | None = None
    cancelled: bool = False
    truncated: bool = False
    full_output_path: str | None = None
    timestamp: int = 0
    exclude_from_context: bool = False
    role: Literal["custom"] = "custom"


class CompactionSummaryMessage(Struct, tag=snake_case):
    """What stands for a history that was too long: it took `tokens_before`."""

    summary: str
    tokens_before: int = 0
    timestamp: int = 0
    role: Literal["compactionSummary"] = "compactionSummary"


class BranchSummaryMessage(Struct, tag=snake_case):
    """What stands for a branch that was left at `from_id`."""

    summary: str
    from_id: str = ""
    timestamp: int = 0
    role: Literal["branchSummary"] = "branchSummary"


class CustomMessage(Struct, tag=snake_case):
    """A message of the application's own that the model sees as the user's; `display` says whether a user does."""

    custom_type: str
    content: str | list[MessageContent]
    display: bool = True
    details: Any = None
    timestamp: int = 0
    role: Literal["custom"] = "custom"


LlmMessage: TypeAlias = Union[UserMessage, AssistantMessage, ToolResultMessage]


class CustomWrapper(Struct, frozen=True, tag=snake_case):
    """A message with a label of the application's, which the model does not see."""

    message: (
        UserMessage
        | AssistantMessage
        | ToolResultMessage
        | BashExecutionMessage
        | CompactionSummaryMessage
        | BranchSummaryMessage
        | CustomMessage
    )
    custom_type: str


# Those that come with this module; `transform.convert_message` takes others that `register_message` knows.
AgentMessage: TypeAlias = Union[
    UserMessage,
    AssistantMessage,
    ToolResultMessage,
    BashExecutionMessage,
    CompactionSummaryMessage,
    BranchSummaryMessage,
    CustomMessage,
    CustomWrapper,
]
