"""What tests of runs share: pieces as the messages that they make, and what makes a history whole."""

from __future__ import annotations

from collections.abc import Iterable

from streamkit.accumulator import accumulate
from streamkit.deltas import Delta, MessageDeltaOutput
from streamkit.messages import Message, MessageOutput

__all__ = ["assert_answered", "fold", "fold_begun"]


def fold(pieces: Iterable[MessageDeltaOutput]) -> list[MessageOutput]:
    """The outputs that the pieces between two finish reasons make; nothing is left after the last."""
    found, begun = fold_begun(pieces)
    assert begun == []
    return found


def fold_begun(pieces: Iterable[MessageDeltaOutput]) -> tuple[list[MessageOutput], list[Delta]]:
    """The same, and the deltas of a message that was begun and did not end."""
    found: list[MessageOutput] = []
    deltas: list[Delta] = []
    for piece in pieces:
        deltas.append(piece.delta)
        if piece.finish_reason is not None:
            output = accumulate(deltas)
            assert (output.finish_reason, output.usage) == (piece.finish_reason, piece.usage)
            output.source_agent, output.depth = piece.source_agent, piece.depth
            found.append(output)
            deltas = []
    return found, deltas


def assert_answered(history: list[Message]) -> None:
    """Every call has its answer, and they stand right behind it."""
    at = 0
    while at < len(history):
        message = history[at]
        assert message.role != "tool", f"message {at} answers no call"
        calls = message.tool_calls or []
        answers = history[at + 1 : at + 1 + len(calls)]
        assert [(m.role, m.id) for m in answers] == [("tool", call.id) for call in calls]
        at += 1 + len(calls)
