"""The calls of one Gemini answer: whole in one part, or streamed as values at paths."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from streamkit.deltas import Delta
from streamkit.errors import ProtocolError
from streamkit.limits import Limits
from streamkit.protocols.gemini.partial_args import PartialArg, PartialArguments
from streamkit.protocols.values import value_text
from streamkit.protocols.writer import BlockWriter

__all__ = ["MINTED", "CallReader", "FunctionCallView"]

# In the `extra` of a call: its id was made here, so a server that gave none gets none back.
MINTED = "minted_id"


class FunctionCallView(Struct, rename="camel"):
    """The `functionCall` of a part. One without a name goes on with a call that is streamed."""

    name: str | None = None
    id: str | None = None
    args: Any = None  # an object; the text of one from gateways that take it from another dialect
    partial_args: list[PartialArg] | None = None
    will_continue: bool | None = None


class CallReader:
    """Function calls → deltas. Without an index on the wire, one call at a time is streamed."""

    def __init__(self, writer: BlockWriter, limits: Limits) -> None:
        self.any = False  # whether there was a call
        self._writer = writer
        self._limit = limits.max_argument_bytes
        self._open: _Streamed | None = None

    def read(self, call: FunctionCallView, signature: str | None, out: list[Delta]) -> None:
        """Append what a part adds; raises `ProtocolError` where it belongs to no call or is too long."""
        if call.name:
            self._begin(call, signature, out)
            return
        streamed = self._open
        if streamed is None:
            if call.args or call.partial_args:
                raise ProtocolError("arguments came for a call that has no name")
            return
        streamed.signature = signature or streamed.signature
        if call.args:
            self._writer.replace(out, streamed.index, value_text(call.args))
            self._end(streamed, out)
        else:
            self._go_on(streamed, call, out)

    def close(self, out: list[Delta]) -> None:
        """End the call that is still open, which was cut short: its text stays half an object, so it is not run."""
        streamed = self._open
        if streamed is not None:
            if not streamed.arguments.started:
                self._writer.arguments(out, streamed.index, "{")
            self._end(streamed, out)

    def _begin(self, call: FunctionCallView, signature: str | None, out: list[Delta]) -> None:
        if self._open is not None:
            self._complete(self._open, out)
        self.any = True
        index = self._writer.open_call(out, call.id, call.name or "")
        streamed = _Streamed(index, PartialArguments(), signature, None if call.id else {MINTED: True})
        if not call.args and (call.partial_args or call.will_continue):
            self._open = streamed
            self._go_on(streamed, call, out)
            return
        if call.args is not None:
            self._writer.arguments(out, index, value_text(call.args))
        self._end(streamed, out)

    def _go_on(self, streamed: _Streamed, call: FunctionCallView, out: list[Delta]) -> None:
        for arg in call.partial_args or ():
            self._writer.arguments(out, streamed.index, streamed.arguments.add(arg))
            if streamed.arguments.size > self._limit:
                raise ProtocolError(f"the arguments of a call are longer than max_argument_bytes ({self._limit})")
        if not call.will_continue:
            self._complete(streamed, out)

    def _complete(self, streamed: _Streamed, out: list[Delta]) -> None:
        text, anew = streamed.arguments.finish()
        if anew:
            self._writer.replace(out, streamed.index, text)
        else:
            self._writer.arguments(out, streamed.index, text)
        self._end(streamed, out)

    def _end(self, streamed: _Streamed, out: list[Delta]) -> None:
        self._open = None
        self._writer.end_call(out, streamed.index, signature=streamed.signature, extra=streamed.extra)


class _Streamed(Struct):
    """A call that has begun."""

    index: int
    arguments: PartialArguments
    signature: str | None
    extra: dict[str, Any] | None
