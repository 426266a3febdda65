"""An SGLang server's native `POST /generate`: prompt in, text out.

Records are `data:` lines, each with all the `text` of its choice so far, unless the server was started to stream
increments (`--incremental-streaming-output`): that is the mode. `data: [DONE]` ends the response. Facts:
`python/sglang/srt/entrypoints/http_server.py` and `managers/tokenizer_manager.py` of
https://github.com/sgl-project/sglang, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any, ClassVar

from streamkit.deltas import Delta
from streamkit.protocols.plain_parser import PlainParser
from streamkit.protocols.sglang.views import Meta, Record, read_finish, read_logprobs, read_usage, total
from streamkit.wire import Frame

__all__ = ["SGLangParser"]


class SGLangParser(PlainParser):
    """The stream of a native generation, or the JSON of one that came at once → deltas; see `Parser`.

    In the mode `cumulative`, a server's default, every record holds all text so far.
    """

    protocol: ClassVar[str] = "sglang"
    modes: ClassVar[tuple[str, ...]] = ("cumulative", "incremental")
    view: ClassVar[Any] = Record
    ending: ClassVar[str] = "no finish reason and no [DONE] came"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._whole = self._mode == "cumulative"
        self._metas: dict[int, Meta] = {}  # the last of each choice
        self._tokens: dict[int, int] = {}  # of each choice, how many log probabilities have been told

    def _take(self, record: Record, frame: Frame, out: list[Delta]) -> bool:
        if record.error:
            raise self._failure(frame.data)
        if record.text is None and record.meta_info is None:
            return False
        index = record.index if type(record.index) is int and record.index >= 0 else 0
        meta = record.meta_info or Meta()
        writer = self._begin(index, out, id=meta.id)
        if record.text is not None:
            if self._whole:
                writer.say(out, record.text)
            else:
                writer.go_on(out, record.text)
        if meta.output_token_logprobs is not None:
            start = self._tokens.get(index, 0) if self._whole else 0
            tokens = read_logprobs(meta, start)
            self._tokens[index] = start + len(tokens)
            self._choices.tell_logprobs(index, tokens, out)
        if record.meta_info is not None:
            self._metas[index] = meta
        reason = read_finish(meta.finish_reason)
        if reason is not None:
            self._choices.reasons[index] = reason
        return True

    def _count(self) -> None:
        self._choices.usage = total(map(read_usage, self._metas.values()))
