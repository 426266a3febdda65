"""OpenAI's legacy `POST /completions`, and the servers of base models that speak it.

A response is `data:` records, each with pieces of one or more texts, and then `data: [DONE]`. Errors, usage and reasons
are those of chat completions. Facts: https://platform.openai.com/docs/api-reference/completions and recordings of five
servers, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from streamkit.deltas import Delta, TextDelta
from streamkit.protocols.failures.shapes import find_failure
from streamkit.protocols.lenient import decode_as
from streamkit.protocols.openai_chat.finish import finish_word, read_finish
from streamkit.protocols.openai_chat.indices import read_index
from streamkit.protocols.openai_chat.usage import read_usage
from streamkit.protocols.openai_completions.views import Choice, Completion, Head, read_logprobs
from streamkit.protocols.plain_parser import PlainParser
from streamkit.protocols.tagged import TaggedWriter
from streamkit.wire import Frame

__all__ = ["CompletionsParser"]

_decode = msgspec.json.Decoder(Completion).decode


class CompletionsParser(PlainParser):
    """The stream of a text completion, or the JSON of one that came at once → deltas; see `Parser`."""

    protocol: ClassVar[str] = "openai-completions"
    view: ClassVar[Any] = Completion
    ending: ClassVar[str] = "no finish reason and no [DONE] came"
    writer: ClassVar[type[TaggedWriter]] = TaggedWriter

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._head: Head | None = None

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
            # Nearly every record is a piece of one text, which is told by what is absent.
            choices = record.choices
            if (
                choices is not None
                and len(choices) == 1
                and record.usage is None
                and record.error is None
                and not frame.event
                and (choice := choices[0]) is not None
                and choice.text
                and choice.finish_reason is None
                and choice.logprobs is None
                and choice.error is None
                and type(choice.index) is int
            ):
                writer = writers.get(choice.index)
                if writer is not None and writer.ready >= 0:
                    out.append(TextDelta(writer.ready, choice.text, choice=choice.index))
                    continue
            self._read_record(record, frame, out)

    def _take(self, record: Completion, frame: Frame, out: list[Delta]) -> bool:
        failure = None
        choices = [choice for choice in record.choices or () if choice is not None]
        if not choices or record.error or any(choice.error for choice in choices):
            value = decode_as(frame.data, dict)
            failure = find_failure(value)
            if not (choices or failure or "choices" in value or "usage" in value):
                return False
        for position, choice in enumerate(record.choices or ()):
            if choice is not None:
                self._read_choice(choice, position, frame, out)
        usage = read_usage(record.usage)
        if usage:
            self._choices.usage = self._choices.usage.merge(usage)
        if self._choices.writers:
            self._choices.tell_usage(out)
        if failure is not None:
            raise self._failure(failure)
        return True

    def _read_choice(self, choice: Choice, position: int, frame: Frame, out: list[Delta]) -> None:
        index = read_index(choice.index)
        index = position if index is None or index < 0 else index
        if self._head is None:
            self._head = decode_as(frame.data, Head)
        writer = self._choices.begin(index, out, id=self._head.id, model=self._head.model)
        if choice.text:
            writer.say(out, choice.text)
        self._choices.tell_logprobs(index, read_logprobs(choice.logprobs), out)
        word = finish_word(choice.finish_reason)
        if word is not None:
            self._choices.reasons[index] = read_finish(word)
