"""What an agent's hooks are told between two turns, and what they may change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar, Union

from msgspec import Struct, field

from streamkit.messages import FinishReason, Message
from streamkit.usage import Usage

__all__ = ["Compact", "ConvertToLlm", "NextTurn", "PrepareNextTurn", "ShouldStop", "TransformContext", "Turn"]

T = TypeVar("T")

# A hook may be plain or async.
_Hook: TypeAlias = Callable[..., Union[T, Awaitable[T]]]


class Turn(Struct, frozen=True):
    """A turn that is over: its number within the run (from 1 on), what the model said, and the answers to its calls.

    `usage` adds up what the run has used so far. `history` is a copy of the conversation's list.
    """

    number: int
    message: Message
    finish_reason: FinishReason
    results: list[Message]
    usage: Usage | None
    history: list[Message]


class NextTurn(Struct, frozen=True, kw_only=True):
    """What is different from the next turn on, to the end of the run.

    `model` is another `provider/model`, asked with the key of its provider's environment variable; `params` are put
    over those of the agent (`{"thinking": "high"}`) and checked as they are. `tools` names those of the agent's tools,
    also of its shed, that the model may call, one in the provider's own form by its `name`, else its `type`. What
    results bring later (`find_tools`, `added_tool_names`) it may call beside them, until a hook gives another list; the
    same list once more changes nothing.
    """

    model: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    tools: list[str] | None = None


TransformContext: TypeAlias = _Hook[list[Message]]
ConvertToLlm: TypeAlias = _Hook[list[Message]]
Compact: TypeAlias = _Hook[list[Message]]
ShouldStop: TypeAlias = _Hook[Union[bool, None]]
PrepareNextTurn: TypeAlias = _Hook[Union[NextTurn, None]]
