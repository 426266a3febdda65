"""DashScope's own API: Qwen's models, applications and deep research.

Each event is a record with an `output`, its counts so far and the request's id. What a choice says is new in each
record or whole in each, as `parameters.incremental_output` asked: that is the mode. There is no end but the finish
reason of each choice, `"null"` until then; with n > 1 the records of the choices take turns. Facts:
https://help.aliyun.com/en/model-studio/qwen-api-via-dashscope, the `dashscope` package 2.0.2 and recordings, checked
2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from streamkit.deltas import Delta, MessageStart, TextDelta, UsageSnapshot
from streamkit.errors import APIError, ProtocolError, TruncatedStream
from streamkit.protocols.base import Parser, unknown
from streamkit.protocols.dashscope.content import Contents
from streamkit.protocols.dashscope.records import RecordDecoder
from streamkit.protocols.dashscope.usage import UsageReader
from streamkit.protocols.dashscope.views import Choice, Output, Record
from streamkit.protocols.failures import read_failure
from streamkit.protocols.lenient import decode_as, decode_lenient, rejoin, too_deep
from streamkit.protocols.openai_chat import views
from streamkit.protocols.openai_chat.choice import ChoiceReader
from streamkit.protocols.openai_chat.indices import read_index
from streamkit.protocols.values import compact_json
from streamkit.usage import Usage
from streamkit.wire import Frame

__all__ = ["DashScopeParser"]

_FINE = ("", "200", "Success", 0, 200)  # codes that are no error's
# What shows that a record belongs to the dialect.
_RECORD_KEYS = frozenset({"output", "usage", "request_id"})

_decode = msgspec.json.Decoder(Record).decode


class DashScopeParser(Parser):
    """The stream of DashScope's own API, or the JSON of an answer that came at once → deltas; see `Parser`.

    In the mode `cumulative` every record holds all text, reasoning and arguments so far.
    """

    protocol: ClassVar[str] = "dashscope"
    modes: ClassVar[tuple[str, ...]] = ("incremental", "cumulative")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._records: RecordDecoder | None = None
        if (options.get("framing") or self.framing) == "sse":
            self._decoder = self._records = RecordDecoder(self.limits.max_event_bytes)
        self._readers: dict[int, ChoiceReader] = {}  # of the choices that have begun
        self._contents: dict[int, Contents] = {}
        self._counts = UsageReader()
        self._told = Usage()  # the last snapshot
        self._sources: Any = None  # the last that were cited
        self._tools: set[str] = set()  # that the provider ran, as JSON
        self._lenient = False  # whether strings may hold halves of surrogate pairs

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        readers = self._readers
        for frame in frames:
            if self.ended:
                return
            try:
                record = _decode(frame.data)
            except (ValueError, RecursionError):
                self._read_odd(frame, out)
                continue
            # Nearly every record is a piece of text, which is told by what is absent.
            output = record.output
            if (
                output is not None
                and output.choices is not None
                and len(output.choices) == 1
                and output.search_info is None
                and output.tool_info is None
                and record.code is None
            ):
                choice = output.choices[0]
                if choice is not None and choice.finish_reason == "null" and choice.logprobs is None:
                    index = 0 if choice.index is None else choice.index
                    message, reader = choice.message, readers.get(index) if type(index) is int else None
                    if (
                        message is not None
                        and reader is not None
                        and reader.writer.ready >= 0
                        and message.content
                        and type(message.content) is str
                        and not message.reasoning_content
                        and message.tool_calls is None
                    ):
                        out.append(TextDelta(reader.writer.ready, message.content, choice=index))
                        self._counts.take(record.usage, index)
                        continue
            self._read_record(record, frame, out)

    def _end(self, out: list[Delta]) -> None:
        if not self._readers:
            raise TruncatedStream("the stream is empty: it ended before an answer began")
        unfinished = {index for index, reader in self._readers.items() if reader.finish is None}
        if unfinished and not self.quirks.end_without_finish:
            self._close(out, self._readers.keys() - unfinished)
            raise TruncatedStream("the stream ended before the answer did: no finish reason came")
        self._close(out, self._readers)

    def _flush(self, out: list[Delta]) -> None:
        for _, reader in sorted(self._readers.items()):
            reader.release(out)
        self._tell_usage(out)

    def _read_odd(self, frame: Frame, out: list[Delta]) -> None:
        """Read a frame that is no valid record: broken as real servers break it, a gateway's sentinel, or none."""
        if frame.data.lstrip().startswith(b"[DONE]"):
            if not self._readers:
                raise TruncatedStream("the stream is empty: it ended before an answer began")
            self._close(out, self._readers)
            self.ended = True
            return
        if "error" in frame.event and not frame.data.lstrip().startswith((b"{", b"[")):
            raise self._failure(frame)
        value = decode_lenient(frame.data, object)
        if not isinstance(value, dict):
            out.append(unknown(frame))
            return
        self._lenient = True
        for reader in self._readers.values():
            reader.lenient = True
        self._read_record(decode_lenient(frame.data, Record), frame, out)

    def _read_record(self, record: Record, frame: Frame, out: list[Delta]) -> None:
        """Read a record; where it reports an error, what else it says comes first."""
        failed = self._is_failure(record, frame)
        if record.output is not None:
            try:
                self._read_output(record.output, record, frame, out)
            except ProtocolError as error:
                error.frame = error.frame or frame.data
                raise
            except RecursionError:
                raise too_deep(frame.data) from None
        elif not failed and not (decode_as(frame.data, dict).keys() & _RECORD_KEYS):
            out.append(unknown(frame))
            return
        choices = record.output.choices if record.output is not None else None
        only = choices[0] if choices and len(choices) == 1 else None
        if only is None:
            self._counts.take_all(record.usage)
        else:
            self._counts.take(record.usage, _index(only, 0))
            reader = self._readers[_index(only, 0)]
            if reader.finish is not None:
                self._tell_usage(out)
        if failed:
            raise self._failure(frame)

    def _read_output(self, output: Output, record: Record, frame: Frame, out: list[Delta]) -> None:
        if output.choices is not None:
            for position, choice in enumerate(output.choices):
                if choice is not None:
                    self._read_choice(choice, position, output, record, out)
        elif output.message is not None:
            message = decode_as(frame.data, dict)["output"]["message"]
            choice = Choice(0, output.message, output.finish_reason or output.fininshed_reason)
            self._read_choice(choice, 0, output, record, out)
            self._cite(_researched(message), self._readers[0], out)
        elif output.text is not None or output.finish_reason is not None:
            self._read_choice(Choice(0, views.Delta(output.text), output.finish_reason), 0, output, record, out)

    def _read_choice(self, choice: Choice, position: int, output: Output, record: Record, out: list[Delta]) -> None:
        index = _index(choice, position)
        reader = self._readers.get(index) or self._begin(index, record, out)
        message = choice.message
        self._run(output.tool_info, reader, out)
        if message is not None:
            self._contents[index].read(message)
            if message.tool_calls:
                for place, fragment in enumerate(message.tool_calls):
                    if fragment is not None and fragment.index is None:
                        fragment.index = place
            reader.read(message, out)
        if choice.logprobs is not None:
            reader.read_logprobs(choice.logprobs, out)
        found = output.search_info
        results = found.get("search_results") if isinstance(found, dict) else None
        self._cite([*_list(results), *_list(output.doc_references)], reader, out)
        reader.read_finish(choice.finish_reason)

    def _run(self, tools: Any, reader: ChoiceReader, out: list[Delta]) -> None:
        """Add the tools that the provider ran; each record names all so far."""
        named = {compact_json(tool): tool for tool in _list(tools)}
        fresh = [tool for text, tool in named.items() if text not in self._tools]
        if fresh:
            self._tools |= named.keys()
            reader.read(views.Delta(executed_tools=fresh), out)

    def _cite(self, sources: list[Any], reader: ChoiceReader, out: list[Delta]) -> None:
        """Add sources, of which each record may name all so far."""
        if sources != self._sources:
            self._sources = sources
            reader.cite(sources, out)
        else:
            reader.cite([], out)

    def _begin(self, index: int, record: Record, out: list[Delta]) -> ChoiceReader:
        cumulative = self._mode == "cumulative"
        reader = self._readers[index] = ChoiceReader(
            index, quirks=self.quirks, cumulative=cumulative, mint=self._mint, limits=self.limits
        )
        reader.lenient = self._lenient
        self._contents[index] = Contents(cumulative=cumulative)
        id = rejoin(record.request_id) if isinstance(record.request_id, str) else ""
        out.append(MessageStart(id=id or None, provider=self.provider or None, protocol=self.protocol, choice=index))
        return reader

    def _tell_usage(self, out: list[Delta]) -> None:
        usage = self._counts.usage
        if usage != self._told:
            self._told = usage
            out.append(UsageSnapshot(usage))

    def _close(self, out: list[Delta], choices: Iterable[int]) -> None:
        """End the messages of `choices`."""
        readers = [self._readers[index] for index in sorted(choices)]
        for reader in readers:
            reader.close(out)
        self._tell_usage(out)
        for reader in readers:
            reader.end(out)

    def _is_failure(self, record: Record, frame: Frame) -> bool:
        if record.code is not None and record.code not in _FINE:
            return True
        return record.output is None and ("error" in frame.event or self._status(frame) > 0)

    def _failure(self, frame: Frame) -> APIError:
        return read_failure(frame.data, provider=self.provider, status=self._status(frame) or 200)

    def _status(self, frame: Frame) -> int:
        return self._records.status_of(frame) if self._records is not None else 0


def _index(choice: Choice, position: int) -> int:
    index = read_index(choice.index)
    return position if index is None or index < 0 else index


def _researched(message: Any) -> list[Any]:
    """The sources of a message of deep research."""
    extra = message.get("extra") if isinstance(message, dict) else None
    research = extra.get("deep_research") if isinstance(extra, dict) else None
    if not isinstance(research, dict):
        return []
    found = research.get("research")
    return [*_list(research.get("references")), *_list(found.get("webSites") if isinstance(found, dict) else None)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
