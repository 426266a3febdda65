"""A TGI server's native `POST /generate_stream`: prompt in, text out.

Records are `data:` lines, each with one token. The last also has `generated_text`, the whole answer, which counts: a
stop word has been taken off it, and characters of several tokens are whole in it. Facts: `router/src/server.rs` of
https://github.com/huggingface/text-generation-inference, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any, ClassVar

from streamkit.deltas import Delta
from streamkit.protocols.openai_chat.finish import finish_word, read_finish
from streamkit.protocols.plain_parser import PlainParser
from streamkit.protocols.tgi.views import Record, read_token, read_usage
from streamkit.protocols.whole_writer import WholeWriter
from streamkit.wire import Frame

__all__ = ["TGIParser"]


class TGIParser(PlainParser):
    """The stream of a native generation, or the JSON of one that came at once → deltas; see `Parser`."""

    protocol: ClassVar[str] = "tgi"
    view: ClassVar[Any] = Record
    ending: ClassVar[str] = "no record with the generated text came"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._writer: WholeWriter | None = None

    def _take(self, record: Record, frame: Frame, out: list[Delta]) -> bool:
        token, whole = record.token, record.generated_text
        if record.error:
            raise self._failure(frame.data)
        if token is None and whole is None:
            return False
        choices = self._choices
        writer = self._writer
        if writer is None:
            writer = self._writer = self._begin(0, out)
        if token is not None and token.text and not token.special:
            writer.go_on(out, token.text)
            if record.top_tokens and isinstance(record.top_tokens, list):
                choices.tell_logprobs(0, [read_token(token, record.top_tokens)], out)
        if record.details is not None:
            choices.usage = read_usage(record.details)
            word = finish_word(record.details.finish_reason)
            if word is not None:
                choices.reasons[0] = read_finish(word)
        if whole is not None:
            writer.say(out, whole)
            self._finish(out)
        return True
