"""The status of a response → why it ended.

There is no finish reason on the wire: it follows from the status, from the reason of an incomplete one, and from what
the answer holds. https://platform.openai.com/docs/api-reference/responses/object, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.messages import Finish, FinishReason
from streamkit.protocols.lenient import rejoin

__all__ = ["UNFINISHED", "incomplete_reason", "read_finish"]

# The statuses of a response that goes on.
UNFINISHED = frozenset({"queued", "in_progress"})

_INCOMPLETE: dict[str, Finish] = {
    "max_output_tokens": "length",
    "max_tokens": "length",  # servers that name it as the other dialects do
    "content_filter": "refusal",
}


def read_finish(status: str | None, reason: str | None = None, *, calls: bool, refused: bool) -> FinishReason:
    """Return why the response with this status ended; None where no status ever came.

    `reason` is why it is incomplete; `calls` and `refused` say whether there is a call and the text of a refusal.
    """
    kind: Finish = "other"
    if status in ("completed", None):
        kind = "tool_call" if calls else "refusal" if refused else "stop"
    elif status == "incomplete":
        kind = _INCOMPLETE.get(reason or "", "other")
    elif status in ("cancelled", "canceled"):
        kind = "aborted"
    return FinishReason(kind, status, reason, synthesized=status is None)


def incomplete_reason(response: dict[str, Any]) -> str | None:
    """Return why `response` is incomplete, None where it does not say."""
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    return rejoin(reason) if isinstance(reason, str) and reason else None
