"""A FastChat worker's `POST /worker_generate_stream`, asked itself or through the controller.

Each record is a JSON object that ends with NUL and holds all text so far, its counts and an `error_code`, 0 where
there is no error; else `text` is the error. A worker on vLLM sends the last text twice, the second time with the
reason for the end, and joins several outputs by a space, with a reason for each. Facts: `fastchat/serve/` of
https://github.com/lm-sys/FastChat, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from streamkit.deltas import Delta
from streamkit.messages import FinishReason
from streamkit.protocols.echo import Echo
from streamkit.protocols.openai_chat.finish import finish_word, read_finish
from streamkit.protocols.openai_chat.usage import read_usage
from streamkit.protocols.plain_parser import PlainParser
from streamkit.wire import Frame

__all__ = ["FastChatParser"]


class _Record(Struct, gc=False):
    text: str | None = None
    error_code: Any = None
    usage: Any = None
    finish_reason: Any = None


class FastChatParser(PlainParser):
    """The stream of a worker → deltas; see `Parser`.

    `prompt` is what a worker that was asked to `echo` puts in front of the text, and is taken off. Workers from
    before reasons for the end were sent need `Quirks(end_without_finish=True)`.
    """

    protocol: ClassVar[str] = "fastchat"
    framing: ClassVar[str] = "nul"
    modes: ClassVar[tuple[str, ...]] = ("cumulative",)
    view: ClassVar[Any] = _Record
    ending: ClassVar[str] = "no finish reason came"

    def __init__(self, *, prompt: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._echo = Echo(prompt)
        self._usage: Any = None  # the last, as it came

    def _take(self, record: _Record, frame: Frame, out: list[Delta]) -> bool:
        if record.text is None:
            return False
        if record.error_code:
            raise self._failure(frame.data)
        self._begin(0, out).say(out, self._echo.strip(record.text))
        if record.usage is not None:
            self._usage = record.usage
        if record.finish_reason is not None:
            reason = _reason(record.finish_reason)
            if reason is not None:
                self._choices.reasons[0] = reason
        return True

    def _count(self) -> None:
        self._choices.usage = read_usage(self._usage) or self._choices.usage


def _reason(raw: Any) -> FinishReason | None:
    """Why the answer ended; with several outputs it has when all have, and the least usual reason counts."""
    if not isinstance(raw, list):
        word = finish_word(raw)
        return None if word is None else read_finish(word)
    reasons = [_reason(each) for each in raw]
    ended = [reason for reason in reasons if reason is not None]
    if not ended or len(ended) < len(reasons):
        return None
    return next((reason for reason in ended if reason.type != "stop"), ended[0])
