"""The parser that dialects of named events share: nearly all frames are pieces, and the others go by their names."""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.deltas import Delta
from streamkit.errors import ProtocolError
from streamkit.protocols.base import Parser
from streamkit.protocols.failures import read_failure
from streamkit.protocols.lenient import decode_lenient, decode_value, too_deep
from streamkit.wire import Frame

__all__ = ["EventParser"]


class EventParser(Parser):
    """A `Parser` whose `_read` takes the commonest frames itself and gives every other to `_read_slowly`.

    A dialect subclasses it with `_take_record`, for one record; `_done`, for the `[DONE]` of servers that speak another
    dialect too; and `_cleaned`, for a value that only the lenient decoder takes.
    """

    def _take_record(self, value: Any, frame: Frame, out: list[Delta]) -> None:
        """Append the deltas of one record, whatever it is."""
        raise NotImplementedError

    def _done(self, out: list[Delta]) -> None:
        """End the answer, if one began: no event says so."""
        raise NotImplementedError

    def _cleaned(self, value: Any) -> Any:
        """Return `value` with its lone surrogates replaced, but for those that the next piece may complete."""
        raise NotImplementedError

    def _read_slowly(self, frame: Frame, out: list[Delta]) -> None:
        """Read any frame but the commonest deltas."""
        try:
            try:
                value = decode_value(frame.data)
            except (msgspec.DecodeError, RecursionError):
                self._read_broken(frame, out)
            else:
                self._dispatch(value, frame, out)
        except RecursionError:  # from what walks a value that is kept as it came
            raise too_deep(frame.data) from None

    def _read_broken(self, frame: Frame, out: list[Delta]) -> None:
        """Read a frame that is no strict JSON."""
        if frame.data.strip().startswith(b"[DONE]"):
            self._done(out)
            return
        try:
            value = decode_lenient(frame.data, object)
        except ProtocolError:
            if frame.event == "error":
                raise read_failure(frame.data, provider=self.provider) from None
            lines = [line for line in frame.data.split(b"\n") if line.strip()]
            if len(lines) < 2 or not all(line.lstrip().startswith((b"{", b"[DONE]")) for line in lines):
                raise
            self._read([Frame(line, frame.event) for line in lines], out)  # records without blank lines between
            return
        self._dispatch(self._cleaned(value), frame, out)

    def _dispatch(self, value: Any, frame: Frame, out: list[Delta]) -> None:
        for record in value if isinstance(value, list) else [value]:  # a body may be the list of its records
            if not self.ended:
                self._take_record(record, frame, out)
