"""A llama.cpp server's native `POST /completion`: prompt in, text out.

Records are `data:` lines, each with a piece of `content`; the last of a choice has `stop`. There is no end but that of
the input, though `[DONE]` is taken for one; choices (several prompts, `n_cmpl`) may come one after another, so no
choice ends before the response does. Facts: `tools/server/README.md` of https://github.com/ggml-org/llama.cpp and
recordings of its builds, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import msgspec

from streamkit.deltas import Delta, TextDelta, UnknownFrame
from streamkit.errors import TruncatedStream
from streamkit.protocols.base import Parser
from streamkit.protocols.failures import read_failure
from streamkit.protocols.lenient import decode_lenient, too_deep
from streamkit.protocols.llamacpp.views import Last, Record, read_finish, read_probabilities, read_usage
from streamkit.protocols.plain import PlainChoices
from streamkit.protocols.values import compact_json
from streamkit.usage import Usage
from streamkit.wire import Frame

__all__ = ["LlamaCppParser"]

_DONE = b"[DONE]"
# What shows that a record belongs to the dialect.
_RECORD_KEYS = frozenset({"content", "stop", "stop_type", "tokens", "prompt_progress", "tokens_predicted", "timings"})

_decode = msgspec.json.Decoder(Record).decode
_T = TypeVar("_T")


class LlamaCppParser(Parser):
    """The stream of a native completion, or the JSON of one that came at once → deltas; see `Parser`."""

    protocol: ClassVar[str] = "llamacpp"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._choices = PlainChoices(self.protocol, self.provider, self.quirks, self.limits)
        self._counts: dict[int, Usage] = {}  # of each choice, its prompt included

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        writers = self._choices.writers
        for frame in frames:
            if self.ended:
                return
            try:
                record = _decode(frame.data)
            except (ValueError, RecursionError):
                self._read_odd(frame, out)
                continue
            # Nearly every record is a piece of text, which is told by what is absent.
            if (
                record.content
                and not record.stop
                and record.stop_type is None
                and type(record.index) is int
                and record.completion_probabilities is None
                and record.error is None
                and not frame.event
            ):
                writer = writers.get(record.index)
                if writer is not None and writer.ready >= 0:
                    out.append(TextDelta(writer.ready, record.content, choice=record.index))
                    continue
            self._read_record(record, frame, out)

    def _end(self, out: list[Delta]) -> None:
        choices = self._choices
        self._check_begun()
        if choices.unfinished and not self.quirks.end_without_finish:
            choices.close(out, choices.reasons.keys())
            raise TruncatedStream("the stream ended in the middle of the answer: no record with `stop` came")
        choices.close(out, choices.writers)

    def _flush(self, out: list[Delta]) -> None:
        self._choices.release(out)

    def _check_begun(self) -> None:
        if not self._choices.writers:
            raise TruncatedStream("the stream is empty: it ended before an answer began")

    def _read_odd(self, frame: Frame, out: list[Delta]) -> None:
        """Read a frame that is no valid record: the end, one broken as real servers break it, or several at once."""
        data = frame.data.strip()
        if data.startswith(_DONE):
            self._check_begun()
            self._choices.close(out, self._choices.writers)
            self.ended = True
            return
        if "error" in frame.event:
            raise read_failure(frame.data, provider=self.provider)
        value = decode_lenient(data, object)
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            self._read([Frame(_encoded(item, frame)) for item in value], out)
        elif isinstance(value, dict):
            self._read_record(decode_lenient(data, Record), frame, out)
        else:
            out.append(_unknown(frame))

    def _read_record(self, record: Record, frame: Frame, out: list[Delta]) -> None:
        if "error" in frame.event or record.error:
            raise read_failure(frame.data, provider=self.provider)
        if record.content is None and not (_convert(frame, dict).keys() & _RECORD_KEYS):
            out.append(_unknown(frame))
            return
        choices = self._choices
        index = record.index if type(record.index) is int and record.index >= 0 else 0
        writer = choices.begin(index, out)
        if record.content:
            writer.say(out, record.content)
        try:
            choices.tell_logprobs(index, read_probabilities(record.completion_probabilities), out)
        except RecursionError:
            raise too_deep(frame.data) from None
        if record.stop or record.stop_type:
            last = _convert(frame, Last)
            choices.reasons[index] = read_finish(last)
            self._counts[index] = read_usage(last)
            choices.usage = sum(self._counts.values(), Usage())


def _encoded(value: Any, frame: Frame) -> bytes:
    try:
        return compact_json(value).encode()
    except RecursionError:
        raise too_deep(frame.data) from None


def _unknown(frame: Frame) -> UnknownFrame:
    return UnknownFrame(frame.data.decode("utf-8", "replace"), frame.event)


def _convert(frame: Frame, kind: type[_T]) -> _T:
    """Decode a frame once more, for what few have."""
    try:
        return msgspec.json.decode(frame.data, type=kind)
    except (ValueError, RecursionError):
        return decode_lenient(frame.data, kind)
