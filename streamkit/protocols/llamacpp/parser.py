"""A llama.cpp server's native `POST /completion`: prompt in, text out.

Records are `data:` lines, each with a piece of `content`; the last of a choice has `stop`. There is no end but that of
the input, though `[DONE]` is taken for one; choices (several prompts, `n_cmpl`) may come one after another, so no
choice ends before the response does. Facts: `tools/server/README.md` of https://github.com/ggml-org/llama.cpp and
recordings of its builds, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from streamkit.deltas import Delta, TextDelta
from streamkit.protocols.lenient import decode_as
from streamkit.protocols.llamacpp.views import Last, Record, read_finish, read_probabilities, read_usage
from streamkit.protocols.plain_parser import PlainParser
from streamkit.protocols.tagged import TaggedWriter
from streamkit.usage import Usage
from streamkit.wire import Frame

__all__ = ["LlamaCppParser"]

# What shows that a record belongs to the dialect.
_RECORD_KEYS = frozenset({"content", "stop", "stop_type", "tokens", "prompt_progress", "tokens_predicted", "timings"})

_decode = msgspec.json.Decoder(Record).decode


class LlamaCppParser(PlainParser):
    """The stream of a native completion, or the JSON of one that came at once → deltas; see `Parser`."""

    protocol: ClassVar[str] = "llamacpp"
    view: ClassVar[Any] = Record
    ending: ClassVar[str] = "no record with `stop` came"
    writer: ClassVar[type[TaggedWriter]] = TaggedWriter

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
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

    def _take(self, record: Record, frame: Frame, out: list[Delta]) -> bool:
        if record.error:
            raise self._failure(frame.data)
        if record.content is None and not (decode_as(frame.data, dict).keys() & _RECORD_KEYS):
            return False
        choices = self._choices
        index = record.index if type(record.index) is int and record.index >= 0 else 0
        writer = choices.begin(index, out)
        if record.content:
            writer.say(out, record.content)
        choices.tell_logprobs(index, read_probabilities(record.completion_probabilities), out)
        if record.stop or record.stop_type:
            last = decode_as(frame.data, Last)
            choices.reasons[index] = read_finish(last)
            self._counts[index] = read_usage(last)
            choices.usage = sum(self._counts.values(), Usage())
        return True
