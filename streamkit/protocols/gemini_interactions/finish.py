"""The status of an interaction → why it ended.

There is no finish reason on the wire: it follows from the status and from what the answer holds. The words are those of
`google-genai` 3.6.1, checked 2026-11-30; an answer that `max_output_tokens` cut short is `incomplete`.
"""

from __future__ import annotations

from streamkit.messages import Finish, FinishReason

__all__ = ["FAILED", "is_end", "read_finish"]

# The status of an interaction that ends with an error.
FAILED = "failed"

# The statuses of an interaction that goes on.
_UNFINISHED = frozenset({"queued", "in_progress"})

_TYPES: dict[str, Finish] = {
    "completed": "stop",
    "complete": "stop",  # the end of the older events, where that has no status
    "requires_action": "tool_call",
    "incomplete": "length",
    "budget_exceeded": "length",
    "requires_continuation": "length",  # at the limit of one request: a continuation token goes on with it
    "cancelled": "aborted",
}


def is_end(status: str | None) -> bool:
    """Say whether an interaction with this status has ended; it has not where there is none."""
    return bool(status) and status not in _UNFINISHED


def read_finish(status: str | None, *, calls: bool, reason: str | None = None) -> FinishReason:
    """Return why the interaction with this status ended; None where no status ever came.

    `calls` says whether there is a call, `reason` what was said of why the model stopped.
    """
    kind = _TYPES.get(status, "other") if status else "stop"
    if kind == "stop" and calls:
        kind = "tool_call"
    return FinishReason(kind, status, reason, synthesized=status is None)
