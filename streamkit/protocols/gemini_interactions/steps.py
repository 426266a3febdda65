"""The steps of an interaction while they are open.

The wire's `index` tells open steps apart. Text, thoughts and calls go out piece by piece, images and files as they
come, all else whole at its end. The events of before May 2026 number contents in place of steps: one that is no step is
read as a step of the model's output that holds it alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from streamkit.deltas import BlockAdded, Delta
from streamkit.protocols.gemini_interactions.call import CallStep
from streamkit.protocols.gemini_interactions.collected import CollectedStep, read_step
from streamkit.protocols.gemini_interactions.media import MEDIA
from streamkit.protocols.gemini_interactions.output import TEXTUAL, OutputStep
from streamkit.protocols.gemini_interactions.shelf import Shelf
from streamkit.protocols.gemini_interactions.thought import ThoughtStep
from streamkit.protocols.openai_responses.views import text

__all__ = ["Steps"]

_OUTPUT, _THOUGHT, _CALL = "model_output", "thought", "function_call"

# What the caller said, where the whole of an interaction is told: no part of the answer.
_INPUT = "user_input"

# The step that a delta opens whose step has no start. A call cannot be opened so: it has no name.
_OPENS = {
    **dict.fromkeys((*TEXTUAL, *MEDIA), _OUTPUT),
    "thought_summary": _THOUGHT,
    "thought_signature": _THOUGHT,
    _CALL: _CALL,
}
_KNOWN_DELTAS = {*_OPENS, "arguments_delta"}


class _Step(Protocol):
    def take(self, delta: dict[str, Any], out: list[Delta]) -> bool: ...

    def stop(self, out: list[Delta]) -> None: ...


class Steps:
    """The open steps of one answer, by their index on the wire. Each method appends the deltas that it makes.

    A step or a delta of a known type with a broken shape raises `msgspec.ValidationError`.
    """

    def __init__(self, max_argument_bytes: int, mint: Callable[[], str]) -> None:
        self.shelf = Shelf(max_argument_bytes, mint)
        self.has_calls = False
        self.error: dict[str, Any] | None = None  # of a step that failed, the last one
        self._steps: dict[int, _Step] = {}
        self._collected: dict[int, CollectedStep] = {}
        self._names: dict[str, str] = {}  # of the calls of server tools, by id

    @property
    def any(self) -> bool:
        """Whether anything has come."""
        return bool(self.shelf.count or self._steps or self._collected)

    def start(self, key: int, step: dict[str, Any], out: list[Delta]) -> None:
        """Open a step, or a content of the older events, as the wire's number `key`."""
        self.stop(key, out)
        kind = text(step, "type")
        if kind == _OUTPUT:
            if isinstance(step.get("error"), dict):
                self.error = step["error"]
            self._steps[key] = OutputStep(key, step, self.shelf, out)
        elif kind in TEXTUAL or kind in MEDIA:
            self._steps[key] = OutputStep(key, {"content": [step]}, self.shelf, out)
        elif kind == _THOUGHT:
            self._steps[key] = ThoughtStep(key, step, self.shelf, out)
        elif kind == _CALL:
            self.has_calls = True
            self._steps[key] = CallStep(key, step, self.shelf, out)
        else:
            self._collected[key] = CollectedStep(dict(step), self.shelf.limit)

    def delta(self, key: int, delta: dict[str, Any], out: list[Delta]) -> bool:
        """Take in a delta of step `key`; False where it is of an unknown type."""
        kind = text(delta, "type")
        collected = self._collected.get(key)
        if collected is not None:
            return collected.take(delta)
        step = self._steps.get(key)
        if step is None:
            if kind in _OPENS:
                self.start(key, {"type": _OPENS[kind]}, out)
            elif kind.endswith(("_call", "_result")):
                self.start(key, {"type": kind}, out)
                return self._collected[key].take(delta)
            step = self._steps.get(key)
        if step is not None and step.take(delta, out):
            return True
        if kind in _KNOWN_DELTAS:
            raise msgspec.ValidationError(f"{kind} for step {key}, which is not open or takes none")
        return False

    def stop(self, key: int, out: list[Delta]) -> None:
        """Close step `key` if it is open."""
        if step := self._steps.pop(key, None):
            step.stop(out)
        if collected := self._collected.pop(key, None):
            whole = collected.finished()
            if text(whole, "type") != _INPUT:
                out.append(BlockAdded(self.shelf.take_index(), read_step(whole, self._names)))

    def stop_all(self, out: list[Delta]) -> None:
        """Close what is open."""
        for key in sorted({*self._steps, *self._collected}):
            self.stop(key, out)

    def flush(self, out: list[Delta]) -> None:
        """Give out what was held back, leaving the blocks open."""
        for block in self.shelf.open.values():
            block.flush(out)
