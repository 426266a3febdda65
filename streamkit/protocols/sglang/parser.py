"""An SGLang server's native `POST /generate`: prompt in, text out.

Records are `data:` lines, each with all the `text` of its choice so far, unless the server was started to stream
increments (`--incremental-streaming-output`): that is the mode. `data: [DONE]` ends the response. Facts:
`python/sglang/srt/entrypoints/http_server.py` and `managers/tokenizer_manager.py` of
https://github.com/sgl-project/sglang, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from streamkit.deltas import Delta, UnknownFrame
from streamkit.errors import TruncatedStream
from streamkit.protocols.base import Parser
from streamkit.protocols.failures import read_failure
from streamkit.protocols.failures.shapes import find_failure
from streamkit.protocols.lenient import decode_lenient, too_deep
from streamkit.protocols.plain import PlainChoices
from streamkit.protocols.sglang.views import Meta, Record, read_finish, read_logprobs, read_usage, total
from streamkit.protocols.tagged import TaggedWriter
from streamkit.protocols.values import compact_json
from streamkit.protocols.whole_writer import WholeWriter
from streamkit.wire import Frame

__all__ = ["SGLangParser"]

_DONE = b"[DONE]"

_decode = msgspec.json.Decoder(Record).decode


class SGLangParser(Parser):
    """The stream of a native generation, or the JSON of one that came at once → deltas; see `Parser`.

    In the mode `cumulative`, a server's default, every record holds all text so far.
    """

    protocol: ClassVar[str] = "sglang"
    modes: ClassVar[tuple[str, ...]] = ("cumulative", "incremental")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._whole = self._mode == "cumulative"
        writer = WholeWriter if self._whole else TaggedWriter
        self._choices = PlainChoices(self.protocol, self.provider, self.quirks, self.limits, writer)
        self._metas: dict[int, Meta] = {}  # the last of each choice
        self._tokens: dict[int, int] = {}  # of each choice, how many log probabilities have been told

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        for frame in frames:
            if self.ended:
                return
            try:
                record = _decode(frame.data)
            except (ValueError, RecursionError):
                self._read_odd(frame, out)
                continue
            self._read_record(record, frame, out)

    def _end(self, out: list[Delta]) -> None:
        choices = self._choices
        self._check_begun()
        if choices.unfinished and not self.quirks.end_without_finish:
            self._close(out, choices.reasons.keys())
            raise TruncatedStream("the stream ended in the middle of the answer: no finish reason and no [DONE] came")
        self._close(out, choices.writers)

    def _flush(self, out: list[Delta]) -> None:
        self._choices.usage = total(map(read_usage, self._metas.values()))
        self._choices.release(out)

    def _close(self, out: list[Delta], indices: Iterable[int]) -> None:
        self._choices.usage = total(map(read_usage, self._metas.values()))
        self._choices.close(out, indices)

    def _check_begun(self) -> None:
        if not self._choices.writers:
            raise TruncatedStream("the stream is empty: it ended before an answer began")

    def _read_odd(self, frame: Frame, out: list[Delta]) -> None:
        """Read a frame that is no valid record: the end, one broken as real servers break it, or several at once."""
        data = frame.data.strip()
        if data.startswith(_DONE):
            self._check_begun()
            self._close(out, self._choices.writers)
            self.ended = True
            return
        if "error" in frame.event:
            raise read_failure(frame.data, provider=self.provider)
        value = decode_lenient(data, object)
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            self._read([Frame(_encoded({"index": at} | item, frame)) for at, item in enumerate(value)], out)
        elif isinstance(value, dict):
            self._read_record(decode_lenient(data, Record), frame, out)
        else:
            out.append(_unknown(frame))

    def _read_record(self, record: Record, frame: Frame, out: list[Delta]) -> None:
        if record.error or "error" in frame.event:
            raise read_failure(frame.data, provider=self.provider)
        if record.text is None and record.meta_info is None:
            value = decode_lenient(frame.data, dict)
            if find_failure(value) is not None:
                raise read_failure(frame.data, provider=self.provider)
            out.append(_unknown(frame))
            return
        index = record.index if type(record.index) is int and record.index >= 0 else 0
        meta = record.meta_info or Meta()
        writer = self._choices.begin(index, out, id=meta.id)
        if record.text is not None:
            writer.say(out, record.text)
        if meta.output_token_logprobs is not None:
            self._tell_logprobs(index, meta, frame, out)
        if record.meta_info is not None:
            self._metas[index] = meta
        reason = read_finish(meta.finish_reason)
        if reason is not None:
            self._choices.reasons[index] = reason

    def _tell_logprobs(self, index: int, meta: Meta, frame: Frame, out: list[Delta]) -> None:
        start = self._tokens.get(index, 0) if self._whole else 0
        tokens = read_logprobs(meta, start)
        self._tokens[index] = start + len(tokens)
        try:
            self._choices.tell_logprobs(index, tokens, out)
        except RecursionError:
            raise too_deep(frame.data) from None


def _encoded(value: Any, frame: Frame) -> bytes:
    try:
        return compact_json(value).encode()
    except RecursionError:
        raise too_deep(frame.data) from None


def _unknown(frame: Frame) -> UnknownFrame:
    return UnknownFrame(frame.data.decode("utf-8", "replace"), frame.event)
