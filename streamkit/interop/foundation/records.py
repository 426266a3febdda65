"""What a turn of foundation's agent produces: records, and hints at how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, Union, get_args

import msgspec
from msgspec import Struct, field

from streamkit.interop.foundation.content import UsageReport
from streamkit.interop.foundation.ids import new_scru128
from streamkit.interop.foundation.messages import Messages
from streamkit.models import ModelId
from streamkit.tags import snake_case

__all__ = [
    "AgentProgress",
    "Conversation",
    "Error",
    "ExecutingTools",
    "FailedAction",
    "Finished",
    "FlushingRecords",
    "Generating",
    "GeneratingEmbeddings",
    "GeneratingTokens",
    "Initializing",
    "MemoryFact",
    "ModelState",
    "Observation",
    "ObservationEntry",
    "ProcessingMemory",
    "Progress",
    "Reflection",
    "ReflectionEntry",
    "Retracted",
    "SessionEnding",
    "SessionRecord",
    "Steering",
    "Summary",
    "TimeRange",
    "ToolCallCancelled",
    "ToolCallRequested",
    "TurnComplete",
    "WorkingMemory",
    "as_progress",
    "is_stored",
]


class _Stamped(Struct, tag=snake_case, kw_only=True):
    """What records share that have an id of their own; `timestamp` is in ms since 1970, 0 where it is not known."""

    id: str = field(default_factory=new_scru128)
    timestamp: int = 0


class MemoryFact(Struct, omit_defaults=True):
    """Something to be remembered; `confidence` is 0 to 1."""

    fact: str
    asserted_at: int = 0  # ms since 1970
    source_message_id: str | None = None
    confidence: float = 1.0


class ObservationEntry(Struct, omit_defaults=True):
    """Something that was noticed; `timestamp` is in ms since 1970."""

    content: str
    type: Literal["assertion", "question"] = "assertion"
    timestamp: int = 0
    source_message_id: str | None = None
    scope: str | None = None


class TimeRange(Struct, rename={"start": "from", "end": "to"}):
    """From when to when, in ms since 1970."""

    start: int
    end: int


class ReflectionEntry(Struct, omit_defaults=True):
    """What was made of observations; `importance` is 0 to 1."""

    summary: str
    time_range: TimeRange | None = None
    observation_refs: list[str] = field(default_factory=list)
    importance: float = 0.0


class Conversation(Struct, tag=snake_case):
    """A message."""

    message: Messages


class Retracted(_Stamped):
    """Drop what the assistant said so far in this answer."""

    reason: str


class WorkingMemory(_Stamped):
    """What is to be remembered for now; a higher `version` replaces a lower one."""

    facts: list[MemoryFact]
    version: int = 0


class Observation(_Stamped):
    """What was noticed, and how many tokens it takes."""

    observations: list[ObservationEntry]
    token_count: int = 0


class Reflection(Struct, tag=snake_case):
    """What was made of observations, and the tokens of it before and after; `generated_at` is in ms since 1970."""

    reflections: list[ReflectionEntry]
    generated_at: int = 0
    observation_token_count_before: int = 0
    reflection_token_count_after: int = 0
    id: str = field(default_factory=new_scru128)


class FailedAction(Struct, tag=snake_case, omit_defaults=True):
    """The turn failed: `error` is its kind, `trace` what led to it, the newest last. Never stored."""

    error: str
    message: str = ""
    trace: list[str] = field(default_factory=list)


class Summary(Struct, tag=snake_case):
    """The turn is over: how many messages it had, and what it used."""

    message_count: int
    usage: UsageReport = UsageReport()


SessionRecord: TypeAlias = Union[Conversation, Retracted, WorkingMemory, Observation, Reflection, FailedAction, Summary]


class Initializing(Struct, tag=snake_case):
    """The agent gets ready."""

    step: str


class Generating(Struct, tag=snake_case):
    """The model writes."""

    model: ModelId
    tokens_so_far: int = 0


class ToolCallRequested(Struct, tag=snake_case):
    """The model asks for a tool."""

    name: str


class ExecutingTools(Struct, tag=snake_case):
    """Tools run."""

    total: int
    completed: int = 0


class ToolCallCancelled(Struct, tag=snake_case):
    """A call will have no result of its own."""

    id: str


class ProcessingMemory(Struct, tag=snake_case):
    """The memory is worked on."""

    kind: str


class FlushingRecords(Struct, tag=snake_case):
    """Records are being stored."""

    count: int


class Steering(Struct, tag=snake_case):
    """Somebody interrupts."""

    source: str


class TurnComplete(Struct, tag=snake_case):
    """The turn is complete."""

    usage: UsageReport = UsageReport()


class SessionEnding(Struct, tag=snake_case):
    """The session ends."""


AgentProgress: TypeAlias = Union[
    Initializing,
    Generating,
    ToolCallRequested,
    ExecutingTools,
    ToolCallCancelled,
    ProcessingMemory,
    FlushingRecords,
    Steering,
    TurnComplete,
    SessionEnding,
]


class GeneratingTokens(Struct, tag=snake_case, omit_defaults=True):
    """A model writes."""

    usage: UsageReport | None = None


class GeneratingEmbeddings(Struct, tag=snake_case):
    """A model makes vectors."""


class Finished(Struct, tag=snake_case):
    """A model is done."""


class Error(Struct, tag=snake_case):
    """A model failed."""

    message: str


ModelState: TypeAlias = Union[GeneratingTokens, GeneratingEmbeddings, Finished, Error]


# A hint of a kind that is not known here stays plain data.
Progress: TypeAlias = Union[AgentProgress, ModelState, Mapping[str, Any]]

_KINDS: tuple[type[Struct], ...] = (*get_args(AgentProgress), *get_args(ModelState))
_BY_TAG = {kind.__struct_config__.tag: kind for kind in _KINDS}


def as_progress(value: Any) -> Progress:
    """Return a hint from its JSON form; one that is not known here, or of another form, as it came."""
    tag = value.get("type") if isinstance(value, Mapping) else None
    kind = _BY_TAG.get(tag) if isinstance(tag, str) else None
    try:
        progress: Any = value if kind is None else msgspec.convert(value, kind)
    except msgspec.ValidationError:
        progress = value
    return progress  # type: ignore[no-any-return] # converted to one of them, or as it came


def is_stored(record: SessionRecord) -> bool:
    """Whether a record belongs in a store: all but a failed action."""
    return not isinstance(record, FailedAction)
