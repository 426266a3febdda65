"""AgentCore's messages of an application → custom messages, and back.

A struct that `streamkit.register_message` knows is a message of AgentCore's as it is. Lost on the way there: parts of a
`CustomContent` that are neither text nor image, and a message whose kind nobody registered (each with a
`HistoryWarning`).
"""

from __future__ import annotations

import warnings
from typing import Any

from msgspec import Struct

from streamkit.custom import (
    BashExecution,
    BranchSummary,
    CompactionSummary,
    CustomContent,
    custom_message,
    custom_value,
    register_message,
)
from streamkit.custom.registry import Told
from streamkit.errors import ConfigError, HistoryWarning
from streamkit.interop.agentcore.contents import contents_of, parts_of
from streamkit.interop.agentcore.messages import (
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    CustomWrapper,
)
from streamkit.messages import Message

__all__ = ["from_custom", "to_custom"]

# Theirs and ours, whose fields have the same names.
_OURS: dict[type[Struct], type[Struct]] = {
    BashExecutionMessage: BashExecution,
    CompactionSummaryMessage: CompactionSummary,
    BranchSummaryMessage: BranchSummary,
    CustomMessage: CustomContent,
}
_THEIRS = {ours: theirs for theirs, ours in _OURS.items()}


def to_custom(message: Any) -> Message:
    """Return a message of an application; raises `ConfigError` for a type that is not registered."""
    if not isinstance(message, Struct):
        raise ConfigError(f"a message is a msgspec.Struct that is registered, not a {type(message).__name__}")
    kind = _OURS.get(type(message))
    if kind is None:
        return custom_message(message)
    fields = {name: getattr(message, name) for name in message.__struct_fields__ if name != "role"}
    fields["timestamp"] = fields["timestamp"] or None
    if isinstance(fields.get("content"), list):
        fields["content"] = parts_of(fields["content"])
    return custom_message(kind(**fields))


def from_custom(message: Message) -> Any:
    """Return a custom message in AgentCore's form, None with a warning where nobody registered its kind."""
    value = custom_value(message)
    if value is None:
        name = message.meta.custom if message.meta else None
        warnings.warn(f"nobody registered the kind of message {name!r}: it is left out", HistoryWarning, stacklevel=2)
        return None
    kind = _THEIRS.get(type(value))
    if kind is None:
        return value
    fields = {name: getattr(value, name) for name in value.__struct_fields__}
    fields["timestamp"] = fields["timestamp"] or 0
    if isinstance(fields.get("content"), list):
        fields["content"] = contents_of(fields["content"])
    return kind(**fields)


def _not_seen(wrapper: CustomWrapper) -> Told:
    return None


register_message(CustomWrapper, _not_seen)
