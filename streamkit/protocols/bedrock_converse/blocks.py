"""The blocks of an answer while they are open.

Only calls, results and images say that they begin; text and thinking begin with their first delta. Text, thinking and
calls go out piece by piece; what the provider runs itself, and images, go out whole at their stop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from streamkit.deltas import Delta
from streamkit.errors import ProtocolError
from streamkit.limits import Limits
from streamkit.protocols.bedrock_converse.collected import Collected
from streamkit.protocols.bedrock_converse.views import NO_INDEX
from streamkit.protocols.lenient import rejoin
from streamkit.protocols.openai_chat.media import read_base64
from streamkit.protocols.values import base64_text, compact_json, scrub
from streamkit.protocols.writer import BlockWriter, Kind

__all__ = ["Blocks"]

_SERVER_CALL = "server_tool_use"
# Kinds of blocks that go out whole.
_WHOLE = ("toolResult", "image")


class Blocks:
    """The open blocks by their number on the wire.

    Every method appends to `out`. What is of a known kind and a broken shape raises `msgspec.ValidationError`.
    """

    def __init__(self, *, mint: Callable[[], str], limits: Limits) -> None:
        self.writer = BlockWriter(0, mint=mint, limits=limits, seal=self._seal)
        self.key = NO_INDEX  # of the open block of text or thinking
        self.calls: dict[int, int] = {}  # the block of each call that is open
        self.has_calls = False
        self._collected: dict[int, Collected] = {}
        self._names: dict[str, str] = {}  # of the calls that the provider runs, by id
        self._limits = limits
        self._signature: list[str] = []
        self._redacted: list[str] = []

    @property
    def is_redacted(self) -> bool:
        """Whether the open block is one that only the provider can read."""
        return bool(self._redacted)

    def start(self, key: int, start: dict[str, Any], out: list[Delta]) -> bool:
        """Open block `key`; False where it is of an unknown kind."""
        self.stop(key, out)
        if "toolUse" in start:
            call = _object(start, "toolUse")
            if call.get("type") == _SERVER_CALL:
                self._collected[key] = Collected("toolUse", call, self._limits, self._names)
            else:
                self._start_call(key, call, out)
            return True
        for kind in _WHOLE:
            if kind in start:
                self._collected[key] = Collected(kind, _object(start, kind), self._limits, self._names)
                return True
        return not start

    def delta(self, key: int, delta: dict[str, Any], out: list[Delta]) -> bool:
        """Take in a delta of block `key`; text, thinking, results and images open it. False for an unknown kind."""
        known = False
        if "text" in delta:
            known = True
            self.text(key, "text", _string(delta, "text"), out)
        if delta.get("reasoningContent") is not None:
            known |= self._reasoning(key, _object(delta, "reasoningContent"), out)
        if delta.get("toolUse") is not None:
            known = True
            self._arguments(key, _object(delta, "toolUse").get("input"), out)
        if delta.get("citation") is not None:
            known = True
            self._open(key, "text", out)
            self.writer.cite(out, scrub(delta["citation"]))
        for kind in _WHOLE:
            if delta.get(kind) is not None:
                known = True
                self._collect(key, kind, delta[kind], out)
        return known

    def text(self, key: int, kind: Kind, piece: str, out: list[Delta]) -> None:
        """Add to the text or thinking of block `key`."""
        if piece:
            if self.key != key or self.writer.kind != kind:
                self._open(key, kind, out)
            self.writer.write(out, kind, piece)

    def stop(self, key: int, out: list[Delta]) -> None:
        """Close block `key` if it is open."""
        if key in self.calls:
            self.writer.end_call(out, self.calls.pop(key))
        elif key in self._collected:
            self.writer.add(out, self._collected.pop(key).part())
        elif key == self.key:
            self._close_open(out)

    def stop_all(self, out: list[Delta]) -> None:
        """Close what is open, in the order of the indices."""
        self.writer.close(out)
        self.calls.clear()
        for key in list(self._collected):
            self.stop(key, out)

    def release(self, out: list[Delta]) -> None:
        """Append what is held back, where the stream breaks off and no block will be closed."""
        self.writer.release(out)

    def _start_call(self, key: int, call: dict[str, Any], out: list[Delta]) -> None:
        name, id = _string(call, "name"), _string(call, "toolUseId")
        self._close_open(out)
        self.calls[key] = self.writer.open_call(out, id, rejoin(name))
        self.has_calls = True
        if given := call.get("input"):  # in an answer that was not streamed
            self._arguments(key, given, out)

    def _arguments(self, key: int, given: Any, out: list[Delta]) -> None:
        piece = "" if given is None else given if isinstance(given, str) else compact_json(given)
        if key in self.calls:
            self.writer.arguments(out, self.calls[key], piece)
        elif key in self._collected:
            self._collected[key].take("toolUse", piece)
        elif piece:
            raise ProtocolError(f"arguments came for block {key}, which is no call that has begun")

    def _reasoning(self, key: int, given: dict[str, Any], out: list[Delta]) -> bool:
        known = False
        if "text" in given:
            known = True
            if self._redacted:
                self._close_open(out)
            self.text(key, "thinking", _string(given, "text"), out)
        if "signature" in given:
            known = True
            if signature := _string(given, "signature"):
                self._open(key, "thinking", out)
                self._signature.append(signature)
        if "redactedContent" in given:
            known = True
            if not self._redacted:
                self._close_open(out)
            self._open(key, "thinking", out)
            self._redacted.append(_string(given, "redactedContent"))
        return known

    def _collect(self, key: int, kind: str, piece: Any, out: list[Delta]) -> None:
        if key not in self._collected:
            self.stop(key, out)
            self._collected[key] = Collected(kind, {}, self._limits, self._names)
        self._collected[key].take(kind, piece)

    def _open(self, key: int, kind: Kind, out: list[Delta]) -> None:
        if self.key != key:
            self._close_open(out)
        if self.writer.kind != kind:
            self.writer.open(out, kind)
        self.key = key

    def _close_open(self, out: list[Delta]) -> None:
        self.writer.close_open(out)
        self.key = NO_INDEX

    def _seal(self) -> tuple[str | None, dict[str, Any] | None]:
        signature, pieces = rejoin("".join(self._signature)), self._redacted
        self._signature, self._redacted = [], []
        if not pieces:
            return signature or None, None
        return None, {"opaque": {"reasoningContent": {"redactedContent": _joined(pieces)}}}


def _joined(pieces: list[str]) -> str:
    """One base64 of bytes that came in several."""
    if len(pieces) == 1:
        return rejoin(pieces[0])
    return base64_text(b"".join(read_base64(piece) for piece in pieces))


def _object(value: dict[str, Any], field: str) -> dict[str, Any]:
    found = value.get(field)
    if not isinstance(found, dict):
        raise msgspec.ValidationError(f"`{field}` is not an object")
    return found


def _string(value: dict[str, Any], field: str) -> str:
    """The text at `field`; null is none."""
    found = value.get(field)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise msgspec.ValidationError(f"`{field}` is not a text")
    return found
