"""Steps that go out whole, at their end: calls of tools that Google runs, their results, and what is not known.

By the types of `google-genai` 3.6.1, checked 2026-11-30: the deltas of such a step have the step's own type and bring
the fields that its start left out.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from streamkit.errors import ProtocolError
from streamkit.parts import Part, RawPart, ServerToolPart
from streamkit.protocols.lenient import decode_value, rejoin
from streamkit.protocols.openai_responses.views import text

__all__ = ["CollectedStep", "read_step"]

# The ends of the types of steps of tools, and which half of an exchange each is.
_PHASES: tuple[tuple[str, Literal["call", "result"]], ...] = (("_call", "call"), ("_result", "result"))

# The fields that may come in several deltas.
_GROWING = {"result"}


class CollectedStep:
    """A step that goes out whole, with what its deltas said."""

    def __init__(self, step: dict[str, Any], limit: int) -> None:
        self._step = step
        self._kind = text(step, "type")
        self._limit = limit
        self._size = 0
        self._arguments: list[str] = []
        self._grown: set[str] = set()  # the fields that deltas have given

    def take(self, delta: dict[str, Any]) -> bool:
        """Take in a delta; False where it is of a type that such a step has not.

        A list or a text that comes in several deltas is all of them, one after the other.
        """
        kind = text(delta, "type")
        if kind == "arguments_delta":
            piece = text(delta, "arguments")
            self._size += len(piece.encode("utf-8", "surrogatepass"))
            if self._size > self._limit:
                raise ProtocolError(
                    f"the arguments of a {self._kind} are longer than max_argument_bytes ({self._limit}); "
                    "set Limits.max_argument_bytes if they must be"
                )
            self._arguments.append(piece)
            return True
        if kind != self._kind:
            return False
        for name, value in delta.items():
            if value is None or name == "type":
                continue
            self._step[name] = _joined(self._step.get(name), value) if name in self._grown else value
            self._grown |= {name} & _GROWING
        return True

    def finished(self) -> dict[str, Any]:
        """Return the step as it would have come without streaming."""
        if self._arguments:
            self._step["arguments"] = _value(rejoin("".join(self._arguments)))
        return self._step


def read_step(step: dict[str, Any], names: dict[str, str]) -> Part:
    """Return a whole step as a part: of a server's tool, or as it came.

    `names` are those of the calls so far, by id, to which that of a call is added.
    """
    kind = text(step, "type")
    for end, phase in _PHASES:
        if kind.endswith(end):
            id = text(step, "id" if phase == "call" else "call_id")
            name = text(step, "name") or names.get(id) or kind.removesuffix(end)
            names[id] = name
            return ServerToolPart(phase, id, name, step)
    return RawPart(step)


def _joined(before: Any, more: Any) -> Any:
    if isinstance(before, str) and isinstance(more, str):
        return before + more
    return [*before, *more] if isinstance(before, list) and isinstance(more, list) else more


def _value(arguments: str) -> Any:
    """The arguments of a call; the text itself where it was cut short."""
    try:
        return decode_value(arguments)
    except (msgspec.DecodeError, RecursionError):
        return arguments
