"""Events: what happens in a run of an agent, from its start to its end.

A run is `RunStart`, turns, then exactly one `Done` or `Failed`. A turn is `TurnStart`, the pieces of the model's
message and the message, then for its calls `ToolStart`, `ToolUpdate`…, `ToolEnd` (as they happen, those of parallel
calls mixed) and the result messages in the order of the calls, then `TurnEnd`. Between them may stand `MessageAdded`,
`Progress`, and what the run of another agent tells, as `SubAgent`. A consumer passes over what it does not know.
"""

from __future__ import annotations

from typing import Any, TypeAlias, Union

from msgspec import Struct

from streamkit.deltas import MessageDeltaOutput
from streamkit.messages import FinishReason, Message, MessageOutput
from streamkit.tags import snake_case
from streamkit.usage import Usage

__all__ = [
    "Done",
    "Event",
    "Failed",
    "MessageAdded",
    "OutputDelta",
    "OutputEnd",
    "Progress",
    "RunStart",
    "RunSummary",
    "SubAgent",
    "ToolEnd",
    "ToolStart",
    "ToolUpdate",
    "TurnEnd",
    "TurnStart",
]


class _Event(Struct, frozen=True, tag=snake_case, omit_defaults=True):
    """What all events share: the tag in their JSON form."""


class RunStart(_Event, frozen=True):
    """The agent of this name begins to answer a query."""

    source_agent: str


class TurnStart(_Event, frozen=True):
    """The model is about to be asked; `turn` counts from 1 within the run."""

    turn: int


class OutputDelta(_Event, frozen=True):
    """A piece of a message, as `run_stream` yields it."""

    output: MessageDeltaOutput


class OutputEnd(_Event, frozen=True):
    """A message is complete, as `run` yields it."""

    output: MessageOutput


class ToolStart(_Event, frozen=True):
    """A call of the model is about to be run; `id` is the call's."""

    id: str
    name: str
    arguments: dict[str, Any] = {}


class ToolUpdate(_Event, frozen=True):
    """A tool reports progress: any JSON value."""

    id: str
    name: str
    value: Any


class ToolEnd(_Event, frozen=True):
    """A call has its result: `message` is what the model will see, `is_error` says that the call failed."""

    id: str
    name: str
    message: Message
    is_error: bool = False


class MessageAdded(_Event, frozen=True):
    """A message that is not the model's was put into the conversation while the run was under way.

    `source` says whence: `steering` or `follow_up` from the agent's queues, `correction` for what the model is told of
    an answer that is not of the run's type.
    """

    message: Message
    source: str


class Progress(_Event, frozen=True):
    """A hint at what goes on, to be shown or passed over: `kind` is a word, `detail` plain JSON.

    `retrying` (`error`, `number`, `wait_s`, `provider`, `model`): a request is about to be sent again, after a wait, as
    `Retrying` says it; `compacting` (`messages`): the conversation is being made shorter; `compacted` (`before`,
    `after`): how many messages it had and has; `interrupted`: the turn was cut off by a message of the user's. More
    kinds may come.
    """

    kind: str
    detail: dict[str, Any] = {}


class SubAgent(_Event, frozen=True):
    """An event of another agent's run, which a tool has started: `id` and `name` are the call's."""

    id: str
    name: str
    event: Event


class TurnEnd(_Event, frozen=True):
    """The turn is over: the model's message is complete and its calls are answered."""

    turn: int


class RunSummary(Struct, frozen=True, omit_defaults=True):
    """What came of a run: how often the model was asked, why it stopped last, and what all its responses used."""

    turns: int
    finish_reason: FinishReason
    usage: Usage | None = None


class Done(_Event, frozen=True):
    """The run is over, with an answer."""

    summary: RunSummary


class Failed(_Event, frozen=True):
    """The run ended by an error, which is raised after this event; `partial` is what the last message had by then."""

    kind: str
    message: str
    partial: MessageOutput | None = None
    usage: Usage | None = None


Event: TypeAlias = Union[
    RunStart,
    TurnStart,
    OutputDelta,
    OutputEnd,
    ToolStart,
    ToolUpdate,
    ToolEnd,
    MessageAdded,
    Progress,
    SubAgent,
    TurnEnd,
    Done,
    Failed,
]
