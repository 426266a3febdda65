"""Arguments of a call that come as values at paths → JSON text that grows.

Vertex AI streams them so on request (`streamFunctionCallArguments`): `{"jsonPath": "$.a.b[0]", "stringValue": "x",
"willContinue": true}`; https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling, checked
2026-11-29. Models write JSON from front to back, so each value can be given out as the next piece of the text. Where
one comes out of order, the text waits for the end and is then written anew.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, Struct, UnsetType

from streamkit.errors import ProtocolError
from streamkit.protocols.lenient import rejoin, split_surrogate
from streamkit.protocols.values import compact_json

__all__ = ["PartialArg", "PartialArguments"]

_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_ESCAPED = re.compile(r"\\(.)")
MAX_DEPTH = 200  # of a path; deeper JSON could not be read again

Step: TypeAlias = "str | int"


class PartialArg(Struct, rename="camel"):
    """One value, or a piece of a string. A null may come as null or as the word for it."""

    json_path: str = "$"
    string_value: str | UnsetType = UNSET
    number_value: int | float | UnsetType = UNSET
    bool_value: bool | UnsetType = UNSET
    null_value: Any = UNSET
    will_continue: bool | None = None


class _Text:
    """A string of the arguments while it grows."""

    __slots__ = ("half", "open", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.half = ""  # of a surrogate pair, until the other comes
        self.open = True

    def add(self, piece: str, more: bool) -> str:
        """Return what of the text can be given out."""
        text, self.half = split_surrogate(self.half + piece)
        text = rejoin(text)
        self.open = more
        if not more:
            text, self.half = text + rejoin(self.half), ""
        self.pieces.append(text)
        return text

    def whole(self) -> str:
        return "".join(self.pieces)


class PartialArguments:
    """The arguments of one call.

    `add` returns the next piece of the JSON text; `finish`, at the call's end, what completes it, or all of it anew
    where a value came out of order. `started` says whether there is any text, `size` how many characters the values
    have.
    """

    def __init__(self) -> None:
        self.size = 0
        self._root: dict[Step, Any] = {}
        self._path: list[Step] = []  # of the containers that are open in the text, below the root
        self._sizes: list[int] = [0]  # how many items each of them has, the root first
        self._string: _Text | None = None  # the one that is open in the text
        self._ordered = True
        self.started = False

    def add(self, arg: PartialArg) -> str:
        """Take in a value; raises `ProtocolError` for a path that cannot be followed."""
        steps = _steps(arg.json_path)
        value = _value(arg)
        if isinstance(value, str):
            return self._add_text(steps, value, arg.will_continue is True)
        return "" if value is UNSET else self._add_value(steps, value, compact_json(value))

    def finish(self) -> tuple[str, bool]:
        """Return the text that is still due, and whether it stands in place of all that went before."""
        if not self._ordered:
            return compact_json(_plain(self._root)), True
        return self._close_string() + ("" if self.started else "{") + self._close_to(0) + "}", False

    def _add_text(self, steps: list[Step], piece: str, more: bool) -> str:
        known = self._find(steps)
        self.size += len(piece)
        if isinstance(known, _Text) and known.open:
            text = known.add(piece, more)
            if self._string is not known:  # the text has gone on to other values
                self._ordered = self._ordered and not (text or known.half)
            if not self._ordered or self._string is not known:
                return ""
            if not more:
                self._string = None
            return _escape(text) + ("" if more else '"')
        fresh = _Text()
        text = fresh.add(piece, more)
        out = self._add_value(steps, fresh, '"' + _escape(text) + ("" if more else '"'))
        if more and self._ordered:
            self._string = fresh
        return out

    def _add_value(self, steps: list[Step], value: Any, text: str) -> str:
        self.size += len(text) + len(_key(steps[-1]))
        ordered = self._ordered and self._is_next(steps)
        self._ordered = ordered
        self._put(steps, value)
        if not ordered:
            return ""
        shared = self._shared(steps)
        out = self._close_string() + ("" if self.started else "{") + self._close_to(shared)
        self.started = True
        for at in range(shared, len(steps)):
            out += ("," if self._sizes[-1] else "") + _key(steps[at])
            self._sizes[-1] += 1
            if at < len(steps) - 1:
                out += "[" if isinstance(steps[at + 1], int) else "{"
                self._path.append(steps[at])
                self._sizes.append(0)
        return out + text

    def _is_next(self, steps: list[Step]) -> bool:
        """Whether a value at `steps` belongs at the end of the text."""
        if self._string is not None and self._string.half:
            return False
        shared = self._shared(steps)
        if shared == len(steps):
            return False
        parent = self._find(steps[:shared])
        step = steps[shared]
        if not isinstance(parent, dict) or step in parent:
            return False
        if parent and isinstance(next(iter(parent)), int) != isinstance(step, int):
            return False
        if isinstance(step, int) and step != self._sizes[shared]:
            return False
        return all(not isinstance(later, int) or later == 0 for later in steps[shared + 1 :])

    def _shared(self, steps: list[Step]) -> int:
        """How many of the open containers `steps` leads through; its last step is the value's own."""
        at = 0
        while at < min(len(self._path), len(steps) - 1) and self._path[at] == steps[at]:
            at += 1
        return at

    def _close_string(self) -> str:
        if self._string is None:
            return ""
        rest, self._string = rejoin(self._string.half), None
        return _escape(rest) + '"'

    def _close_to(self, depth: int) -> str:
        out = ""
        while len(self._path) > depth:
            node = self._find(self._path)
            out += "]" if _is_list(node) else "}"
            self._path.pop()
            self._sizes.pop()
        return out

    def _find(self, steps: list[Step]) -> Any:
        node: Any = self._root
        for step in steps:
            if not isinstance(node, dict) or step not in node:
                return None
            node = node[step]
        return node

    def _put(self, steps: list[Step], value: Any) -> None:
        node = self._root
        for step in steps[:-1]:
            inner = node.get(step)
            if not isinstance(inner, dict):
                inner = node[step] = {}
            node = inner
        node[steps[-1]] = value


def _steps(path: str) -> list[Step]:
    steps: list[Step] = []
    at = 1
    while path.startswith("$") and (found := _STEP.match(path, at)):
        name, number, single, double = found.groups()
        quoted = single if single is not None else double
        steps.append(int(number) if number else rejoin(name or _ESCAPED.sub(r"\1", quoted)))
        at = found.end()
    if at != len(path) or not steps or isinstance(steps[0], int) or len(steps) > MAX_DEPTH:
        raise ProtocolError(f"the path of an argument cannot be followed: {path[:200]!r}")
    return steps


def _value(arg: PartialArg) -> Any:
    """The value, `UNSET` where there is none: then only `willContinue` was said, of a string."""
    for value in (arg.string_value, arg.number_value, arg.bool_value):
        if value is not UNSET:
            return value
    if arg.null_value is not UNSET:
        return None
    return "" if arg.will_continue is not None else UNSET


def _is_list(node: Any) -> bool:
    return isinstance(node, dict) and bool(node) and all(isinstance(step, int) for step in node)


def _plain(node: Any) -> Any:
    if isinstance(node, _Text):
        return node.whole() + rejoin(node.half)
    if not isinstance(node, dict):
        return node
    if _is_list(node):
        return [_plain(node[step]) for step in sorted(node)]
    return {str(step): _plain(value) for step, value in node.items()}


def _key(step: Step) -> str:
    return "" if isinstance(step, int) else compact_json(step) + ":"


def _escape(text: str) -> str:
    return msgspec.json.encode(text).decode()[1:-1]
