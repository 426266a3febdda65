"""The parser that dialects of plain text share: one record a frame, and no calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, ClassVar, cast

import msgspec

from streamkit.deltas import Delta
from streamkit.errors import APIError, TruncatedStream
from streamkit.protocols.base import Parser, unknown
from streamkit.protocols.failures import read_failure
from streamkit.protocols.failures.shapes import find_failure
from streamkit.protocols.lenient import decode_lenient, too_deep
from streamkit.protocols.plain import PlainChoices
from streamkit.protocols.tagged import TaggedWriter
from streamkit.protocols.values import compact_json
from streamkit.protocols.whole_writer import WholeWriter
from streamkit.wire import Frame

__all__ = ["PlainParser"]

_DONE = b"[DONE]"


class PlainParser(Parser):
    """A `Parser` of responses that are text and nothing else.

    A dialect subclasses it with `view`, the type of its records, and `_take`; with `_count` where the usage is put
    together only when it is told. `ending` says, in errors, what a whole answer would have ended with; `writer` writes
    the blocks of a choice.
    """

    view: ClassVar[Any]
    ending: ClassVar[str]
    writer: ClassVar[type[TaggedWriter]] = WholeWriter

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._decode = _decoder(self.view)
        self._choices = PlainChoices(self.protocol, self.provider, self.quirks, self.limits, self.writer)

    def _take(self, record: Any, frame: Frame, out: list[Delta]) -> bool:
        """Append the deltas of a record; False where it has nothing of the dialect's."""
        raise NotImplementedError

    def _count(self) -> None:
        """Bring the usage of the choices up to date."""

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        decode = self._decode
        for frame in frames:
            if self.ended:
                return
            try:
                record = decode(frame.data)
            except (ValueError, RecursionError):
                self._read_odd(frame, out)
                continue
            self._read_record(record, frame, out)

    def _end(self, out: list[Delta]) -> None:
        choices = self._choices
        self._check_begun()
        if choices.unfinished and not self.quirks.end_without_finish:
            self._close(out, choices.reasons.keys())
            raise TruncatedStream(f"the stream ended in the middle of the answer: {self.ending}")
        self._close(out, choices.writers)

    def _flush(self, out: list[Delta]) -> None:
        self._count()
        self._choices.release(out)

    def _close(self, out: list[Delta], indices: Iterable[int]) -> None:
        self._count()
        self._choices.close(out, indices)

    def _finish(self, out: list[Delta]) -> None:
        """End the answer: the provider has said that it is whole."""
        self._check_begun()
        self._close(out, self._choices.writers)
        self.ended = True

    def _begin(self, index: int, out: list[Delta], *, id: str | None = None) -> WholeWriter:
        """Return the `WholeWriter` of a choice, whose message begins with the first call."""
        return cast("WholeWriter", self._choices.begin(index, out, id=id))

    def _check_begun(self) -> None:
        if not self._choices.writers:
            raise TruncatedStream("the stream is empty: it ended before an answer began")

    def _failure(self, body: Any) -> APIError:
        return read_failure(body, provider=self.provider)

    def _read_odd(self, frame: Frame, out: list[Delta]) -> None:
        """Read a frame that is no valid record: an end, one broken as real servers break it, or answers at once."""
        data = frame.data.strip()
        if data.startswith(_DONE):
            self._finish(out)
            return
        if "error" in frame.event:
            raise self._failure(frame.data)
        value = decode_lenient(data, object)
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            self._read([Frame(_encoded({"index": at} | item, frame)) for at, item in enumerate(value)], out)
        elif isinstance(value, dict):
            self._read_record(decode_lenient(data, self.view), frame, out)
        else:
            out.append(unknown(frame))

    def _read_record(self, record: Any, frame: Frame, out: list[Delta]) -> None:
        if "error" in frame.event:
            raise self._failure(frame.data)
        try:
            known = self._take(record, frame, out)
        except RecursionError:
            raise too_deep(frame.data) from None
        if not known:
            if find_failure(decode_lenient(frame.data, dict)) is not None:
                raise self._failure(frame.data)
            out.append(unknown(frame))


def _encoded(value: Any, frame: Frame) -> bytes:
    try:
        return compact_json(value).encode()
    except RecursionError:
        raise too_deep(frame.data) from None


@cache
def _decoder(view: Any) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(view).decode
