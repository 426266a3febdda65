"""What a user sees of one body, as plain facts that a row of a table can hold."""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.deltas import UnknownFrame
from streamkit.messages import MessageOutput
from streamkit.protocols import get_protocol
from streamkit.testing.chunking import CHUNKINGS
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces

__all__ = ["read", "told"]


def read(body: bytes, protocol: str, **options: Any) -> Outcome:
    """Read the body whole, a byte and a line at a time, which must come to the same.

    Heartbeats are left out: of those after the end only what came in the same read is seen.
    """
    outcomes = [
        read_pieces(cut(body), get_protocol(protocol).parser(mint=numbered_ids(), **options))
        for cut in CHUNKINGS.values()
    ]
    whole, *others = (msgspec.structs.replace(outcome, heartbeats=0) for outcome in outcomes)
    assert all(other == whole for other in others)
    return whole


def told(outcome: Outcome) -> dict[str, Any]:
    """The message, its end and the error, without what is absent; of further choices, the same under `others`."""
    first, *others = outcome.outputs
    unknown = [delta.raw for delta in outcome.deltas if isinstance(delta, UnknownFrame)]
    error = outcome.error and outcome.error["kind"]
    return _present(_facts(first, error) | {"unknown": unknown, "error": error}) | (
        {"others": [_present(_facts(other, error)) for other in others]} if others else {}
    )


def _facts(output: MessageOutput, error: str | None) -> dict[str, Any]:
    message, finish = output.message, output.finish_reason
    calls = [(call.function.name, call.function.arguments) for call in message.tool_calls or [] if not call.error]
    return {
        "text": message.text,
        "thinking": message.thinking,
        "calls": calls,
        "cut calls": [(call.function.name, call.raw_arguments) for call in message.tool_calls or [] if call.error],
        "parts": [type(part).__name__ for part in message.contents if type(part).__name__ != "TextPart"],
        "finish": (finish.type, finish.raw) if finish and not error else None,
        "usage": output.usage,
    }


def _present(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value}
