"""Which call each fragment of `tool_calls` belongs to.

A fragment names its call by `index` and, the first time, by `id`. Servers leave out or repeat either, number from 1,
use one index for all, change the id, resend what was complete, or send a placeholder first; the rules here read all of
that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from streamkit.deltas import Delta
from streamkit.partial_json import PartialJSON
from streamkit.protocols.cumulative import split_unsure
from streamkit.protocols.lenient import rejoin
from streamkit.protocols.openai_chat.indices import read_index
from streamkit.protocols.openai_chat.views import Function, ToolFragment
from streamkit.protocols.values import compact_json, scrub
from streamkit.protocols.writer import BlockWriter

__all__ = ["CallReader"]

_LEGACY = "function_call"  # the place of the one call that has no index
_PLACEHOLDER = "{}"  # Databricks and others begin a call with it, then send the arguments in pieces

_decode = msgspec.json.Decoder().decode


class CallReader:
    """Fragments of the calls of one choice → calls.

    A call is announced with its first arguments, since until then its name may still grow, or when something else
    comes or the response ends (`settle`). Calls end with the response.
    """

    def __init__(self, writer: BlockWriter, *, cumulative: bool = False) -> None:
        """`cumulative` says that a fragment holds all arguments so far."""
        self._writer = writer
        self._cumulative = cumulative
        self._by_place: dict[int | str, _Call] = {}
        self._by_id: dict[str, _Call] = {}
        self._calls: list[_Call] = []
        self._current: _Call | None = None
        self._waiting: _Call | None = None  # not announced yet
        self._before = 0  # how many calls had begun before this chunk

    def __bool__(self) -> bool:
        """Whether there is any call."""
        return bool(self._calls)

    def read(self, fragments: Iterable[ToolFragment | None], out: list[Delta]) -> None:
        """Take in the fragments of one chunk."""
        self._before = len(self._calls)
        for fragment in fragments:
            if fragment is not None:
                self._read_fragment(fragment, out)

    def _read_fragment(self, fragment: ToolFragment, out: list[Delta]) -> None:
        function = fragment.function
        if fragment.id is None and function is not None and function.name is None and fragment.extra_content is None:
            call = self._by_place.get(fragment.index) if type(fragment.index) is int else None
            piece = function.arguments
            if (
                call is not None
                and type(piece) is str
                and 0 < call.size != len(piece)
                and piece[:1] != "{"
                and not self._cumulative
            ):
                self._current = call  # as nearly every fragment: more arguments, and nothing to decide
                call.take(piece)
                self._writer.arguments(out, call.block, piece)
                return
        custom = fragment.type == "custom" or (fragment.custom is not None and fragment.function is None)
        function = (fragment.custom if custom else function) or Function()
        self._read(read_index(fragment.index), _id(fragment.id), function, custom, out)
        if fragment.extra_content is not None and self._current is not None:
            self._current.extra = {"extra_content": scrub(fragment.extra_content)}

    def read_legacy(self, function: Function, out: list[Delta]) -> None:
        """Take in the legacy `function_call`; llama-cpp-python repeats in it what `tool_calls` says."""
        if not self._calls or _LEGACY in self._by_place:
            self._read(_LEGACY, "", function, False, out)

    def settle(self, out: list[Delta]) -> None:
        """Announce the call that waits for its arguments."""
        call, self._waiting = self._waiting, None
        if call is not None:
            call.block = self._writer.open_call(out, call.id, call.name, custom=call.custom)

    def end(self, out: list[Delta]) -> None:
        """Give out what was held back."""
        self.settle(out)
        for call in self._calls:
            if call.placeholder:
                call.placeholder = False
                self._writer.arguments(out, call.block, _PLACEHOLDER)
            if call.held:
                held, call.held = call.held, ""
                self._writer.arguments(out, call.block, held)
            if call.extra is not None:
                self._writer.mark_call(call.block, call.extra)
                call.extra = None

    def _read(self, place: int | str | None, id: str, function: Function, custom: bool, out: list[Delta]) -> None:
        name = _word(function.name)
        piece = _piece(function.input if custom else function.arguments)
        call = self._find(place, id, name, piece)
        if call is None:
            if not (id or name or piece):
                return
            self.settle(out)
            self._writer.close_open(out)
            call = self._waiting = _Call(custom)
            self._calls.append(call)
        self._current = call
        if place is not None:
            self._by_place[place] = call
            call.placed = True
        if id:
            call.id = call.id or id
            self._by_id[id] = call
        if name != call.name and (not call.name or call is self._waiting):
            call.name += name
        if piece:
            self._add(call, piece, out)

    def _find(self, place: int | str | None, id: str, name: str, piece: str) -> _Call | None:
        """Return the call that a fragment belongs to, None where it begins one."""
        if place is None:
            if id:
                return self._by_id.get(id)
            call = self._current
            if call is None or not (name and call.name):
                return call
            begun_here = len(self._calls) > self._before and call is self._calls[-1]
            return None if begun_here or call.is_over(name, piece) or name != call.name else call
        call = self._by_place.get(place)
        if call is None:
            if name or id:
                return None if name else self._by_id.get(id)
            return None if self._current is None or self._current.placed else self._current
        if id and call.id and id != call.id:
            return self._by_id.get(id) or (call if call.goes_on(name, piece) else None)
        begins = name and not (id and call.id) and call.is_over(name, piece)
        return None if begins else call

    def _add(self, call: _Call, piece: str, out: list[Delta]) -> None:
        """Add to the arguments of `call`, of which a placeholder and a repetition are no part."""
        if call is self._waiting:
            self.settle(out)
        if self._cumulative:
            before = call.text()
            shown, call.held = split_unsure(piece)
            call.replace(shown)
            if shown.startswith(before):
                self._writer.arguments(out, call.block, shown[len(before) :])
            else:
                self._writer.replace(out, call.block, shown)
            return
        if not call.custom:
            if not call.size and piece.strip() in ("", _PLACEHOLDER):
                call.placeholder = call.placeholder or bool(piece.strip())
                return
            if call.repeats(piece):
                return
        call.placeholder = False
        call.take(piece)
        self._writer.arguments(out, call.block, piece)


class _Call:
    """A call while it grows; `block` is its index once it is announced."""

    __slots__ = (
        "block",
        "changing",
        "custom",
        "extra",
        "held",
        "id",
        "name",
        "parsed",
        "parser",
        "pieces",
        "placed",
        "placeholder",
        "size",
    )

    def __init__(self, custom: bool) -> None:
        self.custom = custom
        self.id = ""  # as it came
        self.name = ""
        self.block = -1
        self.pieces: list[str] = []
        self.size = 0  # characters of arguments so far
        self.held = ""  # what may become another character by the next fragment
        self.placeholder = False
        self.placed = False  # an index was given
        self.extra: dict[str, Any] | None = None  # for the provider to get back
        self.changing = False  # its server gives each fragment another id
        self.parser: PartialJSON | None = None  # sees the arguments when it is asked whether they are whole
        self.parsed = 0  # how many of the pieces it has seen

    def take(self, piece: str) -> None:
        """Add a piece of the arguments."""
        self.pieces.append(piece)
        self.size += len(piece)

    def replace(self, text: str) -> None:
        """Let `text` be the arguments so far."""
        self.pieces, self.size = [text], len(text)
        self.parser, self.parsed = None, 0

    def text(self) -> str:
        """The arguments so far."""
        if len(self.pieces) != 1:
            if self.parsed:
                self._parse()
                self.parsed = 1
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0]

    def goes_on(self, name: str, piece: str) -> bool:
        """Whether a fragment with another id in the same place is a piece of this call all the same.

        It is where it names no tool; and old vLLM gives each fragment a new id and the name, which shows where what
        came is no whole object and the piece does not begin one.
        """
        if not name:
            return True
        if name != self.name or not self.size or self._is_whole():
            return False
        self.changing = self.changing or (piece != "" and not piece.lstrip().startswith("{"))
        return self.changing

    def is_over(self, name: str, piece: str) -> bool:
        """Whether a fragment in the same place with no id to tell begins another call."""
        if not self.size:
            return False
        return name != self.name or (piece.lstrip().startswith("{") and self._is_whole() and not self.repeats(piece))

    def repeats(self, piece: str) -> bool:
        """Whether `piece` is the object that came, sent once more, perhaps with other white space.

        Nothing can follow a whole object, so no continuation looks so; one that is half as long is none.
        """
        if 2 * len(piece) < self.size or not (piece.lstrip().startswith("{") and piece.rstrip().endswith("}")):
            return False
        return piece == self.text() or (self._is_whole() and _value(piece) == _value(self.text()))

    def _is_whole(self) -> bool:
        last = self.pieces[-1].rstrip()
        if last and not last.endswith("}"):
            return False
        parser = self._parse()
        return parser.complete and parser.error is None

    def _parse(self) -> PartialJSON:
        """Let the parser see what is new, so that asking often costs no more than the text is long."""
        if self.parser is None:
            self.parser = PartialJSON()
        for piece in self.pieces[self.parsed :]:
            self.parser.feed(piece)
        self.parsed = len(self.pieces)
        return self.parser


def _value(text: str) -> Any:
    """The value of a JSON text, None where it is none."""
    try:
        return _decode(text)
    except (ValueError, RecursionError):
        return None


def _id(value: Any) -> str:
    word = _word(value)
    return "" if word == "null" else word  # Mistral, for no id


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value if value.isascii() else rejoin(value)
    return str(value) if isinstance(value, int) else ""


def _piece(arguments: Any) -> str:
    """Arguments as text; some servers send the object itself."""
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return compact_json(arguments)
