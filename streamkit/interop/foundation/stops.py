"""Why a model stopped, in foundation's words and in ours."""

from __future__ import annotations

from streamkit.interop.foundation.content import RefusalReason, StopReason
from streamkit.interop.foundation.messages import Assistant
from streamkit.messages import Finish, FinishReason

__all__ = ["error_of", "finish_of", "stop_of"]

_STOPS: dict[str, StopReason] = {"tool_call": "tool_use"}
_FINISHES: dict[StopReason, Finish] = {
    "stop": "stop",
    "length": "length",
    "tool_use": "tool_call",
    "error": "error",
    "aborted": "aborted",
}


def stop_of(finish: FinishReason | None) -> StopReason:
    """Return why the model stopped, in foundation's words; a provider's own word where there is none."""
    if finish is None:
        return "aborted"
    if finish.type == "other":
        return finish.raw or "other"
    return _STOPS.get(finish.type, finish.type)


def error_of(finish: FinishReason | None) -> str | None:
    """Return what went wrong, None for an answer that did not fail."""
    if finish is None or finish.type != "error":
        return None
    return finish.reason or finish.raw or "error"


def finish_of(message: Assistant) -> FinishReason:
    """Return why the model stopped, in our words."""
    stop = message.stop_reason
    reason = next((one.reason for one in message.metadata or () if isinstance(one, RefusalReason)), None)
    if reason is not None or stop == "refusal":
        return FinishReason("refusal", stop, reason or None)
    if stop in _FINISHES:
        return FinishReason(_FINISHES[stop], stop, message.error_detail)
    return FinishReason("other", stop, message.error_detail)
